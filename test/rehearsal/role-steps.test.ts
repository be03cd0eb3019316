/** The steps of the charts of Quiver's nodes in a kept run, and in its trace. */
import { expect, test } from 'vitest';
import { broadcastChannel } from '../../adapters/transports/broadcast-channel.js';
import { linked } from '../../adapters/linked.js';
import { createLocks } from '../../adapters/locks/locks.js';
import { ReadTrace } from '../../inspector/model/recording.js';
import { Moment } from '../../inspector/model/moment.js';
import { isStep, type StepLine, type TraceLine } from '../../network/trace.js';
import type { RehearsalFailure } from './report.js';
import { traceOfFailure } from './failure-trace.js';
import { invariant } from './judges.js';
import type { Main } from './peer.js';
import type { RehearseOptions } from './options.js';
import { rehearse } from './rehearse.js';

/** Asks so often, and then notes that it is done. */
const asking =
  (times: number): Main =>
  async ({ id, peers, note }) => {
    const locks = createLocks({ transport: linked(broadcastChannel({ id, channel: 'all' }), { peers }), peers });
    for (let i = 0; i < times; i++) await locks.request('x', () => {});
    note('done');
  };
const never = invariant('nobody is done', ({ history }) => history.every(({ what }) => what !== 'done'));
const options: RehearseOptions = { peers: 2, runs: 1, seconds: 60, faults: [], shrinkSeconds: 0, judges: [never] };

async function failureOf(times: number): Promise<RehearsalFailure> {
  const { failure } = await rehearse(options, asking(times));
  expect(failure).toMatchObject({ judge: 'nobody is done' });
  return JSON.parse(JSON.stringify(failure)) as RehearsalFailure;
}

test('shows roles and messages of processes, without the link layer', async () => {
  const failure = await failureOf(3);
  const [header, ...lines] = [...traceOfFailure(failure)] as [{ charts: object; nodes: string[] }, ...TraceLine[]];
  expect(header.nodes).toEqual(['p0', 'p1']);
  expect(Object.keys(header.charts)).toEqual(expect.arrayContaining(['process', 'request', 'locks epochs', 'locks lock']));
  expect(Object.keys(header.charts).filter((chart) => chart.startsWith('link'))).toEqual([]);
  const steps = lines.filter((line): line is StepLine => isStep(line));
  const sent = new Map(steps.flatMap((step) => step.sent.map((one) => [one.id, { ...one, from: step.node, clock: step.clock }])));
  const arrived = steps.filter(({ kind }) => kind === 'deliver');
  expect(arrived.length).toBeGreaterThan(10);
  for (const { node, message, event, clock } of arrived) {
    const flight = sent.get(message!)!;
    expect(flight).toMatchObject({ to: node, message: { type: event.type } });
    expect(clock[flight.from]).toBeGreaterThanOrEqual(flight.clock[flight.from]!);
  }
  expect(steps.some(({ taken = [] }) => taken.some(([role]) => role === 'locks epochs'))).toBe(true);

  const recording = new ReadTrace();
  for (const line of [header, ...lines]) recording.push(`${JSON.stringify(line)}\n`);
  recording.close();
  expect(recording.problem).toBeNull();
  const last = new Moment(recording, recording.end - 1);
  const roles = last.roles(recording.nodes.find('p0')).map(({ role }) => role);
  expect(roles).toEqual(expect.arrayContaining(['process', 'locks epochs', 'locks election']));
});

test('keeps the last thousand steps, and the roles before them', async () => {
  const { roles } = await failureOf(400);
  const { steps } = roles!;
  expect(steps.filter(({ event }) => event.type !== 'stands')).toHaveLength(1_000);
  const stands = steps.filter(({ event }) => event.type === 'stands');
  expect(stands.map(({ peer, name }) => `${peer} ${name}`).sort()).toEqual(['p0 locks', 'p1 locks']);
  for (const { roles } of stands) expect(Object.keys(roles)).toEqual(expect.arrayContaining(['epochs', 'election']));
});

test('a replayed failure contains the same steps', async () => {
  const failure = await failureOf(3);
  const again = await rehearse({ ...options, replay: failure }, asking(3));
  expect(again.failure).toEqual(failure);
});

test('messages to a process that ends are lost, and those its connection skipped', () => {
  const step = (peer: string, at: number, more: object) => ({
    at,
    peer,
    name: 'locks',
    place: 1,
    event: { type: 'x' },
    sent: [],
    roles: {},
    taken: [],
    refused: [],
    ...more,
  });
  const message = (number: number) => ({ to: 'p1', message: { type: 'x', number }, number });
  const failure = {
    rehearsal: 1,
    judge: 'a judge',
    description: 'no',
    atMs: 9,
    seed: 1,
    scenario: { seed: 1, seconds: 1, peers: ['p0', 'p1'], services: [], clients: [], startsMs: [0, 0], skewsMs: [0, 0] },
    story: [
      { at: 0, type: 'start', peer: 'p1', life: 1 },
      { at: 8, type: 'end', peer: 'p1', isHostGone: true },
    ],
    log: [],
    roles: {
      charts: {},
      steps: [
        step('p0', 1, { sent: [message(0), message(1), message(2), message(3)] }),
        step('p1', 2, { from: 'p0', number: 2, event: { type: 'x', from: 'p0' } }),
      ],
    },
  };
  const rest = { latencyMs: [1, 2], distances: [], faults: [], knobs: {}, limits: 'shipped' };
  const lines = [...traceOfFailure({ ...failure, scenario: { ...failure.scenario, ...rest } })].slice(1) as TraceLine[];
  const lost = lines.flatMap((line) => (line.kind === 'lost' ? [`${line.message} ${line.why}`] : []));
  expect(lost).toEqual(['1 it did not arrive', '3 its receiver has ended']);
});
