/**
 * A snapshot of any other protocol of one chart, taken while it runs: the watched chart, with a recorder next to it.
 *
 * Paper: Chandy, Lamport, "Distributed Snapshots: Determining Global States of Distributed Systems" (ACM TOCS 3(1), 1985). Assumes channels
 * that lose nothing and keep the order (FIFO), and nodes that do not fail. States of the recorder. idle: has recorded nothing. recording:
 * has recorded the node's own state, and records the messages of each channel until its marker. recorded: has a marker of every channel.
 * Invariant (Theorem 1): all records together are a reachable state of the protocol.
 */
import { assign, createMachine, type AnyStateMachine } from 'xstate';
import { effects, send, UsageError, withEvent, type Message, type NodeId } from '../../index.js';

export interface RecordedSnapshot {
  /** The other ends of the channels. */
  readonly others: readonly NodeId[];
  /** Channels whose marker has not arrived. */
  readonly awaited: readonly NodeId[];
  /** The node's own state: its chart's state and its context. */
  readonly state: { readonly path: string; readonly context: unknown } | null;
  /** Messages that arrived on each channel after that. */
  readonly channels: readonly (Message & { readonly from: NodeId })[];
}
type Context = { readonly snapshot: RecordedSnapshot };
type In = { context: Context };
type Received = Message & { readonly from: NodeId };

const markers = ({ context: { snapshot } }: In) => ({ to: snapshot.others, message: { type: 'marker' } });
const change = (changed: (snapshot: RecordedSnapshot, event: Received) => Partial<RecordedSnapshot>) =>
  assign(({ context }: In, event: Received) => ({ snapshot: { ...context.snapshot, ...changed(context.snapshot, event) } }));

const recordMessage = { guard: withEvent('isOpen'), actions: withEvent('recordMessage') };
const recorder = (messages: readonly string[]) => ({
  initial: 'idle',
  states: {
    idle: {
      on: {
        snapshot: { target: 'recording', actions: ['awaitAll', send(markers)] },
        marker: { target: 'recording', actions: ['awaitAll', withEvent('closeChannel'), send(markers)] },
      },
    },
    recording: {
      always: { guard: 'allClosed', target: 'recorded' },
      on: {
        marker: { actions: withEvent('closeChannel') },
        ...Object.fromEntries(messages.map((type) => [type, recordMessage])),
      },
    },
    recorded: {},
  },
});

/** On a snapshot or the first marker, every state of the watched chart records itself. */
function recordable(state: any, path: readonly string[] = []): any {
  const place = path.join('.');
  if (state.type === 'parallel')
    throw new UsageError(
      `${place || state.id} has parallel states, but a snapshot records one state of a chart. Use a chart without parallel states.`,
    );
  const inner = Object.entries(state.states ?? {}).map(([key, one]) => [key, recordable(one, [...path, key])] as const);
  if (inner.length > 0) return { ...state, states: Object.fromEntries(inner) };
  const note = { guard: 'isFirst', actions: { type: 'recordState', params: { path: place } } };
  return { ...state, on: { ...state.on, snapshot: note, marker: note } };
}

/** Adds a recorder to the chart; `messages` are those of its protocol. */
export function withRecorder({ config, implementations, id }: AnyStateMachine, messages: readonly string[]): AnyStateMachine {
  const { context: known, ...rest } = config as Record<string, any>;
  const process = recordable({ ...rest, id });
  const { actions, guards } = implementations as { actions: object; guards: object };
  return createMachine({
    id: `chandy-lamport over ${id}`,
    type: 'parallel',
    context: ({ input: { others, input } }: { input: { others: readonly NodeId[]; input: unknown } }) => ({
      ...(typeof known === 'function' ? known({ input }) : known),
      snapshot: { others, awaited: [], state: null, channels: [] },
    }),
    states: { process, recorder: recorder(messages) },
  } as never).provide({
    actions: {
      ...actions,
      ...effects(),
      awaitAll: change(({ others }) => ({ awaited: others })),
      closeChannel: change(({ awaited }, { from }) => ({ awaited: awaited.filter((node) => node !== from) })),
      recordMessage: change(({ channels }, message) => ({ channels: [...channels, message] })),
      recordState: assign(({ context: { snapshot, ...context } }: In, { path }: { path: string }) => ({
        snapshot: { ...snapshot, state: { path, context } },
      })),
    },
    guards: {
      ...guards,
      isFirst: ({ context: { snapshot } }: In) => snapshot.state === null,
      isOpen: ({ context: { snapshot } }: In, { from }: Received) => snapshot.awaited.includes(from),
      allClosed: ({ context: { snapshot } }: In) => snapshot.awaited.length === 0,
    },
  } as never);
}
