/** The longer searches of ends that do not reach each other, and a mutant whose failure needs a longer search. */
import { expect, test } from 'vitest';
import {
  change,
  crash,
  cut,
  cutOneWay,
  join,
  line,
  post,
  searchBetween,
  square,
  type RelayedSearch,
} from './relayed.fixtures.js';
import { wayAfterBeat } from './ways.js';

test.each<[string, number, typeof line, Parameters<typeof searchBetween>[1], RelayedSearch]>([
  ['the link is cut', 2240, line, [cut], {}],
  ['a message, and the link is cut', 18194, line, [cut, post('a', 'c', 1)], {}],
  ['a message, and the link is cut one way', 10507, line, [cutOneWay, post('a', 'c', 1)], {}],
  ['the link is cut and comes back', 7117, line, [cut, join], {}],
  ['the link is cut and the first of two relays crashes', 22978, square, [cut, crash('b')], {}],
  ['they have not met, and the link is cut', 25919, line, [cut], { haveMet: false }],
  ['they have not met, and the link is cut and comes back', 100899, line, [cut, join], { haveMet: false }],
])('%s: %i states', (_, states, links, commands, search) => {
  const found = searchBetween(links, commands, { suspicions: 0, ...search });
  expect(found).toMatchObject({ verdict: 'valid', doomed: 0, states });
});

test('the link is cut and the only relay crashes: 7099 states', () => {
  const found = searchBetween(line, [cut, crash('b')], { patience: 2, canMeet: false });
  expect(found).toMatchObject({ verdict: 'valid', states: 7099 });
});

test('a relay that has crashed is kept: delivery', () => {
  const noteBeat = change((c) => {
    const silence = Math.min(c.silence + 1, c.patience);
    return { silence, ...wayAfterBeat({ ...c, relays: ['b'] }, silence) };
  });
  const found = searchBetween(square, [cut, crash('b'), post('a', 'c', 1)], {
    suspicions: 0,
    changes: { actions: { noteBeat } },
  });
  expect(found).toMatchObject({ verdict: 'invalid', counterexample: { property: 'delivery' } });
});
