/**
 * A ring of machines that reaches exactly one privilege from any state. The charts of the bottom machine and of any other.
 *
 * Paper: Dijkstra, "Self-stabilizing Systems in Spite of Distributed Control" (CACM 17(11), 1974), the solution with K-state machines.
 * Assumes a central daemon: it lets one privileged machine move, which sees its left neighbor in the same step. That is shared memory, so
 * the ring is one node here with a role for each machine; `left` is updated in the step that changes it. States. privileged: may move, the
 * daemon being the host that fires one armed timer after the other. waiting: may not. Invariant: `left` is the value of the left neighbor.
 */
import { assign, setup } from 'xstate';
import { arm, disarm, effects, tell, withEvent } from '../../index.js';

export interface Machine {
  /** S in the paper. */
  readonly value: number;
  /** L in the paper. */
  readonly left: number;
  /** K in the paper. */
  readonly states: number;
  /** The role of the right neighbor. */
  readonly right: string;
}
type Left = { readonly type: 'left'; readonly value: number };
type In = { context: Machine };

const move = () => ({ timer: 'move', delay: 1 });
const toRight = ({ context: { right, value } }: In) => ({ role: right, message: { type: 'left' as const, value } });

const machine = setup({
  types: {} as { context: Machine; input: Machine; events: Left | { type: 'timer'; timer: string } },
  actions: {
    ...effects(),
    receive: assign((_, { value }: Left) => ({ left: value })),
    increment: assign({ value: ({ context: { value, states } }) => (value + 1) % states }),
    copyLeft: assign({ value: ({ context }) => context.left }),
  },
  guards: {
    equalsLeft: ({ context: { value, left } }) => value === left,
    differsFromLeft: ({ context: { value, left } }) => value !== left,
  },
});

/** if L = S then S := S + 1 mod K fi */
export const bottom = machine.createMachine({
  id: 'bottom machine',
  context: ({ input }) => input,
  initial: 'waiting',
  on: { left: { actions: withEvent('receive') } },
  states: {
    waiting: { always: { guard: 'equalsLeft', target: 'privileged' } },
    privileged: {
      entry: arm(move),
      exit: disarm(move),
      always: { guard: 'differsFromLeft', target: 'waiting' },
      on: { timer: { actions: ['increment', tell(toRight)] } },
    },
  },
});

/** if L ≠ S then S := L fi */
export const other = machine.createMachine({
  id: 'other machine',
  context: ({ input }) => input,
  initial: 'waiting',
  on: { left: { actions: withEvent('receive') } },
  states: {
    waiting: { always: { guard: 'differsFromLeft', target: 'privileged' } },
    privileged: {
      entry: arm(move),
      exit: disarm(move),
      always: { guard: 'equalsLeft', target: 'waiting' },
      on: { timer: { actions: ['copyLeft', tell(toRight)] } },
    },
  },
});
