/** Whole runs under random latencies: every kind, with joins, names, deposits and leaves, all properties watched at every step. */
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { controller } from './index.js';

type Json = Record<string, unknown>;

function run(options: Json, over: Json, host: 'actors' | 'snapshots' = 'snapshots') {
  const scenario = parseScenario(
    {
      protocol: 'controller',
      topology: { kind: 'tree', n: 7 },
      network: { latency: { min: 1, max: 9 } },
      options: { root: 'n0', ...options },
      ...over,
    },
    { controller },
  );
  const simulation = new Simulation(scenario, { host });
  const violations: string[] = [];
  simulation.monitor.violations$.subscribe(({ property, index }) => violations.push(`${property} at step ${index}`));
  const report = simulation.run();
  return { report, violations, summary: report.summary as Record<string, any> };
}

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((total, count) => total + count, 0);

const seeds = [1, 2, 3];

/** `count` commands at random-looking nodes and times, the same for the same seed. */
const scattered = (seed: number, count: number, word: (i: number) => Json): Json[] =>
  Array.from({ length: count }, (_, i) => ({ at: (i * 7 * seed) % 97, node: `n${(i * i * seed + i) % 7}`, ...word(i) }));

const takes = { workload: { command: 'take', concurrent: 5, requests: 130 } };

describe.each([
  [{ kind: 'naive', M: 100 }],
  [{ kind: 'bins', M: 100, W: 40 }],
  [{ kind: 'basic', M: 100, W: 50 }],
  [{ kind: 'basic', M: 500, W: 400 }],
  [{ kind: 'basic', M: 100, W: 50, pipelined: true }],
  [{ kind: 'main', M: 100, W: 30 }],
  [{ kind: 'main', M: 100, W: 30, pipelined: true }],
  [{ kind: 'modified', M: 100, W: 0 }],
  [{ kind: 'modified', M: 100, W: 5, pipelined: true }],
  [{ kind: 'names', M: 100, W: 20 }],
  [{ kind: 'adaptive', M: 100, W: 0 }],
])('takes under %j', (options) => {
  test.each(seeds)('seed %i: all requests are answered, at most M granted, M - W if one is rejected', (seed) => {
    const grows = ['main', 'modified', 'names'].includes(options.kind);
    const events = grows ? scattered(seed, 12, () => ({ do: 'child' })) : [];
    const { violations, report, summary } = run(options, { ...takes, seed, events });
    expect(violations).toEqual([]);
    expect(report.verdict).toBe('valid');
    const granted = sum(summary['granted']);
    expect(granted).toBeLessThanOrEqual(options.M);
    if (options.M < 130) expect(granted + sum(summary['rejected'])).toBe(130);
    if (summary['exhausted']) expect(granted).toBeGreaterThanOrEqual(options.M - ((options as { W?: number }).W ?? 0));
  });
});

describe('growth', () => {
  test.each(seeds)('seed %i: names stay unique and below 4n while the tree grows from 3 to 40 nodes', (seed) => {
    const topology = {
      nodes: ['n0', 'n1', 'n2'],
      links: [
        ['n0', 'n1', 1],
        ['n1', 'n2', 1],
      ],
    };
    const events = Array.from({ length: 40 }, (_, i) => ({
      at: i * seed,
      node: `n${(i * seed) % 3}`,
      do: i % 4 === 0 ? 'name' : 'child',
    }));
    const { violations, summary } = run({ kind: 'names' }, { topology, events, seed });
    expect(violations).toEqual([]);
    const names = Object.values(summary['names'] as Record<string, number[]>).flat();
    expect(names).toHaveLength(43);
    expect(Math.max(...names)).toBeLessThan(4 * 43);
  });

  test.each(seeds)('seed %i: leaves that leave hand everything back, and may come again', (seed) => {
    const events = [
      ...scattered(seed, 30, (i) => ({ do: i % 3 === 0 ? 'child' : 'take' })),
      ...[3, 4, 5, 6].map((node) => ({ at: 40 + node * seed, node: `n${node}`, do: 'leave' })),
      ...scattered(seed + 1, 60, () => ({ do: 'take' })).map((event) => ({ ...event, at: 200 + (event['at'] as number) })),
    ];
    for (const kind of ['main', 'modified'] as const) {
      const { violations } = run({ kind, M: 60, W: 3 }, { events, seed });
      expect(violations).toEqual([]);
    }
  });
});

describe('bank', () => {
  test.each(seeds)('seed %i: never overdrawn; a request still waiting at the end is below W', (seed) => {
    const events = [
      ...scattered(seed, 40, (i) => ({ do: 'deposit', amount: 1 + (i % 5) })),
      ...scattered(seed + 2, 30, (i) => ({ do: 'withdraw', amount: 1 + (i % 3) })),
      ...scattered(seed + 3, 9, () => ({ do: 'child' })),
    ];
    for (const pipelined of [false, true]) {
      const { violations, summary } = run({ kind: 'bank', W: 40, pipelined }, { events, seed });
      expect(violations).toEqual([]);
      expect(summary['balance']).toBeGreaterThanOrEqual(0);
    }
  });
});

test('both hosts take the same steps', () => {
  for (const kind of ['basic', 'main', 'modified', 'names'] as const) {
    const over = { ...takes, events: kind === 'basic' ? [] : scattered(1, 12, () => ({ do: 'child' })) };
    const [actors, snapshots] = (['actors', 'snapshots'] as const).map((host) => run({ kind, M: 60, W: 9 }, over, host).report);
    expect(actors).toEqual(snapshots);
  }
});

test('a deposit without participants is rejected, and a later one is taken', () => {
  const topology = { kind: 'path', n: 2 };
  const deposit = (at: number) => ({ at, node: 'n1', do: 'deposit', amount: 2 });
  const events = [deposit(0), { at: 5, node: 'n0', do: 'child' }, deposit(9)];
  const options = { kind: 'bank', parents: { n0: 'n0' } };
  const scenario = parseScenario({ protocol: 'controller', topology, options, events }, { controller });
  const simulation = new Simulation(scenario, { host: 'snapshots' });
  const notified: string[] = [];
  simulation.network.refused$.subscribe(({ node, event, why }) => notified.push(`${node} ${event.type}: ${why}`));
  const { verdict, summary } = simulation.run();
  expect(notified).toEqual(['n1 deposit: its role "D" is not open']);
  expect([verdict, summary]).toMatchObject(['valid', { balance: 2 }]);
});
