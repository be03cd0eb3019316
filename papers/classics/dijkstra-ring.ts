/**
 * A ring of machines that reaches exactly one privilege from any state. The charts of the bottom machine and of any other.
 *
 * Paper: Dijkstra, "Self-stabilizing Systems in Spite of Distributed Control" (CACM 17(11), 1974), the solution with K-state machines.
 * Assumes a central daemon: it lets one privileged machine move, which sees its left neighbor in the same step. That is shared memory, so
 * the ring is one node here with a role for each machine; `left` is updated in the step that changes it. States. privileged: may move, the
 * daemon being the host that fires one armed timer after the other. waiting: may not. Invariant: `left` is the value of the left neighbor.
 */
import { assign, setup } from 'xstate';
import {
  arm,
  disarm,
  effects,
  tell,
  withEvent,
  defineProtocol,
  UsageError,
  type Configuration,
  type Property,
  type RoleView,
} from '../../index.js';
import type { Instance } from '../../machines/protocol.js';
import { integer, refuseUnknown } from '../../machines/checks.js';

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

/** The description of Dijkstra's ring: a number of `machines` with a number of `states`, initially with one privilege, at the bottom. */
type Ring = { readonly machines: number; readonly states: number };
/** The machines with these values, in the order of the ring. */
const ringOf = (values: readonly number[], { options: { states } }: Instance<Ring>) =>
  values.map((value, i): { role: string; chart: string; input: Machine } => ({
    role: `machine ${i}`,
    chart: i === 0 ? 'bottom' : 'other',
    input: { value, left: values.at(i - 1)!, states, right: `machine ${(i + 1) % values.length}` },
  }));
const isPrivileged = (i: number, { value, left }: Machine) => (i === 0) === (value === left);
const privileges = (c: Configuration) =>
  [...c.nodes.values()].flatMap(Object.values<RoleView>).filter(({ value }) => value === 'privileged').length;

const properties = ({ options: { machines } }: Instance<Ring>): readonly Property<Ring>[] => [
  {
    name: 'a machine may move',
    description: 'At least one privilege is present.',
    kind: 'always',
    holds: (c) => privileges(c) >= 1,
  },
  {
    name: 'one privilege stays one',
    description: 'A legitimate state leads only to legitimate states.',
    kind: 'closed',
    holds: (c) => privileges(c) === 1,
  },
  {
    name: 'one privilege comes',
    description: 'Every state leads to a legitimate state.',
    kind: 'converges',
    holds: (c) => privileges(c) === 1,
    within: machines * machines,
  },
];

export const dijkstraRing = defineProtocol<Ring>(
  {
    name: 'dijkstra-ring',
    charts: { bottom, other },
    network: { reach: 'links' },
    options: (raw, { topology: { nodes } }) => {
      refuseUnknown(raw, ['machines', 'states']);
      if (nodes.length > 1)
        throw new UsageError(`The topology has ${nodes.length} nodes. Pass one, which contains all options.machines.`);
      const size = (key: string) => integer(raw, key, { min: 2, fallback: 4 });
      return { machines: size('machines'), states: size('states') };
    },
    roles: (_, instance) => ringOf(new Array<number>(instance.options.machines).fill(0), instance),
    route: () => 'machine 0',
    messages: {},
  },
  {
    properties,
    corruption: {
      node: (_, instance, choose) => {
        const values = Array.from({ length: instance.options.machines }, () => choose(instance.options.states));
        const ring = ringOf(values, instance).map((one, i) => ({
          ...one,
          value: isPrivileged(i, one.input) ? 'privileged' : 'waiting',
        }));
        const roles = ring.map(({ role, chart, value, input }) => [role, { chart, value, context: input }] as const);
        const movable = ring.filter(({ value }) => value === 'privileged');
        return { roles: Object.fromEntries(roles), timers: movable.map(({ role }) => ({ role, timer: 'move', delay: 1 })) };
      },
      channel: () => [],
    },
    atRest: () => false,
  },
  {
    paper: 'Dijkstra: Self-stabilizing Systems in Spite of Distributed Control (CACM 17(11), 1974)',
    overlay: (node) => ({
      badge: Object.values(node)
        .map(({ value, context }) => (value === 'privileged' ? `[${context.value}]` : context.value))
        .join(' '),
    }),
  },
);
