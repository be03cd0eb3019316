/**
 * The delivery process of the root: the bin that holds all permits at the start and answers every request at once.
 *
 * Paper: Afek, Awerbuch, Plotkin, Saks, Figure 5; sections 5, 6.1 and 6.3 for the alternatives to rejecting. Spec 3.4.
 *
 * States: the treatment of a request that the bin cannot serve.
 *
 *   rejecting  it is rejected; the first time reports that the resource is exhausted
 *   signaled   it is rejected, and exhaustion has been reported
 *   deferring  it is deferred until the next change, which the node's main role then starts; with `signal: "late"` the last of them
 *              reports that the resource is exhausted, when all given permits have arrived (section 3: by broadcast-and-echo)
 *   parking    it waits, and all later ones behind it, until deposits cover it
 *   ending     it is rejected and the next phase begins: the MODIFIED controller as printed (E12), kept to be refuted
 * Invariant: permits never fall below zero. A reject does not mean that the bin is empty: a later, smaller request may be served (E3).
 */
import { assign, emit, setup } from 'xstate';
import { chartTypes, effects, type NodeId, type Received, tell, withEvent } from '../effects.js';
import { capacity, type Scale } from './bins.js';
import {
  answer,
  MAIN,
  type Controller,
  type ControllerMessage,
  type NewTerms,
  type Reply,
  type Request,
  type Return,
  type Settle,
} from './messages.js';

/** Treatment of a request that the root cannot serve. */
export type Unserved = 'reject' | 'defer' | 'park' | 'end';

export interface RootBudget {
  readonly permits: number;
  /** First of the remaining names, if permits are names. */
  readonly first: number | null;
  readonly unserved: Unserved;
}

type NewBudget = NewTerms & RootBudget;

export interface RootInput extends RootBudget {
  readonly id: NodeId;
  readonly of: Controller;
  readonly scale: Scale;
}

interface Parked {
  readonly level: number;
  readonly link: NodeId;
}

export interface RootContext extends RootInput {
  readonly parked: readonly Parked[];
}

export type RootEvent = Received<Request> | Return | Settle | NewBudget | { type: 'freeze' };

type In<E = RootEvent> = { context: RootContext; event: E };

const asked = ({ context, event }: In): Parked =>
  event.type === 'request' ? { level: event.level, link: event.from } : context.parked[0]!;

/** Size of the oldest parked request. The event that freed the permits does not matter. */
const oldest = ({ context }: In): Parked => context.parked[0]!;

const reply = (type: Reply['type'], to: (args: In) => Parked) =>
  answer((args: In) => {
    const { of, first } = args.context;
    const { level, link } = to(args);
    return { links: [link], message: type === 'permit' ? { type, of, level, first } : { type, of, level } };
  });

const deplete = tell(({ context }: In) => ({ role: MAIN, message: { type: 'depleted' as const, of: context.of } }));

const handIn = (signaled: boolean) =>
  tell(({ context: { of, permits }, event }: In<Settle>) => {
    const { permits: local, issued, keptBack, names } = event;
    const message = { type: 'settled' as const, part: of, permits: permits + local, issued, keptBack, names, signaled };
    return { role: MAIN, message };
  });

const serve = { guard: 'canServe', actions: [...reply('permit', asked), 'payOut'] } as const;
const settle = { actions: [handIn(false), 'emptyBin'] } as const;

/**
 * Chart of the delivery process of the root: keeps the bin that holds all permits at the start, and answers the requests that arrive (Afek
 * et al., Figure 5).
 *
 * @public
 */
export const rootMachine = setup({
  types: chartTypes<{ context: RootContext; events: RootEvent; input: RootInput; emitted: { type: 'exhausted' } }>(),
  actions: {
    ...effects<ControllerMessage>(),
    payOut: assign((args) => paid(args.context, asked(args).level)),
    park: assign((args) => ({ parked: [...args.context.parked, asked(args)] })),
    payOldest: assign((args) => ({ ...paid(args.context, oldest(args).level), parked: args.context.parked.slice(1) })),
    forgetOldest: assign(({ context }) => ({ parked: context.parked.slice(1) })),
    add: assign(({ context }, { permits }: Return) => ({ permits: context.permits + permits })),
    emptyBin: assign({ permits: 0 }),
    renew: assign((_, { scale, permits, first, unserved }: NewBudget) => ({ scale, permits, first, unserved })),
    announceExhausted: emit({ type: 'exhausted' }),
  },
  guards: {
    canServe: (args) => args.context.permits >= capacity(args.context.scale, asked(args).level),
    isFirst: (args) =>
      args.context.parked.length === 0 && args.context.permits >= capacity(args.context.scale, asked(args).level),
    canServeOldest: ({ context: { parked, permits, scale } }) =>
      parked.length > 0 && permits >= capacity(scale, parked[0]!.level),
    hasParked: ({ context }) => context.parked.length > 0,
    isOver: (_, { alive }: NewBudget) => !alive,
    rejects: ({ context }) => context.unserved === 'reject',
    defers: ({ context }) => context.unserved === 'defer',
    parks: ({ context }) => context.unserved === 'park',
  },
}).createMachine({
  id: 'root',
  context: ({ input }) => ({ ...input, parked: [] }),
  initial: 'starting',
  on: { return: { actions: withEvent('add') }, settle, epoch: { target: '.starting', actions: withEvent('renew') } },
  states: {
    starting: {
      always: [
        { guard: 'rejects', target: 'rejecting' },
        { guard: 'defers', target: 'deferring' },
        { guard: 'parks', target: 'parking' },
        { target: 'ending' },
      ],
    },
    rejecting: { on: { request: [serve, { target: 'signaled', actions: [...reply('reject', asked), 'announceExhausted'] }] } },
    signaled: {
      on: {
        request: [serve, { actions: reply('reject', asked) }],
        settle: { actions: [handIn(true), 'emptyBin'] },
        epoch: { actions: withEvent('renew') },
      },
    },
    deferring: {
      always: { guard: 'hasParked', actions: [...reply('defer', oldest), 'forgetOldest'] },
      on: {
        request: [serve, { actions: [...reply('defer', asked), deplete] }],
        epoch: { guard: withEvent('isOver'), target: 'signaled', actions: [withEvent('renew'), 'announceExhausted'] },
      },
    },
    parking: {
      always: { guard: 'canServeOldest', actions: [...reply('permit', oldest), 'payOldest'] },
      on: { request: [{ ...serve, guard: 'isFirst' }, { actions: 'park' }], freeze: 'deferring' },
    },
    ending: { on: { request: [serve, { actions: [...reply('reject', asked), 'announceExhausted', deplete] }] } },
  },
});

function paid({ permits, first, scale }: RootContext, level: number) {
  const size = capacity(scale, level);
  return { permits: permits - size, first: first === null ? null : first + size };
}
