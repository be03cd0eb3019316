/** Notifications and posted messages: correct in the chart, and wrong in each mutant that omits or adds one. */
import { expect, test } from 'vitest';
import { brokenByMutant } from '../mutants.fixtures.js';
import { link } from './index.js';

const scenario = {
  protocol: 'link',
  topology: { kind: 'path', n: 2 },
  options: { window: 2, room: 4, patience: 2, beat: 10 },
  events: [
    ...[0, 0, 30, 31, 32, 33, 33, 33, 33, 33, 33, 33].map((at, body) => ({ at, node: 'n0', do: 'post', peer: 'n1', body })),
    { at: 80, node: 'n1', do: 'restart', peer: 'n0' },
    { at: 200, node: 'n0', do: 'leave', peer: 'n1' },
  ],
};

test.each([
  ['ups and downs are notified', 'drop action seeking: frame #3, action 2'],
  ['ups and downs are notified', 'drop action up exit, action 1'],
  ['deliveries are notified', 'drop action up: frame #7, action 1'],
  ['deliveries are notified', 'drop transition up: frame #7'],
  ['deliveries are notified', 'drop guard up: frame #7'],
  ['a posted message is kept or reported as lost', 'drop action seeking: post, action 1'],
  ['a posted message is kept or reported as lost', 'drop transition up: post'],
  ['a posted message is kept or reported as lost', 'retarget up: post #2, to stay'],
])('%s: %s', (name, edit) => {
  expect(brokenByMutant(link, scenario, 'link', edit)).toContain(name);
});

test('the chart itself has no violations', () => expect(brokenByMutant(link, scenario)).toEqual([]));
