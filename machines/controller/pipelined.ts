/**
 * The delivery process that never waits: any number of its requests may be pending.
 *
 * Paper: Afek, Awerbuch, Plotkin, Saks, Remark 4.4.6, which leaves out the details; spec section 6. Assumes FIFO links. A reply contains
 * the level of its bin, which is enough to find its link: requests of one level that cross a node have the same supervisor, and answers
 * keep their order. With flat bins this process only relays, so the naive controller and per-node bins run on it too.
 *
 * States: `stocked` may be refilled; `exhausted` had a refill rejected, `dry` deferred until the next change. Invariants: in `stocked`,
 * pending requests need more than the bin holds, and the pending refills cover them.
 *
 * Departures. A process that is rejected during pending refills sends `rested` when each is answered, so that a change can wait for them.
 */
import { assign, setup } from 'xstate';
import { chartTypes, effects, type NodeId, type Received, send, tell, withEvent } from '../effects.js';
import { capacity, requestSize } from './bins.js';
import { handIn, passOn, type DeliveryInput } from './delivery.js';
import {
  answer,
  MAIN,
  type ControllerMessage,
  type NewTerms,
  type Reply,
  type Request,
  type Return,
  type Settle,
} from './messages.js';

export interface PipelinedContext extends DeliveryInput {
  readonly permits: number;
  /** Links with unserved requests for this bin. */
  readonly pending: readonly NodeId[];
  /** For each level, the links that its replies go to, oldest first. The node itself represents its own global bin. */
  readonly awaiting: Readonly<Record<string, readonly NodeId[]>>;
}

export type PipelinedEvent = Received<Request> | Received<Reply> | Return | Settle | NewTerms;

type In<E = unknown> = { context: PipelinedContext; event: E };

const linksAt = ({ awaiting }: PipelinedContext, level: number): readonly NodeId[] => awaiting[level] ?? [];

const relayed = ({ context: { parent, of }, event }: In<Request>) => ({
  to: parent,
  message: { type: 'request' as const, of, level: event.level },
});

const ownRefill = ({ context: { parent, of, level } }: In) => ({
  to: parent,
  message: { type: 'request' as const, of, level: level! },
});

/** The reply goes to the link that has waited longest for one of its level. */
const pass = answer(({ context, event }: In<Received<Reply>>) => ({
  links: linksAt(context, event.level).slice(0, 1),
  message: withoutSender(event),
}));

const toPending = (type: Reply['type']) =>
  answer(({ context: { of, level, pending } }: In) => {
    const size = level! - 1;
    return type === 'permit'
      ? { links: pending.slice(0, 1), message: { type, of, level: size, first: null } }
      : { links: pending, message: { type, of, level: size } };
  });

const refuse = (type: 'reject' | 'defer') =>
  answer(({ context: { of, level }, event }: In<Received<Request>>) => ({
    links: [event.from],
    message: { type, of, level: level! - 1 },
  }));

const rested = tell(() => ({ role: MAIN, message: { type: 'rested' } }));

/** A bin that makes no further requests: refills in flight still arrive. */
const spent = (refusal: 'reject' | 'defer') => ({
  on: {
    request: [
      { guard: withEvent('isForOwnBin'), actions: refuse(refusal) },
      { actions: [withEvent('follow'), send(relayed)] as const },
    ],
    permit: [
      { guard: withEvent('answersOwnBin'), actions: [withEvent('refill'), rested] as const },
      { actions: [...pass, withEvent('settleOne')] as const },
    ],
    reject: [
      { guard: withEvent('answersOwnBin'), actions: [withEvent('settleOne'), rested] as const },
      { actions: [...pass, withEvent('settleOne')] as const },
    ],
    defer: [
      { guard: withEvent('answersOwnBin'), actions: [withEvent('settleOne'), rested] as const },
      { actions: [...pass, withEvent('settleOne')] as const },
    ],
  },
});

/**
 * Chart of the delivery process that never waits: any number of its requests may be pending (Afek et al., Remark 4.4.6).
 *
 * @public
 */
export const pipelinedMachine = setup({
  types: chartTypes<{ context: PipelinedContext; events: PipelinedEvent; input: DeliveryInput }>(),
  actions: {
    ...effects<ControllerMessage>(),
    follow: assign(({ context }, { level, from }: Received<Request>) => ({
      awaiting: withLinks(context, level, [...linksAt(context, level), from]),
    })),
    settleOne: assign(({ context }, { level }: Reply) => ({ awaiting: withoutOldest(context, level) })),
    enqueue: assign(({ context }, { from }: Received<Request>) => ({ pending: [...context.pending, from] })),
    serveOne: assign(({ context: { permits, pending, scale, level } }) => ({
      permits: permits - requestSize(scale, level!),
      pending: pending.slice(1),
    })),
    followOwn: assign(({ context }) => {
      const level = context.level!;
      return { awaiting: withLinks(context, level, [...linksAt(context, level), context.id]) };
    }),
    refill: assign(({ context }, { level }: Reply) => ({
      permits: context.permits + capacity(context.scale, context.level!),
      awaiting: withoutOldest(context, level),
    })),
    forgetPending: assign({ pending: [] }),
    emptyBin: assign({ permits: 0 }),
    renew: assign((_, { scale }: NewTerms) => ({ scale, permits: 0, pending: [], awaiting: {} })),
  },
  guards: {
    isForOwnBin: ({ context }, { level }: Request) => context.level === level + 1,
    answersOwnBin: ({ context }, { level }: Reply) => level === context.level && linksAt(context, level)[0] === context.id,
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
      { guard: 'isAlive', target: '.stocked', actions: withEvent('renew') },
      { target: '.exhausted', actions: withEvent('renew') },
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
        request: [
          { guard: withEvent('isForOwnBin'), actions: withEvent('enqueue') },
          { actions: [withEvent('follow'), send(relayed)] },
        ],
        permit: [
          { guard: withEvent('answersOwnBin'), actions: withEvent('refill') },
          { actions: [...pass, withEvent('settleOne')] },
        ],
        reject: [
          {
            guard: withEvent('answersOwnBin'),
            target: 'exhausted',
            actions: [withEvent('settleOne'), ...toPending('reject'), 'forgetPending'],
          },
          { actions: [...pass, withEvent('settleOne')] },
        ],
        defer: [
          {
            guard: withEvent('answersOwnBin'),
            target: 'dry',
            actions: [withEvent('settleOne'), ...toPending('defer'), 'forgetPending'],
          },
          { actions: [...pass, withEvent('settleOne')] },
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

const withoutOldest = (context: PipelinedContext, level: number) => withLinks(context, level, linksAt(context, level).slice(1));

function withoutSender({ from: _, ...reply }: Received<Reply>): Reply {
  return reply;
}
