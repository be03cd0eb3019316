/**
 * The request procedure: gives the permits of its node's local bin, and has the bin refilled when it is empty.
 *
 * Paper: Afek, Awerbuch, Plotkin, Saks, "Local Management of a Global Resource in a Communication Network", Figure 3; the freeze of section
 * 5. One chart serves both controllers: under R the application takes the resource, under N it lets a child join or takes a name. Assumes
 * at most one outstanding request: while one is pending, the chart accepts no other.
 *
 * States:
 *
 *   ready            answers at once while the bin lasts
 *   refilling.open   its request is pending
 *   refilling.frozen the same, during a change
 *   frozen           during a change: new requests are held
 *   held             requested during the change, or deferred by it: repeats the request after the change
 *   exhausted        was rejected, or the resource ended with a change: rejects larger requests without a message
 * Invariant: while `ready`, the bin holds less than its capacity.
 *
 * Departures. An amount above one is gathered refill by refill and answered once. The permits gathered by a rejected request stay here,
 * through changes too, for smaller ones. A `settle` during a pending request is answered with `busy`, and with `rested` when the answer has
 * arrived (the paper has no mechanism, E16); under `echo: "premature"` the bin is returned anyway.
 */
import { assign, emit, setup } from 'xstate';
import { chartTypes, effects, type NodeId, tell, withEvent } from '../effects.js';
import { capacity, LOCAL_LEVEL, type Scale } from './bins.js';
import type { RoleView } from '../protocol.js';
import { deliveryRole, MAIN, type Controller, type NewTerms, type Reply, type Settle } from './messages.js';

export interface RequestInput {
  readonly id: NodeId;
  readonly of: Controller;
  readonly scale: Scale;
  readonly alive: boolean;
  readonly echo: 'quiet' | 'premature';
}

type Purpose = 'take' | 'child' | 'name';

interface Wanted {
  readonly purpose: Purpose;
  readonly amount: number;
}

export interface RequestContext extends RequestInput {
  readonly permits: number;
  /** Name of the next permit, if permits are names. */
  readonly first: number | null;
  readonly wanted: Wanted | null;
  /** Permits given to the application so far. */
  readonly issued: number;
  /** Names among them that the application took. */
  readonly names: readonly number[];
  /** True if a request was rejected here. */
  readonly hasRejected: boolean;
}

export type RequestEvent =
  | { type: 'take'; amount: number }
  | { type: 'child' | 'name' | 'freeze' | 'settle' | 'depart' | 'sever' }
  | Reply
  | NewTerms;

export type RequestNotification =
  | { readonly type: 'granted'; readonly amount: number }
  | { readonly type: 'rejected'; readonly amount: number }
  | { readonly type: 'named'; readonly name: number | null }
  | { readonly type: 'permitted' };

type In<E = RequestEvent> = { context: RequestContext; event: E };

const wantedOf = ({ context, event }: In): Wanted => {
  if (event.type === 'take') return { purpose: 'take', amount: event.amount };
  if (event.type === 'child' || event.type === 'name') return { purpose: event.type, amount: 1 };
  return context.wanted!;
};

const ownRequest = ({ context }: In<unknown>) => ({
  role: deliveryRole(context.of),
  message: { type: 'request' as const, of: context.of, level: LOCAL_LEVEL, from: context.id },
});

/** Contents of the bin after the refill. */
const filled = ({ context, event }: In): number =>
  context.permits + (event.type === 'permit' ? capacity(context.scale, LOCAL_LEVEL) : 0);

const firstName = ({ context, event }: In): number | null => (event.type === 'permit' ? event.first : context.first);

const contents = (type: Settle['type'], keepsBin = false) =>
  tell(({ context: { of, permits, names, issued, hasRejected } }: In<unknown>) => ({
    role: deliveryRole(of),
    message: { type, permits: keepsBin ? 0 : permits, issued, keptBack: hasRejected ? permits : null, names },
  }));

/** A join is handled by the node's main role, which knows the tree. */
const permission = (args: In) => ({
  role: wantedOf(args).purpose === 'child' ? MAIN : [],
  message: { type: 'joined' as const, name: firstName(args) },
});

const toMain = (type: 'busy' | 'rested') => tell(() => ({ role: MAIN, message: { type } }));

const grant = [tell(permission), 'announceGrant', 'payOut'] as const;
const refuse = ['announceReject', 'noteReject'] as const;
const askAgain = [withEvent('renew'), tell(ownRequest)] as const;
const handIn = [contents('settle'), 'emptyBin'] as const;

const ask = [
  { guard: 'binSuffices', actions: grant },
  { target: '#refilling', actions: ['want', tell(ownRequest)] },
] as const;

const atChange = [
  { guard: 'isAlive', target: '#refilling', actions: askAgain },
  { target: 'exhausted', actions: refuse },
] as const;

/**
 * Chart of the request procedure: gives the permits of its node's local bin and has the bin refilled (Afek et al., Figure 3).
 *
 * @public
 */
export const requestMachine = setup({
  types: chartTypes<{ context: RequestContext; events: RequestEvent; input: RequestInput; emitted: RequestNotification }>(),
  actions: {
    ...effects(),
    want: assign((args) => ({ wanted: wantedOf(args) })),
    payOut: assign((args) => {
      const { purpose, amount } = wantedOf(args);
      const { issued, names } = args.context;
      const first = firstName(args);
      return {
        permits: filled(args) - amount,
        first: first === null ? null : first + amount,
        wanted: null,
        issued: issued + amount,
        names: purpose === 'name' && first !== null ? [...names, first] : names,
      };
    }),
    gather: assign((args) => ({ permits: filled(args) })),
    noteReject: assign({ wanted: null, hasRejected: true }),
    emptyBin: assign({ permits: 0, first: null }),
    renew: assign((_, { scale }: NewTerms) => ({ scale, permits: 0, first: null })),
    announceGrant: emit((args) => notificationOf(wantedOf(args), firstName(args))),
    announceReject: emit((args) => ({ type: 'rejected' as const, amount: wantedOf(args).amount })),
  },
  guards: {
    binSuffices: (args) => filled(args) >= wantedOf(args).amount,
    isAlive: ({ context, event }) => (event.type === 'epoch' ? event.alive : context.alive),
    echoesEarly: ({ context }) => context.echo === 'premature',
  },
}).createMachine({
  id: 'request',
  context: ({ input }) => ({ ...input, permits: 0, first: null, wanted: null, issued: 0, names: [], hasRejected: false }),
  initial: 'starting',
  on: { settle: { actions: handIn }, depart: { actions: handIn }, sever: { actions: [contents('sever'), 'emptyBin'] } },
  states: {
    starting: { always: [{ guard: 'isAlive', target: 'ready' }, { target: 'exhausted' }] },
    ready: { on: { take: ask, child: ask, name: ask, freeze: 'frozen' } },
    refilling: {
      id: 'refilling',
      initial: 'open',
      states: {
        open: {
          on: {
            permit: [
              { guard: 'binSuffices', target: '#request.ready', actions: grant },
              { actions: ['gather', tell(ownRequest)] },
            ],
            freeze: 'frozen',
            settle: { actions: toMain('busy') },
            depart: { actions: toMain('busy') },
          },
        },
        frozen: {
          on: {
            permit: [
              { guard: 'binSuffices', target: '#request.frozen', actions: [...grant, toMain('rested')] },
              { actions: ['gather', tell(ownRequest)] },
            ],
            settle: [{ guard: 'echoesEarly', actions: handIn }, { actions: toMain('busy') }],
          },
        },
      },
      on: {
        reject: { target: 'exhausted', actions: [...refuse, toMain('rested')] },
        defer: { target: 'held', actions: toMain('rested') },
        epoch: atChange,
      },
    },
    frozen: {
      on: {
        take: { target: 'held', actions: 'want' },
        child: { target: 'held', actions: 'want' },
        name: { target: 'held', actions: 'want' },
        epoch: [{ guard: 'isAlive', target: 'ready', actions: withEvent('renew') }, { target: 'exhausted' }],
      },
    },
    held: { on: { epoch: atChange, depart: { actions: toMain('busy') } } },
    exhausted: {
      on: {
        take: [{ guard: 'binSuffices', actions: grant }, { actions: refuse }],
        settle: { actions: contents('settle', true) },
      },
    },
  },
});

/** True if the chart grants this amount at once, without messages: then several takes equal one of their sum. */
export const givesAtOnce = ({ value, context }: Pick<RoleView<RequestContext>, 'value' | 'context'>, amount: number): boolean =>
  (value === 'ready' || value === 'exhausted') && amount <= context.permits;

function notificationOf({ purpose, amount }: Wanted, first: number | null): RequestNotification {
  if (purpose === 'take') return { type: 'granted', amount };
  return purpose === 'name' ? { type: 'named', name: first } : { type: 'permitted' };
}
