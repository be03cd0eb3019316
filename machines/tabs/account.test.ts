/** Notifications of tabs: correct in the charts, and wrong in each mutant that omits one. */
import { expect, test } from 'vitest';
import { brokenByMutant } from '../mutants.fixtures.js';
import { tabs } from './index.js';

const does = (at: number, word: string, node: string) => ({ at, do: word, node });
const scenario = {
  protocol: 'tabs',
  topology: { kind: 'path', n: 2 },
  options: { patience: 1, answer: 1 },
  events: [
    does(0, 'arrive', 'n0'),
    does(0, 'arrive', 'n1'),
    does(60, 'pause', 'n0'),
    does(160, 'resume', 'n0'),
    does(260, 'leave', 'n0'),
  ],
};

test.each([
  ['tab', 'drop action there.present entry, action 1'],
  ['tab', 'drop action missed entry, action 1'],
  ['peer', 'drop action (root) entry, action 1'],
  ['peer', 'drop action gone entry, action 1'],
])('%s: %s', (chart, edit) => {
  expect(brokenByMutant(tabs, scenario, chart, edit)).toContain('arrivals and departures are notified');
});

test.each([
  ['tab', 'drop transition there: leave'],
  ['tab', 'retarget there: leave, to missed'],
  ['tab', 'retarget there: missed, to away'],
  ['tab', 'drop action there: missed, action 1'],
])('%s: %s', (chart, edit) => {
  const broken = brokenByMutant(tabs, scenario, chart, edit);
  expect(broken).toContain('a peer that leaves or was missed announces it and stops');
});

const late = {
  protocol: 'tabs',
  topology: { kind: 'path', n: 2 },
  options: { patience: 3, answer: 2 },
  network: { latency: 6 },
  events: [does(0, 'arrive', 'n0'), does(4, 'arrive', 'n1')],
};
/** A tab arrives while another one participates already. */
const named = { ...late, network: {}, events: [does(0, 'arrive', 'n0'), does(60, 'arrive', 'n1')] };

test.each([
  ['drop guard there.arriving: timer', late],
  ['drop action there.arriving: here #2, action 1', late],
  ['drop action there.arriving: here #2, action 2', late],
  ['drop transition there.arriving: always', named],
])('tab: %s', (edit, json) => {
  expect(brokenByMutant(tabs, json, 'tab', edit)).toContain(
    'an arriving peer participates after meeting all, or if none answers',
  );
  expect(brokenByMutant(tabs, json)).toEqual([]);
});

test('the charts have no violations', () => expect(brokenByMutant(tabs, scenario)).toEqual([]));
