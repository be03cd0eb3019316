/** One edge from every corrupt state, exhaustively: the promises hold, the printed definition fails, and so does each mutant. */
import { assign } from 'xstate';
import { describe, expect, test } from 'vitest';
import { explore } from '../../test/explore/explore.js';
import { anywhere, variant } from './checked.fixtures.js';

const edge = anywhere({ a: 'a', b: 'a' });

describe('one edge in an arbitrary environment, up to two initial messages per direction', () => {
  test('full legality is closed and reached from every state', () => {
    const { verdict, states, transitions, vacuous, counterexample } = explore(variant({ messages: 2 }), edge);
    expect(counterexample?.property).toBe(undefined);
    expect({ verdict, states, transitions, vacuous }).toMatchInlineSnapshot(`
      {
        "states": 35296,
        "transitions": 152120,
        "vacuous": [],
        "verdict": "valid",
      }
    `);
  });

  test('S5: Definition 6.1 as printed is not closed; the timer alone breaks it', () => {
    const { verdict, counterexample } = explore(variant({ messages: 2 }), {
      ...edge,
      options: { ...edge.options, legality: 'printed' },
    });
    expect({ verdict, property: counterexample?.property }).toEqual({ verdict: 'invalid', property: 'fully legal is closed' });
    expect(counterexample!.choices).toEqual([{ timer: ['a', 'guardian:b', 'observe'] }]);
  });
});

describe('mutants of the rules violate properties', () => {
  const none = assign({});
  test.each([
    ['F1 drops on an estimate of one', { guardian: { guards: { estimatesExcess: ({ context }: any) => context.est > 0 } } }],
    ['F1 never drops', { guardian: { guards: { estimatesExcess: () => false } } }],
    ['F2 and F4 are not counted', { guardian: { actions: { countSent: none } } }],
    ['O4 never injects', { guardian: { guards: { findsNone: () => false } } }],
    ['O4 does not turn the pointer', { pointer: { guards: { isOneOfTooMany: () => false } } }],
    [
      'O1 keeps what was sent before',
      { guardian: { actions: { beginObservation: assign({ est: 0, timely: true }), endObservation: none } } },
    ],
  ])('%s', (_, mutant) => {
    const { verdict, counterexample } = explore(variant({ ...mutant, messages: 2 }), edge);
    expect(verdict).toBe('invalid');
    expect(['fully legal is closed', 'every edge becomes fully legal']).toContain(counterexample!.property);
  });
});
