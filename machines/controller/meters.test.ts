/** The meters of a report against the paper's bounds. */
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { controller } from './index.js';

function metersOf(options: object, over: object) {
  const scenario = { protocol: 'controller', topology: { kind: 'path', n: 16 }, options, ...over };
  const { meters } = new Simulation(parseScenario(scenario, { controller }), { host: 'snapshots', watch: false }).run();
  return Object.fromEntries(meters.map(({ name, ...meter }) => [name, meter]));
}

const takes = (requests: number) => ({ workload: { concurrent: 4, requests } });

describe('Lemma 4.4.4, with the constants of its proof', () => {
  test.each([
    { kind: 'naive', M: 300 },
    { kind: 'bins', M: 2000, W: 1000 },
    { kind: 'basic', M: 300, W: 0 },
    { kind: 'basic', M: 4000, W: 4000 },
    { kind: 'basic', M: 4000, W: 4000, pipelined: true },
  ])('%j', (options) => {
    const { messages } = metersOf(options, takes(options.M + 50));
    expect(messages!.ratio).toBeGreaterThan(0);
    expect(messages!.ratio).toBeLessThanOrEqual(1);
  });

  test('for a naive run below M, it is the cost of every permit at the deepest node', () => {
    const events = [0, 1, 2].map((at) => ({ at: 100 * at, node: 'n15', do: 'take' }));
    expect(metersOf({ kind: 'naive', M: 3 }, { events })['messages']).toEqual({ measured: 90, bound: 90, ratio: 1 });
  });
});

test.each([
  [{ kind: 'main', M: 400, W: 200 }, takes(400), 'messages, order of Theorem 5.2'],
  [{ kind: 'modified', M: 400, W: 0 }, takes(400), 'messages, order of Lemma 6.1.1'],
  [{ kind: 'names' }, { workload: { command: 'name', concurrent: 4, requests: 60 } }, 'messages, order of Lemma 6.2.1'],
  [{ kind: 'bank', M: 400, W: 200 }, takes(300), 'messages, order of Lemma 6.3.1'],
])('%j has its %s', (options, over, name) => {
  const meter = metersOf(options, over)[name]!;
  expect(meter.measured).toBeGreaterThan(0);
  expect(meter.ratio).toBeLessThan(10);
});

test('shares of the load: without a message, and at the root', () => {
  const { 'answered without a message': local, 'messages at the root': atRoot } = metersOf(
    { kind: 'bins', M: 320, W: 160 },
    { events: [0, 1, 2, 3].map((at) => ({ at: 40 * at, node: 'n1', do: 'take' })) },
  );
  expect([local!.measured, atRoot!.measured]).toEqual([0.75, 1]);
});

test('names: the cost of one, and the largest one', () => {
  const meters = metersOf({ kind: 'names' }, { workload: { command: 'name', concurrent: 4, requests: 60 } });
  expect(meters['messages per permit']!.measured).toBe(meters['messages']!.measured / 60);
  expect(meters['largest name']).toMatchObject({ bound: 4 * 76 });
  expect(meters['largest name']!.ratio).toBeLessThan(1);
});
