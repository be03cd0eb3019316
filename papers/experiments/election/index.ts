/**
 * The election's numbers: the paper's sample run, Updates and ticks of an election, elections avoided by clocks and hello, the cost of the
 * hierarchy.
 *
 * Figures without an expected one are of random networks that differ from those of the reference; the note of their table has its means.
 */
import type { Topology } from '../../../machines/protocol.js';
import type { TableCell, Experiment, Plot, Table } from '../experiment.js';
import { avoidableElections } from './avoidable.js';
import { exact, randomGeometric, mean, near, roundedCell, seeds, someLinks } from './figures.js';
import { fluctuatingFigure, needlessFigure, sampleFigure } from './drawings.js';
import { hybridTable } from './hybrid.js';
import { extremesTable, leanTable, upsetTable } from './hierarchy.js';
import { afterLoss, linksAt, topologyOf, type ElectionCost } from './run.js';
import { sampleTable } from './sample.js';
import { historyTable, priceTable, zeroLevelsTable } from './chapter6.js';
import { recoveryTable } from '../recovery.js';
import { election } from '../../../machines/election/index.js';

export const electionPaper: Experiment = {
  name: 'election',
  title: 'Leader election in dynamic networks, and a hierarchy of leaders',
  paper: 'Tbarka: Hierarchical Leader Election Algorithm With Remoteness Constraint (2019)',
  *run(progress) {
    yield sampleTable();
    yield lineTable();
    yield gridTable();
    progress(0.1);
    yield randomTable((share) => progress(0.1 + 0.2 * share));
    yield avoidableTable((share) => progress(0.3 + 0.2 * share));
    yield upsetTable((share) => progress(0.5 + 0.4 * share));
    yield leanTable((share) => progress(0.9 + 0.1 * share));
    yield extremesTable();
    yield hybridTable();
    yield historyTable();
    yield zeroLevelsTable();
    yield priceTable();
    yield recoveryTable(election);
    yield costPlot();
    yield sampleFigure();
    yield fluctuatingFigure();
    yield needlessFigure();
    progress(1);
  },
};

const isolate = (topology: Topology): ElectionCost => afterLoss(topology, linksAt('n0', topology));
const lose = (topology: Topology): ElectionCost => afterLoss(topology, [['n0', 'n1']]);

const costs = ({ updates, ticks, elections }: ElectionCost, expected: readonly [number, number, number]): TableCell[] => [
  exact(updates, expected[0]),
  exact(ticks, expected[1]),
  exact(elections, expected[2]),
];

const LINES = [8, 16, 32, 64];

function lineTable(): Table {
  return {
    title: 'Path and ring: the leader loses all its links; one link of the ring is lost',
    columns: ['', 'Updates', 'ticks', 'elections'],
    rows: LINES.flatMap((n) => [
      { label: `path ${n}, leader isolated`, cells: costs(isolate(topologyOf({ kind: 'path', n })), [6 * n - 14, 3 * n - 4, 2]) },
      { label: `ring ${n}, leader isolated`, cells: costs(isolate(topologyOf({ kind: 'ring', n })), [7 * n - 17, 3 * n - 4, 2]) },
      { label: `ring ${n}, one link lost`, cells: costs(lose(topologyOf({ kind: 'ring', n })), [n - 3, n / 2, 0]) },
    ]),
    note: 'Exactly 6n − 14 and 7n − 17 Updates and 3n − 4 ticks: a search out, its reflection back, the new leader out again.',
  };
}

/** Side, Updates and ticks when the corner leader is isolated, and when one of its links is lost. */
const GRIDS = [
  [3, 58, 13, 4, 3],
  [4, 133, 19, 7, 4],
  [6, 355, 31, 13, 6],
  [8, 673, 43, 19, 8],
  [12, 1597, 67, 31, 12],
] as const;

function gridTable(): Table {
  return {
    title: 'Square grid, the leader in a corner',
    columns: ['', 'Updates', 'ticks', 'elections'],
    rows: GRIDS.flatMap(([side, updates, ticks, updatesOfLoss, ticksOfLoss]) => {
      const topology = topologyOf({ kind: 'grid', rows: side, columns: side });
      return [
        { label: `${side} × ${side}, leader isolated`, cells: costs(isolate(topology), [updates, ticks, 2]) },
        { label: `${side} × ${side}, link n0 − n1 lost`, cells: costs(lose(topology), [updatesOfLoss, ticksOfLoss, 0]) },
      ];
    }),
  };
}

function randomTable(progress: (share: number) => void): Table {
  const sizes = [
    [25, 470, 35],
    [50, 1183, 53],
    [100, 2524, 83],
    [200, 5220, 113],
  ] as const;
  return {
    title: 'Random geometric graphs, mean of ten',
    columns: ['', 'Updates', 'ticks', 'elections', '20 % of links lost: Updates', 'ticks', 'elections'],
    rows: sizes.map(([n, updates, ticks], i) => {
      progress(i / sizes.length);
      const graphs = seeds.map((seed) => randomGeometric(n, seed));
      const isolated = graphs.map(isolate);
      const thinned = graphs.map((graph, k) => afterLoss(graph, someLinks(graph, 0.2, k + 1)));
      return {
        label: `n = ${n}`,
        cells: [
          near(mean(isolated.map((cost) => cost.updates)), updates, 0.1),
          near(mean(isolated.map((cost) => cost.ticks)), ticks, 0.1),
          exact(mean(isolated.map((cost) => cost.elections)), 2),
          roundedCell(mean(thinned.map((cost) => cost.updates))),
          roundedCell(mean(thinned.map((cost) => cost.ticks))),
          roundedCell(mean(thinned.map((cost) => cost.elections))),
        ],
      };
    }),
    note: 'The expected values are means of the reference on its own graphs. Losing a fifth of the links costs it 3.8, 41, 24 and 61 Updates.',
  };
}

export const RUNS = 40;

function avoidableTable(progress: (share: number) => void): Table {
  const clocks = ['perfect', 'logical'] as const;
  return {
    title: `Elections whose old leader was still in the component, ${RUNS} runs of 30 steps, 12 nodes, asynchronous`,
    columns: ['', 'single changes: elections', 'avoidable', 'bursts of 4: elections', 'avoidable'],
    rows: clocks.flatMap((clock, i) =>
      [false, true].map((hello, k) => {
        progress((2 * i + k) / 4);
        const single = avoidableElections(RUNS, 1, { clock, hello });
        const burst = avoidableElections(RUNS, 4, { clock, hello });
        const none = clock === 'perfect' && hello ? { expected: 0 } : {};
        return {
          label: `${clock} clocks, hello ${hello ? 'on' : 'off'}`,
          cells: [
            roundedCell(single.elections),
            { value: single.avoidable, ...none },
            roundedCell(burst.elections),
            roundedCell(burst.avoidable),
          ],
        };
      }),
    ),
    note: 'The answer to hello avoids far more than perfect clocks do; only both together leave nothing to avoid after a single change.',
  };
}

function costPlot(): Plot {
  const sizes = [8, 16, 24, 32, 48, 64];
  const along = (kind: string) => ({
    label: kind,
    points: sizes.map((n) => [n, isolate(topologyOf({ kind, n })).updates] as const),
  });
  return {
    name: 'election-updates',
    title: 'Updates until a new leader is known to all',
    x: { label: 'nodes' },
    y: { label: 'Updates' },
    series: [along('path'), along('ring')],
  };
}
