/** Mutants that violate properties of single steps: true notifications, no repeated rejected requests, and correct results of a change. */
import { expect, test } from 'vitest';
import { brokenByMutant } from '../mutants.fixtures.js';
import { controller } from './index.js';

const takes = (node: string, times: number) => Array.from({ length: times }, (_, i) => ({ at: 20 * i, node, do: 'take' }));

const growing = {
  protocol: 'controller',
  topology: { kind: 'path', n: 3 },
  options: { kind: 'main', M: 3, W: 1, parents: { n0: 'n0', n1: 'n0' } },
  events: [
    { at: 0, node: 'n1', do: 'child' },
    { at: 10, node: 'n2', do: 'leave' },
    ...takes('n1', 5),
    { at: 15, node: 'n0', do: 'leave' },
    { at: 110, do: 'cut', link: ['n0', 'n1'] },
  ],
};
const bank = {
  protocol: 'controller',
  topology: { kind: 'path', n: 3 },
  options: { kind: 'bank', M: 1 },
  events: [
    { at: 0, node: 'n1', do: 'withdraw' },
    { at: 9, node: 'n2', do: 'deposit', amount: 2 },
  ],
};
const twig = {
  protocol: 'controller',
  topology: { nodes: ['n0', 'n1', 'n2', 'n3'], links: ['n0 n1', 'n1 n2', 'n1 n3'].map((link) => link.split(' ')) },
  options: { kind: 'basic', M: 1 },
  events: [...takes('n1', 2), ...takes('n2', 2), ...takes('n3', 2)],
};

/** Names, until a change; and joins, after the resource was exhausted. */
const named = {
  protocol: 'controller',
  topology: { kind: 'path', n: 3 },
  options: { kind: 'names' },
  events: [{ at: 0, node: 'n2', do: 'name' }, ...Array.from({ length: 9 }, () => ({ at: 20, node: 'n0', do: 'name' }))],
};
const ended = {
  protocol: 'controller',
  topology: { kind: 'path', n: 3 },
  options: { kind: 'main', M: 0, parents: { n0: 'n0' } },
  events: [{ at: 0, node: 'n0', do: 'take' }, ...[1, 2, 3].map((at) => ({ at, node: 'n0', do: 'child' }))],
};

const NOTIFIED = 'answers are notified';
const REFUSED = 'refusals keep to their bins';
const FOUND = 'a change finds the true counts';

test.each([
  ['request', 'drop action refilling.open: permit, action 2', growing, NOTIFIED],
  ['request', 'drop action refilling.open: permit, action 3', growing, NOTIFIED],
  ['request', 'drop action refilling: reject, action 1', growing, NOTIFIED],
  ['main', 'drop action running: joined, action 2', growing, NOTIFIED],
  ['main', 'drop action leaving: settled, action 4', growing, NOTIFIED],
  ['main', 'drop action running: depart #2, action 1', growing, NOTIFIED],
  ['main', 'drop action severing: settled, action 3', growing, NOTIFIED],
  ['root', 'drop action rejecting: request #2, action 3', growing, NOTIFIED],
  ['deposits', 'drop action (root): deposit, action 1', bank, NOTIFIED],
  ['deposits', 'drop action (root): deposit, action 2', bank, NOTIFIED],
  ['delivery', 'retarget stocked.refilling: reject, to stocked', twig, REFUSED],
  ['delivery', 'retarget stocked.refilling: reject, to dry', twig, REFUSED],
  ['main', 'drop action settling: settled #2, action 1', named, FOUND],
  ['main', 'drop action settling: settled, action 1', named, FOUND],
  ['main', 'swap actions settling: settled #2, actions 1 and 2', named, FOUND],
  ['root', 'drop transition signaled: settle', ended, FOUND],
])('%s: %s', (chart, edit, scenario, name) => {
  expect(brokenByMutant(controller, scenario, chart, edit)).toContain(name);
});

test.each([growing, bank, twig, named, ended])('the charts themselves break nothing', (scenario) => {
  expect(brokenByMutant(controller, scenario)).toEqual([]);
});
