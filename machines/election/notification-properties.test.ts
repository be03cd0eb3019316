/** Notifications of a node match its changes: true for the chart, violated by each mutant that omits or adds one. */
import { expect, test } from 'vitest';
import { brokenByMutant } from '../mutants.fixtures.js';
import { election } from './index.js';
import { fan } from './promises.fixtures.js';

const scenario = {
  protocol: 'election',
  topology: { kind: 'ring', n: 6 },
  options: { radii: [1] },
  events: [
    ...['n1', 'n5'].map((peer, i) => ({ at: 1 + i, do: 'cut', link: ['n0', peer] })),
    { at: 60, do: 'join', link: ['n0', 'n1'] },
    ...['n2', 'n4'].map((peer, i) => ({ at: 120 + i, do: 'cut', link: ['n3', peer] })),
    { at: 180, do: 'join', link: ['n3', 'n4'] },
  ],
};
const NAME = 'leaders and districts are notified';

test.each([
  ['election', 'drop action deciding: always #2, action 2'],
  ['election', 'drop action deciding: always #4, action 2'],
  ['level', 'drop action weighing: always #2, action 3'],
  ['level', 'drop action weighing: always #4, action 3'],
  ['level', 'reorder choices weighing: always #4, before #3'],
])('%s: %s', (chart, edit) => {
  expect(brokenByMutant(election, scenario, chart, edit)).toContain(NAME);
});

const apart = {
  protocol: 'election',
  topology: { kind: 'path', n: 3 },
  options: { leader: 'n2' },
  events: [
    { at: 1, do: 'down', channel: ['n0', 'n1'] },
    { at: 20, do: 'cut', link: ['n1', 'n2'] },
  ],
};
const office = { ...apart, options: { leader: 'n2', skipIfLeader: true } };
/** The leader is lost, and several searches reach a searching node. */
const lost = {
  protocol: 'election',
  topology: fan,
  events: [
    { at: 1, do: 'cut', link: ['l', 'p'] },
    { at: 2, do: 'cut', link: ['l', 'y'] },
  ],
};
const SEARCHES = 'searches follow the heights of the neighbors';
const CONCERNED = 'heights are sent to the right neighbors';

test.each([
  ['election', 'drop transition deciding: always #5', { ...scenario, options: { hello: false } }, CONCERNED],
  ['election', 'retarget (root): link.up, to updating.all', { ...scenario, options: {} }, CONCERNED],
  ['election', 'negate guard deciding: always #10', lost, SEARCHES],
  ['election', 'drop guard deciding: always #10', lost, SEARCHES],
  ['election', 'negate guard deciding: always #9', lost, SEARCHES],
  ['election', 'drop action (root): update, action 1', apart, 'clocks are causal'],
  ['election', 'drop transition deciding: always', office, 'a leader without neighbors stays in office'],
  ['level', 'drop transition starting: always #2', scenario, 'D2: no node without a leader'],
])('%s: %s', (chart, edit, json, name) => {
  expect(brokenByMutant(election, json, chart, edit)).toContain(name);
  expect(brokenByMutant(election, json)).toEqual([]);
});

test('the charts themselves break nothing', () => expect(brokenByMutant(election, scenario)).toEqual([]));
