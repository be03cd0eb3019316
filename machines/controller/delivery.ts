/**
 * The delivery process of a node below the root: keeps its global bin, and passes on what is for bins further up or down.
 *
 * Paper: Afek, Awerbuch, Plotkin, Saks, Figure 4; spec 3.3. It serves one request at a time and sends no second one up before the
 * answer to the first, so a queue holds at most one request a link (Lemma 4.3.1: nothing is stuck forever). Assumes FIFO links.
 *
 * States: how the bin stands (`stocked`: may be refilled; `exhausted`: its refill was rejected; `dry`: deferred until the next
 * change) and within it what the process does:
 *
 *   idle       nothing to do
 *   taking     has taken a request from the queue and decides, within the step
 *   refilling  its own request is out, for the request in hand
 *   relaying   the request in hand was not for this bin and is out, unchanged
 * Invariants: the bin is empty or exactly half full (of capacity one: empty); it is empty whenever it is not `stocked`.
 *
 * Departures. A refusal on its way through leaves a relay's own bin as it is (E8). The pseudocode waits for a message on a link;
 * here what comes meanwhile is queued in every state.
 */
import { assign, setup } from 'xstate';
import { chartTypes, effects, type NodeId, type Received, send, tell, withEvent } from '../effects.js';
import { capacity, requestSize, type Scale } from './bins.js';
import {
  answer,
  MAIN,
  type ControllerMessage,
  type Controller,
  type NewTerms,
  type Permit,
  type Reply,
  type Request,
  type Return,
  type Settle,
} from './messages.js';

export interface DeliveryInput {
  readonly id: NodeId;
  readonly of: Controller;
  readonly parent: NodeId;
  /** Level of the global bin; `null` if bins are flat and this node has none. */
  readonly level: number | null;
  readonly scale: Scale;
  readonly alive: boolean;
}

interface Queued {
  readonly level: number;
  /** The child that it came from, or the node itself. */
  readonly link: NodeId;
}

export interface DeliveryContext extends DeliveryInput {
  readonly permits: number;
  readonly first: number | null;
  readonly queue: readonly Queued[];
  readonly current: Queued | null;
}

export type DeliveryEvent = Received<Request> | Reply | Return | Settle | NewTerms;

type In<E = unknown> = { context: DeliveryContext; event: E };

const upward = (level: number, { of, parent }: DeliveryContext) => ({
  to: parent,
  message: { type: 'request' as const, of, level },
});

const relayed = ({ context }: In) => upward(context.current!.level, context);
const ownRefill = ({ context }: In) => upward(context.level!, context);

const down = <E>(type: Reply['type'], first: (args: In<E>) => number | null = () => null) =>
  answer((args: In<E>) => {
    const { of, current } = args.context;
    const { level, link } = current!;
    const message = type === 'permit' ? { type, of, level, first: first(args) } : { type, of, level };
    return { links: [link], message };
  });

const firstOf = ({ event }: In<Permit>): number | null => event.first;

const givePermit = down('permit', ({ context }) => context.first);
const passPermit = down('permit', firstOf);

/** State shared by the waiting and the pipelined delivery process. */
interface Bin {
  readonly of: Controller;
  readonly parent: NodeId;
  readonly permits: number;
}

/** Permits of a leaf that left travel to the root: every delivery process forwards them. */
export const passOn = send(({ context: { of, parent }, event }: { context: Bin; event: Return }) => ({
  to: parent,
  message: { type: 'return' as const, of, permits: event.permits },
}));

/** At a change, or without a way to the root: adds its permits to those of the request procedure, and returns them. */
export const handIn = tell(({ context: { of, permits }, event }: { context: Bin; event: Settle }) => {
  const { permits: local, issued, keptBack, names } = event;
  return {
    role: MAIN,
    message: { type: 'settled' as const, part: of, permits: permits + local, issued, keptBack, names, signaled: false },
  };
});

const takeNext = { guard: 'hasQueued', target: 'taking', actions: 'takeNext' } as const;

const relaying = (idle: string) => ({
  on: {
    permit: { target: idle, actions: passPermit },
    reject: { target: idle, actions: down('reject') },
    defer: { target: idle, actions: down('defer') },
  },
});

/** A bin that will not be refilled: rejects its own requests, and continues to forward others. */
const spent = (refusal: 'reject' | 'defer') => ({
  initial: 'idle' as const,
  states: {
    idle: { always: takeNext },
    taking: {
      always: [
        { guard: 'isForOthers' as const, target: 'relaying', actions: send(relayed) },
        { target: 'idle', actions: down(refusal) },
      ],
    },
    relaying: relaying('idle'),
  },
});

/**
 * Chart of the delivery process of a node below the root: keeps its global bin and forwards other messages (Afek et al., Figure 4).
 *
 * @public
 */
export const deliveryMachine = setup({
  types: chartTypes<{ context: DeliveryContext; events: DeliveryEvent; input: DeliveryInput }>(),
  actions: {
    ...effects<ControllerMessage>(),
    enqueue: assign(({ context }, { level, from }: Received<Request>) => ({ queue: [...context.queue, { level, link: from }] })),
    takeNext: assign(({ context }) => ({ current: context.queue[0]!, queue: context.queue.slice(1) })),
    payOut: assign(({ context: { permits, first, scale, level } }) => {
      const size = requestSize(scale, level!);
      return { permits: permits - size, first: first === null ? null : first + size };
    }),
    refill: assign(({ context }, { first }: Permit) => ({ permits: capacity(context.scale, context.level!), first })),
    emptyBin: assign({ permits: 0, first: null }),
    renew: assign((_, { scale }: NewTerms) => ({ scale, permits: 0, first: null, queue: [], current: null })),
  },
  guards: {
    hasQueued: ({ context }) => context.queue.length > 0,
    isForOthers: ({ context }) => context.level !== context.current!.level + 1,
    hasPermits: ({ context }) => context.permits > 0,
    isAlive: ({ context, event }) => (event.type === 'epoch' ? event.alive : context.alive),
  },
}).createMachine({
  id: 'delivery',
  context: ({ input }) => ({ ...input, permits: 0, first: null, queue: [], current: null }),
  initial: 'starting',
  on: {
    request: { actions: withEvent('enqueue') },
    return: { actions: passOn },
    settle: { actions: [handIn, 'emptyBin'] },
    sever: { actions: [handIn, 'emptyBin'] },
    epoch: [
      { guard: 'isAlive', target: '.stocked', actions: withEvent('renew') },
      { target: '.exhausted', actions: withEvent('renew') },
    ],
  },
  states: {
    starting: { always: [{ guard: 'isAlive', target: 'stocked' }, { target: 'exhausted' }] },
    stocked: {
      initial: 'idle',
      states: {
        idle: { always: takeNext },
        taking: {
          always: [
            { guard: 'isForOthers', target: 'relaying', actions: send(relayed) },
            { guard: 'hasPermits', target: 'idle', actions: [...givePermit, 'payOut'] },
            { target: 'refilling', actions: send(ownRefill) },
          ],
        },
        refilling: {
          on: {
            permit: { target: 'idle', actions: [withEvent('refill'), ...givePermit, 'payOut'] },
            reject: { target: '#delivery.exhausted', actions: down('reject') },
            defer: { target: '#delivery.dry', actions: down('defer') },
          },
        },
        relaying: relaying('idle'),
      },
    },
    exhausted: spent('reject'),
    dry: spent('defer'),
  },
});
