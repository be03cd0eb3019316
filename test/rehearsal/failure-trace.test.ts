/** A failure as the inspector reads it: lanes, tenures, faults, severed ways and what was found. */
import { expect, test } from 'vitest';
import { Moment } from '../../inspector/model/moment.js';
import { ReadTrace } from '../../inspector/model/recording.js';
import { layOut } from '../../inspector/model/spacetime.js';
import { verdictOf } from '../../inspector/model/verdict.js';
import { sentence } from '../../inspector/model/words.js';
import type { RehearsalFailure } from './report.js';
import { traceOfFailure } from './failure-trace.js';
import { quietScenario } from './quiet.fixture.js';
import type { RehearsalEvent } from './world.js';

const fault = (what: string, who: string, other = 'p1') => ({ what, who, other, atMs: 0, lastsMs: 0, size: 0 });
const happened = (at: number, type: string, rest: object): RehearsalEvent => ({ at, type, ...rest });
const wants = { peer: 'p0', lock: 'x', ask: '1.1' };

const failure: RehearsalFailure = {
  rehearsal: 1,
  judge: 'alone',
  description: '"x" was granted to p1 while p0 was inside',
  atMs: 850,
  seed: 7,
  scenario: { ...quietScenario, seed: 7, seconds: 1, services: ['hub'] },
  story: [
    happened(0, 'start', { peer: 'p0', life: 1 }),
    happened(10, 'ask', wants),
    happened(20, 'settle', { ...wants, how: 'granted' }),
    happened(20, 'grant', { ...wants, fence: 5 }),
    happened(100, 'fault', { fault: fault('cut', 'p0') }),
    happened(200, 'fault', { fault: fault('part', 'p0') }),
    happened(300, 'healed', { fault: fault('cut', 'p0') }),
    happened(400, 'release', { peer: 'p0', lock: 'x', fence: 5 }),
    happened(500, 'healed', { fault: fault('part', 'p0') }),
    happened(550, 'ask', { peer: 'p0', lock: 'y', ask: '1.2' }),
    happened(560, 'settle', { peer: 'p0', lock: 'y', ask: '1.2', how: 'not available' }),
    happened(600, 'ask', { peer: 'p0', lock: 'z', ask: '1.3' }),
    happened(610, 'fault', { fault: fault('pause', 'p0') }),
    happened(700, 'healed', { fault: fault('pause', 'p0') }),
    happened(800, 'uncaught', { peer: 'p0', error: 'Error: no' }),
    happened(800, 'end', { peer: 'p0', isHostGone: false }),
    happened(850.4, 'start', { peer: 'p0', life: 2 }),
  ],
  log: [],
};

const recording = new ReadTrace();
for (const line of traceOfFailure(JSON.parse(JSON.stringify(failure)))) recording.push(`${JSON.stringify(line)}\n`);
recording.close();
const at = (ms: number) => new Moment(recording, recording.lastLineAt(ms));
const node = (id: string) => recording.nodes.find(id);
const rolesAt = (ms: number) =>
  at(ms)
    .roles(node('p0'))
    .map(({ role, view }) => `${role}: ${String(view.value)}`);

test('each process is a node, services first, and nothing is wrong with the trace', () => {
  expect(recording.problem).toBeNull();
  for (let line = 1; line < recording.end; line++) expect(recording.at(line)).toBeGreaterThanOrEqual(recording.at(line - 1));
  expect(recording.nodes.names).toEqual(['hub', 'p0', 'p1']);
});

test('a process and its requests for locks go through their charts', () => {
  expect(rolesAt(15)).toEqual(['process: up', 'x 1.1: waiting']);
  expect(rolesAt(50)).toEqual(['process: up', 'x 1.1: inside']);
  expect(rolesAt(450)).toEqual(['process: up']);
  expect(rolesAt(555)).toEqual(['process: up', 'y 1.2: waiting']);
  expect(rolesAt(565)).toEqual(['process: up']);
  expect(rolesAt(650)).toEqual(['process: paused', 'z 1.3: waiting']);
  expect(rolesAt(750)).toEqual(['process: up', 'z 1.3: waiting']);
  expect(rolesAt(820)).toEqual(['process: down']);
  expect(rolesAt(860)).toEqual(['process: up']);
  expect([at(820).runs(node('p0')), at(860).runs(node('p0'))]).toEqual([false, true]);
});

test('holding a lock and being down are marked on the lane', () => {
  const { stretches } = layOut(recording, 'time', { from: 0, to: 1_000 }, (number) => number);
  expect(stretches).toEqual([
    { lane: node('p0'), kind: 'held', from: 20, to: 400 },
    { lane: node('p0'), kind: 'down', from: 800, to: 850.4 },
  ]);
  expect(at(50).overlay(node('p0'))).toEqual({ tone: 'held', badge: 'x' });
  // Between two lines, and up to the edge.
  const within = layOut(recording, 'time', { from: 220, to: 250 }, (number) => number).stretches;
  expect(within).toEqual([{ lane: node('p0'), kind: 'held', from: 200, to: 250 }]);
});

test('a path that two faults sever is open once both are over', () => {
  const through = (ms: number, from: string, to: string) => at(ms).channelUp(node(from), node(to));
  expect([150, 350, 550].map((ms) => through(ms, 'p0', 'p1'))).toEqual([false, false, true]);
  expect([150, 350, 550].map((ms) => through(ms, 'hub', 'p0'))).toEqual([false, true, true]);
});

test('faults and the violation are described', () => {
  const reported = Array.from({ length: recording.end }, (_, line) => sentence(recording.line(line)));
  expect(reported).toContain('p0 ask lock=x ask=1.1');
  expect(reported).toContain('p0 fault part who=p0 other=p1 size=0');
  expect(reported).toContain('p0 fault uncaught error=Error: no');
  expect(verdictOf(recording)).toMatchObject({
    verdict: 'invalid',
    violated: [{ property: 'alone', description: failure.description, line: recording.end - 2 }],
  });
});

test('a value that is not a failure of this version is rejected', () => {
  expect(() => [...traceOfFailure({ ...failure, rehearsal: 2 })]).toThrow('The failure has version 2');
});
