/** Random charts, for differential tests. */
import fc from 'fast-check';
import { emit, setup } from 'xstate';
import { arm, disarm, draw, effects, send } from '../../machines/effects.js';
import type { ToyInput } from './toys.fixtures.js';

/** The transition of a random chart for a state and an event. The numbers are indices of peers, states and timers. */
interface Rule {
  readonly target: number | null;
  readonly sends: readonly (readonly [peer: number, message: number])[];
  readonly arms: number | null;
  readonly disarms: number | null;
  readonly draws: boolean;
  readonly announces: boolean;
}

const STATES = 3;
const EVENTS = ['m0', 'm1', 'go', 'timer', 'link.up', 'link.down', 'drawn', 'react'];

const anyRule: fc.Arbitrary<Rule> = fc.record({
  target: fc.option(fc.nat(STATES - 1)),
  sends: fc.array(fc.tuple(fc.nat(2), fc.nat(1)), { maxLength: 1 }),
  arms: fc.option(fc.nat(1), { freq: 3 }),
  disarms: fc.option(fc.nat(1), { freq: 1 }),
  draws: fc.boolean(),
  announces: fc.boolean(),
});

export const anyTable = fc.array(
  fc.array(fc.option(anyRule, { freq: 2 }), { minLength: EVENTS.length, maxLength: EVENTS.length }),
  {
    minLength: STATES,
    maxLength: STATES,
  },
);

export function chartOf(table: readonly (readonly (Rule | null)[])[]) {
  type In = { context: ToyInput };
  const inner = ['drawn', 'react'];
  const actionsOf = ({ sends, arms, disarms, draws, announces }: Rule, event: string): any[] => [
    ...sends.map(([peer, message]) =>
      send(({ context }: In) => ({ to: context.peers[peer % context.peers.length]!, message: { type: `m${message}` } })),
    ),
    ...(arms === null ? [] : [arm(() => ({ timer: `t${arms}`, delay: 1 }))]),
    ...(disarms === null ? [] : [disarm(() => ({ timer: `t${disarms}` }))]),
    // A step must terminate: neither a draw nor a reaction leads to another one.
    ...(draws && !inner.includes(event) ? [draw(() => ({ bound: 2 }))] : []),
    ...(announces && !inner.includes(event) ? ['announce'] : []),
  ];
  const on = (rules: readonly (Rule | null)[]) =>
    Object.fromEntries(
      rules.flatMap((rule, i) => {
        const event = EVENTS[i]!;
        if (!rule) return [];
        const target = rule.target === null ? {} : { target: `s${rule.target}` };
        const half = { guard: 'isOne', target: 's0', actions: [] };
        return [
          [
            event,
            event === 'drawn'
              ? [half, { ...target, actions: actionsOf(rule, event) }]
              : { ...target, actions: actionsOf(rule, event) },
          ],
        ];
      }),
    );
  return setup({
    types: { context: {} as ToyInput, input: {} as ToyInput, emitted: {} as { type: 'did' } },
    actions: { ...effects(), announce: emit({ type: 'did' }) },
    guards: { isOne: ({ event }: any) => event.value === 1 },
  }).createMachine({
    id: 'random',
    context: ({ input }: { input: ToyInput }) => input,
    initial: 's0',
    states: Object.fromEntries(table.map((rules, i) => [`s${i}`, { on: on(rules) }])) as any,
  } as any);
}
