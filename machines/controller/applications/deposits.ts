/**
 * A bank's deposit process: the mirror image of the bins. Deposits fill the local bin; a full bin empties into its supervisor.
 *
 * Paper: Afek, Awerbuch, Plotkin, Saks, section 6.3, a sketch; spec section 6. It never waits, so a deposit is never behind a withdrawal
 * that is parked at the root (E20). Both sides of the bank run with half the waste.
 *
 * States:
 *
 *   open    full bins empty themselves
 *   frozen  during a change: deposits stay, and are returned with the bins
 * Invariant: in `open`, every bin holds less than its capacity.
 */
import { assign, emit, setup } from 'xstate';
import { chartTypes, effects, type NodeId, type Received, send, tell, withEvent } from '../../effects.js';
import { capacity, LOCAL_LEVEL, type Scale } from '../bins.js';
import { deliveryRole, DEPOSITS, MAIN, type ControllerMessage, type Deposit, type NewTerms } from '../messages.js';

export interface DepositsInput {
  readonly id: NodeId;
  /** `null` at the root, whose local bin empties into the root bin. */
  readonly parent: NodeId | null;
  /** The level of the global bin; `null` at the root. */
  readonly level: number | null;
  readonly scale: Scale;
}

export interface DepositsContext extends DepositsInput {
  readonly local: number;
  readonly global: number;
  /** Total of all deposits here. */
  readonly deposited: number;
}

interface Amount {
  readonly amount: number;
}

export type DepositsEvent =
  | ({ readonly type: 'deposit' } & Amount)
  | Received<Deposit>
  | NewTerms
  | { type: 'freeze' | 'settle' | 'depart' | 'sever' };

type In<E = unknown> = { context: DepositsContext; event: E };

const passed = ({ event }: In<Deposit>): Deposit => event;

/** The node's own global bin takes the overflow of the level below it; otherwise it goes up. */
const isOwn = (level: number, context: DepositsContext): boolean => context.level === level + 1;

type Load = Pick<Deposit, 'level' | 'permits'>;

const up = <E>(load: (args: In<E>) => Load) =>
  send((args: In<E>) => {
    const { level, permits } = load(args);
    return { to: args.context.parent ?? [], message: { type: 'deposits' as const, level, permits } };
  });

const toRootBin = <E>(load: (args: In<E>) => Load) =>
  tell((args: In<E>) => ({
    role: args.context.parent === null ? deliveryRole('R') : [],
    message: { type: 'return', of: 'R' as const, permits: load(args).permits },
  }));

const fullBin = (level: number, { scale }: DepositsContext): Load => ({ level, permits: capacity(scale, level) });
const localBin = ({ context }: In): Load => fullBin(LOCAL_LEVEL, context);
const globalBin = ({ context }: In): Load => fullBin(context.level!, context);

const contents = tell(({ context: { local, global, deposited } }: In) => ({
  role: MAIN,
  message: {
    type: 'settled',
    part: DEPOSITS,
    permits: local + global,
    issued: 0 - deposited,
    keptBack: null,
    names: [],
    signaled: false,
  },
}));

/**
 * The chart of a bank's deposit process: deposits fill the local bin, and a full bin empties into its supervisor (Afek et al.,
 * section 6.3).
 *
 * @public
 */
export const depositsMachine = setup({
  types: chartTypes<{
    context: DepositsContext;
    events: DepositsEvent;
    input: DepositsInput;
    emitted: { type: 'deposited'; amount: number };
  }>(),
  actions: {
    ...effects<ControllerMessage>(),
    deposit: assign(({ context: { local, deposited } }, { amount }: Amount) => ({
      local: local + amount,
      deposited: deposited + amount,
    })),
    takeIn: assign(({ context }, { permits }: Deposit) => ({ global: context.global + permits })),
    pourOver: assign(({ context }) => {
      const amount = capacity(context.scale, LOCAL_LEVEL);
      return { local: context.local - amount, global: context.global + amount };
    }),
    emptyLocal: assign(({ context }) => ({ local: context.local - capacity(context.scale, LOCAL_LEVEL) })),
    emptyGlobal: assign(({ context }) => ({ global: context.global - capacity(context.scale, context.level!) })),
    emptyBins: assign({ local: 0, global: 0 }),
    renew: assign((_, { scale }: NewTerms) => ({ scale })),
    acknowledge: emit((_, { amount }: Amount) => ({ type: 'deposited' as const, amount })),
  },
  guards: {
    globalIsFull: ({ context: { level, global, scale } }) => level !== null && global >= capacity(scale, level),
    localIsFull: ({ context: { local, scale } }) => local >= capacity(scale, LOCAL_LEVEL),
    localPoursOver: ({ context }) => context.local >= capacity(context.scale, LOCAL_LEVEL) && isOwn(LOCAL_LEVEL, context),
    isForOwnBin: ({ context }, { level }: Deposit) => isOwn(level, context),
  },
}).createMachine({
  id: 'deposits',
  context: ({ input }) => ({ ...input, local: 0, global: 0, deposited: 0 }),
  initial: 'open',
  on: {
    deposit: { actions: [withEvent('deposit'), withEvent('acknowledge')] },
    settle: { actions: [contents, 'emptyBins'] },
    depart: { actions: [contents, 'emptyBins'] },
    sever: { actions: [contents, 'emptyBins'] },
  },
  states: {
    open: {
      always: [
        { guard: 'globalIsFull', actions: [up(globalBin), 'emptyGlobal'] },
        { guard: 'localPoursOver', actions: 'pourOver' },
        { guard: 'localIsFull', actions: [up(localBin), toRootBin(localBin), 'emptyLocal'] },
      ],
      on: {
        deposits: [
          { guard: withEvent('isForOwnBin'), actions: withEvent('takeIn') },
          { actions: [up(passed), toRootBin(passed)] },
        ],
        freeze: 'frozen',
      },
    },
    frozen: { on: { deposits: { actions: withEvent('takeIn') }, epoch: { target: 'open', actions: withEvent('renew') } } },
  },
});
