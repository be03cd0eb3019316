/**
 * The numbers of local mutual exclusion.
 *
 * They measure the cost of a request with and without contention, the probability to win a trial, the results of the printed rules under
 * random schedules, and the savings of the deferral rule. Expected figures are exact if the schedule fixes them. If they are means over
 * random schedules of an independent implementation, these tables average other schedules, with a tolerance.
 */
import { uniqueMaximum } from '../../../machines/exclusion/ports.js';
import { Random } from '../../../network/random.js';
import type { TableCell, Experiment, Plot, Table } from '../experiment.js';
import { createTopology } from '../../../network/topology/index.js';
import { mean } from '../election/figures.js';
import { acyclicTable } from './acyclic.js';
import { persistentFigure } from './figures.js';
import { lemma51, semiSynchronous, type ActivatedShare } from './rounds.js';
import { runLocking, type LockRequest, type LockingOutcome } from './run.js';
import { recoveryTable } from '../recovery.js';
import { exclusion } from '../../../machines/exclusion/index.js';

const TOPOLOGIES: Readonly<Record<string, unknown>> = {
  'star, 16 leaves': { kind: 'star', n: 17 },
  'ring of 64': { kind: 'ring', n: 64 },
  'grid 8 × 8': { kind: 'grid', rows: 8, columns: 8 },
  'geometric, 50 nodes': { kind: 'geometric', n: 50, radius: 0.2, seed: 1 },
  'complete, 8 nodes': { kind: 'complete', n: 8 },
};
const JITTER = { min: 1, max: 9 };
/** Time limit of a run that counts as finished, in ticks. */
const PATIENCE = 4000;

const ROUNDS_SEEDS = [1, 2, 3, 4, 5];

/** Every node requests once, while one link is cut and restored. */
function roundsTable(): Table {
  const systems = [
    { label: 'ring of 16', topology: { kind: 'ring', n: 16 }, n: 16 },
    { label: 'complete, 6 nodes', topology: { kind: 'complete', n: 6 }, n: 6 },
    { label: 'grid 4 × 4', topology: { kind: 'grid', rows: 4, columns: 4 }, n: 16 },
  ];
  const rows = systems.map(({ label, topology, n }) => {
    const { nodes, links } = createTopology(topology);
    const [u, v] = links[0]!;
    const changes = [['cut', u, v] as const, ['join', u, v] as const];
    const callsOf = (seed: number) => ({ topology, askers: nodes.slice(0, n), changes, seed });
    const runs = (activation: ActivatedShare) => ROUNDS_SEEDS.map((seed) => semiSynchronous(callsOf(seed), activation));
    const cells = (['all', 'half', 'one'] as const).flatMap((activation): TableCell[] => {
      const found = runs(activation);
      return [
        { value: found.filter(({ isFinished }) => isFinished).length, expected: ROUNDS_SEEDS.length },
        { value: round1(mean(found.map(({ rounds }) => rounds))) },
      ];
    });
    const same = ROUNDS_SEEDS.filter((seed) => lemma51(callsOf(seed)).isSame).length;
    return row(label, [...cells, { value: same, expected: ROUNDS_SEEDS.length }]);
  });
  return {
    title: `Semi-synchronous schedules: all nodes ask, a link is cut and joined; ${ROUNDS_SEEDS.length} runs each`,
    columns: [
      '',
      'all active: finished',
      'rounds',
      'half active: finished',
      'rounds',
      'one active: finished',
      'rounds',
      'Lemma 5.1: same outcomes',
    ],
    rows,
    note: 'Theorem 4.1 by itself, under the scheduler that it is proved for. Lemma 5.1: a schedule of single executions at any time, sorted into rounds as in its proof and run again, the executions of a round in the opposite order: each node does the same.',
  };
}

export const exclusionExperiment: Experiment = {
  name: 'exclusion',
  title: 'Local mutual exclusion: cost, chances, and a deadlock in print',
  paper:
    'Daymude, Richa, Scheideler: Local Mutual Exclusion for Dynamic, Anonymous, Bounded Memory Message Passing Systems (SAND 2022)',
  *run(progress) {
    yield aloneTable();
    yield chanceTable();
    yield boundTable();
    yield acyclicTable();
    progress(0.1);
    yield printedTable(20);
    progress(0.3);
    yield deferredTable(20);
    progress(0.5);
    const crowd = crowds();
    yield crowdTable(crowd);
    progress(0.8);
    yield churnTable();
    yield roundsTable();
    yield recoveryTable(exclusion);
    yield crowdPlot(crowd);
    yield persistentFigure();
    progress(1);
  },
};

const row = (label: string, cells: readonly TableCell[]) => ({ label, cells });
const seeds = (runs: number): number[] => Array.from({ length: runs }, (_, i) => i + 1);
const isFinished = ({ locks, asked }: LockingOutcome): boolean => locks.length === asked;
const round1 = (value: number): number => Math.round(10 * value) / 10;
const perRequest = (runs: readonly LockingOutcome[], of: (outcome: LockingOutcome) => number): TableCell => ({
  value: round1(mean(runs.map((outcome) => of(outcome) / outcome.asked))),
});

/** The cost of a request without contention, with messages that take one tick. */
export function aloneTable(): Table {
  const rows = [1, 2, 4, 8, 16].map((degree) => {
    const { locks, edgeMessages, at } = runLocking({
      topology: { kind: 'star', n: degree + 1 },
      options: { hold: 3 },
      askers: ['n0'],
    });
    const [{ requestedAt, lockedAt, unlockedAt }] = locks as [LockingOutcome['locks'][number]];
    return row(`Δ = ${degree}`, [
      { value: edgeMessages, expected: 8 * degree },
      { value: lockedAt - requestedAt, expected: 6 },
      { value: at - unlockedAt!, expected: 2 },
    ]);
  });
  return { title: 'A single request', columns: ['', 'edge messages', 'rounds to lock', 'rounds to idle'], rows };
}

/** Probability that a given one of c + 1 contestants has the strictly largest of K priorities. */
export const chanceToWin = (K: number, c: number): number =>
  Array.from({ length: K }, (_, p) => (p / K) ** c).reduce((sum, term) => sum + term, 0) / K;

const DRAWS = 40_000;

export function measuredChance(K: number, c: number): number {
  const random = new Random(1, `trials ${K} ${c}`);
  let won = 0;
  for (let i = 0; i < DRAWS; i++) {
    if (uniqueMaximum(Array.from({ length: c + 1 }, (_, port) => [port, random.below(K)] as const)) === 0) won++;
  }
  return won / DRAWS;
}

export function chanceTable(): Table {
  const games = [
    { K: 2, c: 1, trials: 4 },
    { K: 2, c: 3, trials: 16 },
    { K: 16, c: 1, trials: 32 / 15 },
    { K: 5, c: 4, trials: 8.83 },
    { K: 17, c: 16, trials: 29.4 },
    { K: 65, c: 64, trials: 112 },
  ];
  const rows = games.map(({ K, c, trials }) => {
    const chance = chanceToWin(K, c);
    const measured = measuredChance(K, c);
    return row(`K = ${K}, ${c} rivals`, [
      { value: measured, expected: chance, check: { within: 0.15 } },
      { value: round1(100 / chance) / 100, expected: trials, check: { within: 0.005 } },
      { value: round1(100 / (chance * (c + 1))) / 100 },
    ]);
  });
  return {
    title: 'Chance to win a trial against synchronized rivals',
    columns: ['', 'measured', 'expected trials', '… per contestant'],
    rows,
    note: 'With K = Δ² + 1 and Δ² rivals the trials per contestant tend to e − 1 = 1.718: a request needs O(Δ²) of them.',
  };
}

/** Lemma 4.11: the bound, against the exact chance when all of a node's Δ² possible rivals compete. */
export function boundTable(): Table {
  const rows = [1, 2, 4, 8].flatMap((degree) =>
    [2, 16, 65].map((K) => {
      const chance = chanceToWin(K, degree ** 2);
      const bound = (1 - 1 / K) ** (2 * degree ** 2) / (2 * degree ** 2);
      return row(`Δ = ${degree}, K = ${K}`, [{ value: chance, expected: bound, check: 'atLeast' }, { value: chance / bound }]);
    }),
  );
  return {
    title: 'Lemma 4.11: chance to win an open trial against Δ² rivals, at least (1 − 1/K)^(2Δ²) / 2Δ²',
    columns: ['', 'exact chance, at least the bound', 'chance / bound'],
    rows,
    note: 'The bound holds. Its proof takes 1/Δ² for the chance of the highest of Δ² + 1 priorities, which is too much for large K.',
  };
}

const races: readonly { readonly name: string; readonly topology: unknown }[] = [
  { name: 'two nodes', topology: { kind: 'path', n: 2 } },
  { name: 'complete, 8 nodes', topology: { kind: 'complete', n: 8 } },
  { name: 'ring of 64', topology: { kind: 'ring', n: 64 } },
  { name: 'grid 8 × 8', topology: { kind: 'grid', rows: 8, columns: 8 } },
];

/** All nodes request at once, with random latencies: share of runs that finish. */
export function printedTable(runs: number): Table {
  const finished = (topology: unknown, rules: string, count: number) =>
    seeds(count).filter((seed) =>
      isFinished(runLocking({ topology, options: { rules }, latency: JITTER, seed, until: PATIENCE })),
    ).length;
  const rows = races.map(({ name, topology }) => {
    const count = name === 'two nodes' ? 2 * runs : Math.ceil(runs / 4);
    const printed = finished(topology, 'printed', count);
    return row(`${name}, ${count} runs`, [
      name === 'two nodes' ? { value: printed, expected: count - 1, check: 'atMost' } : { value: printed, expected: 0 },
      { value: finished(topology, 'corrected', count), expected: count },
    ]);
  });
  return {
    title: 'Runs in which all requests succeeded',
    columns: ['', 'printed rules', 'corrected rules'],
    rows,
    note: 'The printed rules deadlock as soon as two neighbors compete for each other at the wrong moment.',
  };
}

export function deferredTable(runs: number): Table {
  const measure = (rules: string) =>
    seeds(runs).map((seed) => runLocking({ topology: { kind: 'complete', n: 8 }, options: { rules }, seed }));
  const rows = [
    { rules: 'corrected', messages: 170 },
    { rules: 'deferred', messages: 112 },
  ].map(({ rules, messages }) => {
    const outcomes = measure(rules);
    return row(rules, [
      { ...perRequest(outcomes, ({ edgeMessages }) => edgeMessages), expected: messages, check: { within: 0.1 } },
      perRequest(outcomes, ({ trials }) => trials),
      { value: round1(mean(outcomes.map(({ at }) => at))) },
    ]);
  });
  return { title: 'Eight nodes, all linked, all asking', columns: ['', 'edge messages', 'trials', 'rounds'], rows };
}

interface Crowd {
  readonly name: string;
  readonly K: number;
  readonly outcome: LockingOutcome;
}

const crowds = (): Crowd[] =>
  Object.entries(TOPOLOGIES).flatMap(([name, topology]) =>
    [4, 16, 64].map((K) => ({ name, K, outcome: runLocking({ topology, options: { priorities: K } }) })),
  );

const costs = ({ asked, locks, edgeMessages, trials, maxInTransitPerEdge, violated, degree }: LockingOutcome): TableCell[] => [
  { value: degree },
  { value: locks.length, expected: asked },
  { value: round1(trials / asked) },
  { value: round1(edgeMessages / asked) },
  { value: maxInTransitPerEdge, expected: 2, check: 'atMost' },
  { value: violated.join(', ') || 'none', expected: 'none' },
];
const COSTS = ['', 'Δ', 'locks', 'trials per lock', 'messages per lock', 'most on an edge', 'violated'];

const crowdTable = (crowd: readonly Crowd[]): Table => ({
  title: 'All nodes ask at once',
  columns: COSTS,
  rows: crowd.map(({ name, K, outcome }) => row(`${name}, K = ${K}`, costs(outcome))),
});

function churnTable(): Table {
  const rows = Object.entries(TOPOLOGIES).flatMap(([name, topology]) =>
    [0.01, 0.1].map((churn) =>
      row(`${name}, churn ${churn}`, costs(runLocking({ topology, options: {}, churn } satisfies LockRequest))),
    ),
  );
  return {
    title: 'All nodes ask at once while links go up and down',
    columns: COSTS,
    rows,
    note: 'K = 16. A link is cut with the given chance a round, for 200 rounds, and comes back with ten times that chance, at most one half.',
  };
}

const crowdPlot = (crowd: readonly Crowd[]): Plot => ({
  name: 'exclusion-messages',
  title: 'Messages per lock when all nodes ask',
  x: { label: 'K', log: true },
  y: { label: 'edge messages per lock', log: true },
  series: Object.keys(TOPOLOGIES).map((label) => ({
    label,
    points: crowd
      .filter(({ name }) => name === label)
      .map(({ K, outcome }) => [K, outcome.edgeMessages / outcome.asked] as const),
  })),
});
