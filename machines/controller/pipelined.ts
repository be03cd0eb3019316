/**
 * The delivery process that never waits: any number of its requests are out at the same time.
 *
 * Paper: Afek, Awerbuch, Plotkin, Saks, Remark 4.4.6, which leaves out the details; spec section 6. Assumes FIFO links. A reply names
 * the level of the bin that it is for, and that is enough to find its link: requests of one level that cross a node have the same
 * supervisor and are answered in the order in which they came. Where bins are flat, this process relays and nothing else, so the
 * naive controller and per-node bins run on it too.
 *
 * States: `stocked` may be refilled; `exhausted` had a refill rejected, `dry` deferred until the next change.
 * Invariants: in `stocked`, what is pending asks for more than the bin holds, and the refills that are out cover it.
 *
 * Departures. One that a refusal finds with refills still out says `rested` when each is answered, so that a change can wait for them.
 */
import { assign, setup } from 'xstate';
import { effects, send, tell, type NodeId } from '../effects.js';
import { capacity, requestSize } from './bins.js';
import { handIn, passOn, type DeliveryInput } from './delivery.js';
import {
  answer,
  MAIN,
  type ControllerMessage,
  type NewTerms,
  type Received,
  type Reply,
  type Request,
  type Return,
  type Settle,
} from './messages.js';

export interface PipelinedContext extends DeliveryInput {
  readonly permits: number;
  /** Links whose requests for this bin are not served yet. */
  readonly pending: readonly NodeId[];
  /** For each level, the links that its replies go to, oldest first; the node itself stands for its own global bin. */
  readonly awaiting: Readonly<Record<string, readonly NodeId[]>>;
}

export type PipelinedEvent = Received<Request> | Reply | Return | Settle | NewTerms;

type In<E = PipelinedEvent> = { context: PipelinedContext; event: E };

const levelOf = ({ event }: In): number => (event as Request | Reply).level;

const linksAt = ({ awaiting }: PipelinedContext, level: number): readonly NodeId[] => awaiting[level] ?? [];

const relayed = (args: In) => ({
  to: args.context.parent,
  message: { type: 'request' as const, of: args.context.of, level: levelOf(args) },
});

const ownRefill = ({ context: { parent, of, level } }: In) => ({
  to: parent,
  message: { type: 'request' as const, of, level: level! },
});

/** The reply goes on to whoever waits longest for one of its level. */
const pass = answer((args: In) => ({
  links: linksAt(args.context, levelOf(args)).slice(0, 1),
  message: withoutSender(args.event as Received<Reply>),
}));

const toPending = (type: Reply['type']) =>
  answer(({ context: { of, level, pending } }: In) => {
    const size = level! - 1;
    return type === 'permit'
      ? { links: pending.slice(0, 1), message: { type, of, level: size, first: null } }
      : { links: pending, message: { type, of, level: size } };
  });

const refuse = (type: 'reject' | 'defer') =>
  answer(({ context: { of, level }, event }: In) => ({
    links: [(event as Received<Request>).from],
    message: { type, of, level: level! - 1 },
  }));

const rested = tell(() => ({ role: MAIN, message: { type: 'rested' } }));

/** A bin that asks for no more: what is still out comes in all the same. */
const spent = (refusal: 'reject' | 'defer') => ({
  on: {
    request: [{ guard: 'isForOwnBin' as const, actions: refuse(refusal) }, { actions: ['follow', send(relayed)] as const }],
    permit: [
      { guard: 'answersOwnBin' as const, actions: ['refill', rested] as const },
      { actions: [...pass, 'settleOne'] as const },
    ],
    reject: [
      { guard: 'answersOwnBin' as const, actions: ['settleOne', rested] as const },
      { actions: [...pass, 'settleOne'] as const },
    ],
    defer: [
      { guard: 'answersOwnBin' as const, actions: ['settleOne', rested] as const },
      { actions: [...pass, 'settleOne'] as const },
    ],
  },
});

export const pipelinedMachine = setup({
  types: {
    context: {} as PipelinedContext,
    events: {} as PipelinedEvent,
    input: {} as DeliveryInput,
  },
  actions: {
    ...effects<ControllerMessage>(),
    follow: assign(({ context, event }) => {
      const { level, from } = event as Received<Request>;
      return { awaiting: withLinks(context, level, [...linksAt(context, level), from]) };
    }),
    settleOne: assign((args) => ({ awaiting: withoutOldest(args) })),
    enqueue: assign(({ context, event }) => ({ pending: [...context.pending, (event as Received<Request>).from] })),
    serveOne: assign(({ context: { permits, pending, scale, level } }) => ({
      permits: permits - requestSize(scale, level!),
      pending: pending.slice(1),
    })),
    followOwn: assign(({ context }) => {
      const level = context.level!;
      return { awaiting: withLinks(context, level, [...linksAt(context, level), context.id]) };
    }),
    refill: assign((args) => {
      const { permits, scale, level } = args.context;
      return { permits: permits + capacity(scale, level!), awaiting: withoutOldest(args) };
    }),
    forgetPending: assign({ pending: [] }),
    emptyBin: assign({ permits: 0 }),
    renew: assign(({ event }) => ({ scale: (event as NewTerms).scale, permits: 0, pending: [], awaiting: {} })),
  },
  guards: {
    isForOwnBin: (args) => args.context.level === levelOf(args) + 1,
    answersOwnBin: (args) => {
      const level = levelOf(args);
      return level === args.context.level && linksAt(args.context, level)[0] === args.context.id;
    },
    canServe: ({ context: { pending, permits, scale, level } }) => pending.length > 0 && permits >= requestSize(scale, level!),
    needsRefill: ({ context }) => {
      const { pending, permits, scale, level, id } = context;
      if (pending.length === 0) return false;
      const outstanding = linksAt(context, level!).filter((link) => link === id).length;
      return pending.length * requestSize(scale, level!) > permits + outstanding * capacity(scale, level!);
    },
    isQuiet: ({ context: { pending, awaiting } }) =>
      pending.length === 0 && Object.values(awaiting).every((links) => links.length === 0),
    isAlive: ({ context, event }) => (event.type === 'epoch' ? event.alive : context.alive),
  },
}).createMachine({
  id: 'pipelined',
  context: ({ input }) => ({ ...input, permits: 0, pending: [], awaiting: {} }),
  initial: 'starting',
  on: {
    return: { actions: passOn },
    settle: { guard: 'isQuiet', actions: [handIn, 'emptyBin'] },
    sever: { actions: [handIn, 'emptyBin'] },
    epoch: [
      { guard: 'isAlive', target: '.stocked', actions: 'renew' },
      { target: '.exhausted', actions: 'renew' },
    ],
  },
  states: {
    starting: { always: [{ guard: 'isAlive', target: 'stocked' }, { target: 'exhausted' }] },
    stocked: {
      always: [
        { guard: 'canServe', actions: [...toPending('permit'), 'serveOne'] },
        { guard: 'needsRefill', actions: [send(ownRefill), 'followOwn'] },
      ],
      on: {
        request: [{ guard: 'isForOwnBin', actions: 'enqueue' }, { actions: ['follow', send(relayed)] }],
        permit: [{ guard: 'answersOwnBin', actions: 'refill' }, { actions: [...pass, 'settleOne'] }],
        reject: [
          { guard: 'answersOwnBin', target: 'exhausted', actions: ['settleOne', ...toPending('reject'), 'forgetPending'] },
          { actions: [...pass, 'settleOne'] },
        ],
        defer: [
          { guard: 'answersOwnBin', target: 'dry', actions: ['settleOne', ...toPending('defer'), 'forgetPending'] },
          { actions: [...pass, 'settleOne'] },
        ],
      },
    },
    exhausted: spent('reject'),
    dry: spent('defer'),
  },
});

function withLinks({ awaiting }: PipelinedContext, level: number, links: readonly NodeId[]) {
  const { [level]: _, ...others } = awaiting;
  return links.length === 0 ? others : { ...others, [level]: links };
}

function withoutOldest(args: In) {
  const level = levelOf(args);
  return withLinks(args.context, level, linksAt(args.context, level).slice(1));
}

function withoutSender({ from: _, ...reply }: Received<Reply>): Reply {
  return reply;
}
