/**
 * The self-stabilizing queue's numbers: the time to stabilize from arbitrary states, in round trips R, against the bound of 3R + tau.
 *
 * The expected figures are of 200 seeds and another generator of states. Means are compared within 5 percent, and maxima only with the
 * bound, since a maximum over fewer runs is smaller.
 */
import type { Experiment, Table } from '../experiment.js';
import { queue } from '../../../machines/queue/index.js';
import { recoveryTable } from '../recovery.js';
import { applicationsTable, interleavingsTable } from './applications.js';
import { edgeFigure, queueFigures } from './figures.js';
import { legalTable } from './legal.js';
import { rivalTable } from './rival.js';
import { fixedTree, layered, messagesAtRest, untilObserved, spanningShapes, type SpanningShape } from './run.js';

const SEEDS = 10;

/** Means of 200 seeds: under random delays, and when every message takes R/2. */
const MEANS: Readonly<Partial<Record<SpanningShape, Readonly<Record<number, readonly [number, number]>>>>> = {
  binary: { 15: [3.248, 4.079], 63: [3.652, 4.469], 255: [3.918, 4.683] },
  path: { 15: [3.276, 4.081], 63: [3.64, 4.469], 255: [3.876, 4.669] },
};

export const queuePaper: Experiment = {
  name: 'queue',
  title: 'Self-stabilizing queue: time to stabilize against 3R + tau',
  paper: 'Tirthapura, Herlihy: Self-Stabilizing Distributed Queuing (IEEE TPDS 2006)',
  *run(progress) {
    yield* queueTables(progress, SEEDS);
    yield rivalTable();
    yield legalTable();
    yield interleavingsTable();
    yield applicationsTable();
    yield recoveryTable(queue);
    yield queueFigures();
    yield edgeFigure();
  },
};

export function* queueTables(progress: (share: number) => void, seeds: number): Iterable<Table> {
  yield treesTable((share) => progress(0.7 * share), seeds);
  yield tauTable(seeds);
  progress(0.8);
  yield observationTable(seeds);
  progress(0.85);
  yield layeredTable(seeds);
  progress(1);
}

function treesTable(progress: (share: number) => void, seeds: number): Table {
  const sizes = [15, 63, 255];
  const rows = spanningShapes.flatMap((shape, i) =>
    sizes.map((n, j) => {
      const expected = MEANS[shape]?.[n];
      const cells = (['random', 'longest'] as const).flatMap((delay, k) => {
        const { max, mean } = fixedTree(shape, n, delay, 2, seeds);
        return [
          { value: round(max), expected: 5, check: 'atMost' as const },
          { value: round(mean), ...(expected ? { expected: expected[k]!, check: { within: 0.05 } } : {}) },
        ];
      });
      progress((i * sizes.length + j + 1) / (spanningShapes.length * sizes.length));
      return { label: `${shape}, n = ${n}`, cells };
    }),
  );
  return {
    title: `tau = 2R: until the slowest edge is fully legal for good, in R, ${seeds} seeds`,
    columns: ['', 'random delays: max', 'mean', 'all delays R/2: max', 'mean'],
    rows,
    note: 'A larger tree waits for the slowest of more edges, and so the mean grows; the bound of 5 does not.',
  };
}

function tauTable(seeds: number): Table {
  const rows = [2, 3, 4, 6].map((tau) => {
    const { max, mean } = fixedTree('binary', 63, 'longest', tau, seeds);
    return {
      label: `tau = ${tau}R`,
      cells: [
        { value: round(max), expected: 3 + tau, check: 'atMost' as const },
        { value: round(mean) },
        { value: messagesAtRest('binary', 63, tau), expected: 2 / tau },
      ],
    };
  });
  return {
    title: `Binary tree of 63 nodes, all delays R/2: a longer period costs time and saves messages, ${seeds} seeds`,
    columns: ['', 'max', 'mean', 'messages on an edge in R, at rest'],
    rows,
    note: 'Corollary 6.8: an edge carries one observer and its return for each period.',
  };
}

/** The time until every edge has been observed without disturbance. */
function observationTable(seeds: number): Table {
  const rows = (['binary', 'path'] as const).flatMap((shape) =>
    [2, 3, 4].map((tau) => {
      const cells = (['random', 'longest'] as const).flatMap((delay) => {
        const { max, mean } = untilObserved(shape, 15, delay, tau, seeds);
        return [{ value: round(max), expected: 1 + tau, check: 'atMost' as const }, { value: round(mean) }];
      });
      return { label: `${shape}, n = 15, tau = ${tau}R`, cells };
    }),
  );
  return {
    title: `Lemma 6.4 by itself: until P1 has held on every edge, in R, ${seeds} seeds`,
    columns: ['', 'random delays: max', 'mean', 'all delays R/2: max', 'mean'],
    rows,
    note: 'P1: one observer is on the edge, and what its return makes the guardian count is the truth. The bound is R + tau, so 3R for tau = 2R.',
  };
}

function layeredTable(seeds: number): Table {
  const rows = [8, 16, 32].flatMap((n) =>
    [
      { name: 'ring', topology: { kind: 'ring', n } },
      { name: 'random graph', topology: { kind: 'erdos-renyi', n, p: 0.3, seed: n } },
    ].map(({ name, topology }) => ({
      label: `${name}, n = ${n}`,
      cells: [0, 3 * n].map((requests) => ({
        value: round(layered(topology, requests, seeds)),
        expected: 5,
        check: 'atMost' as const,
      })),
    })),
  );
  return {
    title: `On the stabilizing tree, all of it arbitrary: from the last change of the tree until fully legal, in R, ${seeds} seeds`,
    columns: ['', 'without requests: max', 'with requests: max'],
    rows,
    note: 'A guardian of a new child observes at once, so that a tree that has come to rest is followed by a legal queue soon after.',
  };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
