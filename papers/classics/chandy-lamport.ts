/**
 * A snapshot of any other protocol of one chart, taken while it runs: the watched chart, with a recorder next to it.
 *
 * Paper: Chandy, Lamport, "Distributed Snapshots: Determining Global States of Distributed Systems" (ACM TOCS 3(1), 1985). Assumes channels
 * that lose nothing and keep the order (FIFO), and nodes that do not fail. States of the recorder. idle: has recorded nothing. recording:
 * has recorded the node's own state, and records the messages of each channel until its marker. recorded: has a marker of every channel.
 * Invariant (Theorem 1): all records together are a reachable state of the protocol.
 */
import { assign, createMachine, type AnyStateMachine } from 'xstate';
import {
  effects,
  send,
  UsageError,
  withEvent,
  type Message,
  type NodeId,
  defineProtocol,
  type Configuration,
  type Property,
  type Protocol,
} from '../../index.js';
import type { NodeView } from '../../machines/protocol.js';
import { others, classicRoles } from './common.js';
import { suzukiKasami } from './suzuki-kasami.js';

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

/** Extends a chart so that a snapshot can record its state. `messages` are those of its protocol. */
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

/** Chandy and Lamport's snapshot over another protocol. It promises that the recorded state keeps all promises of the protocol. */
type Watched = { readonly snapshot: RecordedSnapshot };
const snapshotOf = (view: NodeView) => (Object.values(view)[0]!.context as Watched).snapshot;
const valueOf = (path: string): any =>
  path.split('.').reduceRight<any>((inner, key) => (inner === undefined ? key : { [key]: inner }), undefined);

/** Recorded snapshot as a state of the watched protocol; `null` until all nodes have completed it. */
function recordedState(c: Configuration): Configuration | null {
  if (classicRoles(c).some(({ value }) => (value as { recorder: string }).recorder !== 'recorded')) return null;
  const flights = [...c.nodes].flatMap(([to, view]) =>
    snapshotOf(view).channels.map(({ from, ...message }, id) => ({ id, from, to, message, cost: 1 })),
  );
  const nodes = [...c.nodes].map(([id, view]) => {
    const [role, { chart }] = Object.entries(view)[0]!;
    const { path, context } = snapshotOf(view).state!;
    return [id, { [role]: { chart, value: valueOf(path), context } }] as const;
  });
  return { instance: c.instance, links: c.links, nodes: new Map(nodes), flights };
}

const ofRecorded = (property: Property): Property[] => {
  const { name, kind, description, holds } = property;
  if (kind !== 'always') return [];
  const isKept = (c: Configuration | null) => c === null || holds(c);
  return [
    {
      name: `recorded: ${name}`,
      description: `In the snapshot: ${description}`,
      kind,
      holds: (c) => isKept(recordedState(c)),
    },
  ];
};
const snapshotEnds: Property = {
  name: 'a snapshot ends',
  description: 'A node that has begun to record eventually finishes recording.',
  kind: 'eventually',
  when: ({ nodes }, node) => snapshotOf(nodes.get(node)!).state !== null,
  holds: ({ nodes }, node) => snapshotOf(nodes.get(node)!).state !== null && snapshotOf(nodes.get(node)!).awaited.length === 0,
};

/** The protocol with an additional command `snapshot`, accepted at any node. */
export function snapshotOver(watched: Protocol): Protocol {
  const { charts, messages = {}, commands, reactions, options, route } = watched;
  const types = Object.keys(messages);
  return defineProtocol<unknown>(
    {
      name: 'chandy-lamport',
      charts: Object.fromEntries(Object.entries(charts).map(([name, chart]) => [name, withRecorder(chart, types)])),
      network: { reach: 'routed', order: 'fifo' },
      options,
      roles: (id, instance) => {
        const [start, second] = watched.roles(id, instance);
        if (second)
          throw new UsageError(`${watched.name} has several roles at ${id}. Take snapshots of a protocol with one role.`);
        return [{ ...start!, input: { others: others(id, instance), input: start!.input } }];
      },
      route,
      messages: { ...messages, marker: {} },
      commands: { ...commands, snapshot: {} },
      reactions,
    },
    { properties: (instance) => [...watched.properties(instance).flatMap(ofRecorded), snapshotEnds] },
    { paper: 'Chandy, Lamport: Distributed Snapshots, Determining Global States of Distributed Systems (ACM TOCS 3(1), 1985)' },
  );
}

export const chandyLamport = snapshotOver(suzukiKasami as Protocol);
