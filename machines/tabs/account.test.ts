/** What a tab tells of itself and of others: kept by the charts, and broken by each that forgets a word. */
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
  expect(brokenByMutant(tabs, scenario, chart, edit)).toContain('comings and goings are told');
});

test.each([
  ['tab', 'drop transition there: leave'],
  ['tab', 'retarget there: leave, to missed'],
  ['tab', 'retarget there: missed, to away'],
  ['tab', 'drop action there: missed, action 1'],
])('%s: %s', (chart, edit) => {
  const broken = brokenByMutant(tabs, scenario, chart, edit);
  expect(broken).toContain('who leaves or was missed says goodbye and takes part no more');
});

test('the charts themselves break nothing', () => expect(brokenByMutant(tabs, scenario)).toEqual([]));
