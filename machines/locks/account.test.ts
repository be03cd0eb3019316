/** The account of a run detects notifications that differ from the actual holds. */
import { expect, test } from 'vitest';
import { assign } from 'xstate';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { clientLockMachine } from './client-lock.js';
import { locks } from './index.js';
import { lockMachine } from './lock.js';
import { CLIENT_LOCK, LOCK } from './messages.js';

const NOTIFIED = 'each holder was notified, and each notified node holds the lock';

/** A client loses its lock because patience ends; a voter has it before and after. */
const scenario = {
  protocol: 'locks',
  topology: { kind: 'path', n: 2 },
  options: { hold: 200, clients: ['n1'], patience: 20 },
  events: [
    { at: 0, node: 'n0', do: 'request' },
    { at: 210, node: 'n1', do: 'request' },
    { at: 230, do: 'cut', link: ['n0', 'n1'] },
    { at: 240, node: 'n0', do: 'request' },
    { at: 700, do: 'join', link: ['n0', 'n1'] },
  ],
};
const silent = assign({});

function brokenWith(chart: string, machine: unknown): readonly string[] {
  const protocol = { ...locks, charts: { ...locks.charts, [chart]: machine as never } };
  const report = new Simulation(parseScenario(scenario, { locks: protocol }), { host: 'snapshots' }).run();
  expect(report.summary).toMatchObject({ grants: expect.any(Array) });
  return report.properties.filter(({ holds }) => holds === false).map(({ name }) => name);
}

test('every grant, release and loss is announced', () => {
  expect(brokenWith(LOCK, lockMachine)).toEqual([]);
});

test.each(['announceGrant', 'announceRelease', 'announceLoss'] as const)('%s is left out', (left) => {
  const broken = [
    brokenWith(LOCK, lockMachine.provide({ actions: { [left]: silent } })),
    brokenWith(CLIENT_LOCK, clientLockMachine.provide({ actions: { [left]: silent } })),
  ];
  // A voter without peers loses nothing, and the client releases nothing.
  const isSeen = { announceGrant: [true, true], announceRelease: [true, false], announceLoss: [false, true] }[left];
  expect(broken.map((names) => names.includes(NOTIFIED))).toEqual(isSeen);
});
