import { expect, test } from 'vitest';
import { protocols } from '../../machines/index.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { Moment } from '../model/moment.js';
import { ReadTrace } from '../model/recording.js';
import { relationTo } from '../model/causality.js';
import { Allowance, Watch } from './watch.js';

test('watching takes no more than its share of time, whatever comes', () => {
  let time = 0;
  let spent = 0;
  const allowance = new Allowance(() => time);
  let isOn = true;
  for (let step = 0; step < 100_000; step++) {
    time += 0.02;
    if (isOn) {
      allowance.spend(0.05);
      time += 0.05;
      spent += 0.05;
      isOn = !allowance.isSpent;
    } else isOn = allowance.isEnough;
  }
  expect(spent).toBeGreaterThan(time / 28);
  expect(spent).toBeLessThan(time / 24 + 26);
});

const SCENARIO = {
  protocol: 'directory',
  topology: { kind: 'ring', n: 12 },
  options: { policy: 'bridge', hold: 3 },
  network: { latency: { min: 1, max: 9 } },
  workload: { concurrent: 6, requests: 400 },
  events: [
    { at: 40, do: 'slow', channel: ['n0', 'n1'], by: 5 },
    { at: 50, node: 'n4', do: 'crash' },
  ],
  until: { at: 200 },
  seed: 5,
};

/** Watches a run by a clock that moves on at every look. */
async function watched(tickMs: number) {
  let time = 0;
  const simulation = new Simulation(parseScenario(SCENARIO, protocols));
  const watch = new Watch(simulation, new Allowance(() => (time += tickMs)));
  simulation.start();
  while (simulation.advance());
  watch.stop();
  const recording = new ReadTrace();
  for await (const piece of watch.trace.text()) recording.push(piece);
  recording.close();
  expect(recording.problem).toBeNull();
  return { recording, simulation };
}

test('the first hundred steps are recorded, however slow the machine is', async () => {
  const { recording } = await watched(1_000);
  expect(recording.gaps[0]).toBeGreaterThan(100);
});

test('a run that is not faster than it can be recorded is recorded whole', async () => {
  const { recording } = await watched(0);
  expect(recording.gaps).toEqual([]);
});

test('after a gap, states, messages in flight, channels and crashed nodes are shown', async () => {
  const { recording, simulation } = await watched(1);
  const { nodes, flights, crashed, links } = simulation.configuration;
  expect(recording.gaps.length).toBeGreaterThan(0);
  const end = new Moment(recording, recording.end - 1);
  for (const [place, name] of recording.nodes.names.entries()) {
    const shown = end.roles(place).map(({ role, view }) => [role, view]);
    expect(Object.fromEntries(shown)).toEqual(nodes.get(name));
    expect(end.runs(place)).toBe(!crashed!.includes(name));
    for (const peer of links.neighbors(name)) expect(end.channelUp(place, recording.nodes.find(peer))).toBe(true);
  }
  expect(end.flights().map(({ id }) => id)).toEqual(flights.map(({ id }) => id).sort((a, b) => a - b));
  const before = recording.messages.get(0);
  expect(relationTo(recording, recording.end - 1)(before.sent)).toBe('before');
});
