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

/** One tab is reported and lives, and then the other one is reported and has crashed. */
const reported = {
  protocol: 'tabs',
  topology: { kind: 'path', n: 2 },
  options: { patience: 3, answer: 1, reply: 4 },
  events: [
    does(0, 'arrive', 'n0'),
    does(0, 'arrive', 'n1'),
    { ...does(62, 'ended', 'n0'), peer: 'n1' },
    does(81, 'crash', 'n0'),
    { ...does(82, 'ended', 'n1'), peer: 'n0' },
  ],
};

test.each([
  ['tab', 'drop action there: ended, action 1', reported],
  ['peer', 'drop transition (root): ended', reported],
  ['peer', 'drop action reported entry, action 1', reported],
  ['peer', 'retarget reported: timer, to silent', reported],
  ['peer', 'retarget silent: due, to reported', scenario],
  ['peer', 'drop transition (root): bye', { ...scenario, events: [...scenario.events.slice(0, 2), does(60, 'leave', 'n0')] }],
])('%s: %s', (chart, edit, json) => {
  const property = 'a peer is gone after it leaves, or is reported or silent and does not reply';
  expect(brokenByMutant(tabs, json, chart, edit)).toContain(property);
  expect(brokenByMutant(tabs, json)).toEqual([]);
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
/** Two tabs arrive at once, and the browser lists the first one to the second; then the first one leaves, before it has replied. */
const listed = {
  ...late,
  events: [
    does(0, 'arriveListed', 'n0'),
    { ...does(0, 'exists', 'n1'), peer: 'n0' },
    does(0, 'arriveListed', 'n1'),
    does(5, 'leave', 'n0'),
    { ...does(5, 'ended', 'n1'), peer: 'n0' },
  ],
};

test.each([
  ['drop guard there.arriving.waiting: timer', late],
  ['drop action there.arriving.waiting: here #2, action 1', late],
  ['retarget there.arriving.waiting: here #2, to stay', late],
  [
    'retarget there.arriving.waiting: here, to there.arriving.listed',
    { ...late, events: [does(0, 'arrive', 'n0'), does(8, 'arrive', 'n1')] },
  ],
  ['drop transition there.arriving: always', named],
  ['drop action away: exists, action 1', listed],
  ['drop action there.arriving.listed: timer, action 1', listed],
  ['drop transition there: ended #2', listed],
])('tab: %s', (edit, json) => {
  expect(brokenByMutant(tabs, json, 'tab', edit)).toContain(
    'an arriving peer participates after meeting all, or if none answers',
  );
  expect(brokenByMutant(tabs, json)).toEqual([]);
});

test('the charts have no violations', () => expect(brokenByMutant(tabs, scenario)).toEqual([]));
