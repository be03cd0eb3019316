/**
 * The resource controller's numbers: messages per permit against the baselines, the crossover on chains, waiting times, growth.
 *
 * `quiver paper controller` runs the part that takes about a minute; the long rows of the table are in controller.deep.ts. Loads are drawn
 * from other streams than those of the expected figures, and recursive trees are other trees, so figures have tolerances.
 */
import { choose, predictCosts } from '../../../machines/controller/adaptive.js';
import type { TableCell, Experiment, Plot, Table } from '../experiment.js';
import { bitsTable } from './bits.js';
import { budgetTable } from './budgets.js';
import { closedLoop } from './closed-loop.js';
import { majorityTable, participantsTable } from './diffusion.js';
import { expectedTable, type ExpectedFigures } from './expected.js';
import { growingTable } from './growing.js';
import { hierarchyFigure } from './hierarchy.js';
import { untilExhausted, type RequestOutcome } from './run.js';
import { schematicFigure } from './schematic.js';
import { binary, chainShape, depthsOf, recursive, starShape, type TreeShape } from './trees.js';
import { recoveryTable } from '../recovery.js';
import { controller } from '../../../machines/controller/index.js';

export const M = 100_000;
export const KINDS = ['naive', 'bins', 'basic', 'main', 'modified'] as const;
export type KindOfTable = (typeof KINDS)[number];

/** Maximum number of messages of a run in this experiment; the deep test covers others. */
const MESSAGES_MAX = 60_000;

const trees: Record<ExpectedFigures['tree'], (n: number) => TreeShape> = {
  chain: chainShape,
  star: starShape,
  binary,
  recursive,
};

export const shapeOf = ({ tree, n }: Pick<ExpectedFigures, 'tree' | 'n'>): TreeShape => trees[tree](n);

export const wasteOf = ({ share }: ExpectedFigures): number => (share === 0 ? 0 : M / share);

/**
 * Recursive trees differ from those of the expected figures, and the last phases of halving on a small tree depend on the order of
 * requests.
 */
function tolerance({ tree, n }: ExpectedFigures, kind: KindOfTable): number {
  if (tree === 'recursive') return n < 100 ? 0.3 : 0.12;
  return kind === 'modified' && n < 100 ? 0.15 : 0.06;
}

export const controllerExperiment: Experiment = {
  name: 'controller',
  title: 'Resource controller: messages per permit, waiting times, growth',
  paper: 'Afek, Awerbuch, Plotkin, Saks: Local Management of a Global Resource in a Communication Network (J. ACM 43, 1996)',
  *run(progress) {
    yield messageTable(progress);
    yield crossover(progress);
    yield waitingTable();
    yield bitsTable();
    progress(0.8);
    yield budgetTable();
    yield growingTable();
    yield participantsTable();
    yield majorityTable();
    yield recoveryTable(controller);
    progress(0.9);
    yield schematicFigure();
    yield hierarchyFigure();
    yield growth();
    progress(1);
  },
};

/** Without waste all kinds except halving send every request to the root, as the naive controller does. */
export const isQuick = (row: ExpectedFigures, kind: KindOfTable): boolean =>
  row[kind] * M <= MESSAGES_MAX && row.n <= 256 && (row.share > 0 || kind === 'modified');

export function cellOf(row: ExpectedFigures, kind: KindOfTable): { cell: TableCell; outcome: RequestOutcome } {
  const outcome = untilExhausted(shapeOf(row), { kind, M, W: wasteOf(row) });
  const cell = { value: outcome.messages / outcome.permits, expected: row[kind], check: { within: tolerance(row, kind) } };
  return { cell, outcome };
}

/** If every request goes to the root, the cost of a permit is independent of the budget: each node requests once. */
const isFromRoot = ({ share }: ExpectedFigures, kind: KindOfTable): boolean =>
  kind === 'naive' || (share === 0 && kind !== 'modified');

function fromRoot(row: ExpectedFigures, kind: KindOfTable): TableCell {
  const { messagesPerPermit } = closedLoop(shapeOf(row), 1, { kind, M: row.n });
  return { value: messagesPerPermit, expected: row[kind], check: { within: tolerance(row, kind) } };
}

/** The figure of a cell, or the reason why it is crossed out. */
function cellIn(row: ExpectedFigures, kind: KindOfTable, run: { cell: TableCell } | undefined): TableCell {
  if (run) return run.cell;
  if (isFromRoot(row, kind) && row.n <= 256) return fromRoot(row, kind);
  const messages = row[kind] * (isFromRoot(row, kind) ? row.n : M);
  return { value: `not run: ${(messages / 1e6).toPrecision(2)} M` };
}

function messageTable(progress: (share: number) => void): Table {
  const rows = expectedTable;
  return {
    title: `Messages per permit, M = ${M}, uniform load until the first reject`,
    columns: ['tree', ...KINDS, 'BASIC: share without a message', 'adaptive chooses'],
    rows: rows.map((row, i) => {
      progress((0.6 * i) / rows.length);
      const cells = new Map(KINDS.filter((kind) => isQuick(row, kind)).map((kind) => [kind, cellOf(row, kind)]));
      const basic = cells.get('basic');
      const local: TableCell = basic
        ? { value: basic.outcome.local / basic.outcome.permits, expected: row.local, check: { within: 0.06 } }
        : { value: null };
      return {
        label: `${row.tree} ${row.n}, W = ${row.share === 0 ? 0 : `M/${row.share}`}`,
        cells: [...KINDS.map((kind) => cellIn(row, kind, cells.get(kind))), local, chosenCell(row)],
      };
    }),
    note: 'At practical sizes plain per-node bins send the fewest messages; without waste, halving makes an exact budget cheap. Controllers that send too many messages are not run here, and the number is their messages in millions: docs/controller.md.',
  };
}

/** The choice of `adaptive`, compared with the cheapest of the expected figures: at most a tenth above it. */
export function chosenCell(row: ExpectedFigures): TableCell {
  const kind = choose({ M, W: wasteOf(row), U: row.n, depths: depthsOf(shapeOf(row)) });
  const least = Math.min(...KINDS.map((other) => row[other]));
  return { value: row[kind] <= 1.1 * least ? kind : `${kind} (${row[kind]} against ${least})`, expected: kind };
}

/** The largest waste with which a chain of n has the exponent 3. */
const wasteFor = (n: number): number => Math.ceil(16 * 2 * n * Math.log2(n + 1)) - 1;

function crossover(progress: (share: number) => void): Table {
  const expected: Record<number, number> = { 64: 5.7, 256: 2.74, 1024: 1.1, 4096: 0.42, 16384: 0.15, 65536: 0.05 };
  return {
    title: 'Chains, exponent 3: messages of BASIC over those of per-node bins',
    columns: ['n', 'run', 'predicted'],
    rows: Object.entries(expected).map(([label, ratio], i) => {
      progress(0.6 + i / 40);
      const n = Number(label);
      const W = wasteFor(n);
      const { basic, bins } = predictCosts({ M: 40 * W, W, U: n, depths: depthsOf(chainShape(n)) });
      const run: TableCell = n > 64 ? { value: null } : { value: ratioOn(n, W), expected: ratio, check: { within: 0.12 } };
      return { label, cells: [run, { value: basic / bins, expected: ratio, check: { within: 0.12 } }] };
    }),
    note: 'The hierarchy wins where the tree is deep. The prediction is the sum of refills times distances by which `adaptive` decides.',
  };
}

function ratioOn(n: number, W: number): number {
  const [basic, bins] = (['basic', 'bins'] as const).map((kind) => {
    const { messages, permits } = untilExhausted(chainShape(n), { kind, M: 4 * W, W });
    return messages / permits;
  });
  return basic! / bins!;
}

function waitingTable(): Table {
  const size = 256;
  const rows = [
    { label: 'naive', share: 2, options: { kind: 'naive', M: 512 }, expected: 255, within: 0 },
    { label: 'BASIC', share: 78, options: { kind: 'basic', M: 20_000, W: 10_000 }, expected: 1334, within: 0.25 },
    {
      label: 'pipelined',
      share: 78,
      options: { kind: 'basic', M: 20_000, W: 10_000, pipelined: true },
      expected: 211,
      within: 0.25,
    },
  ];
  return {
    title: `Chain of ${size}, M = 20,000, closed loop: mean hops from request to permit`,
    columns: ['', 'waiting', 'messages per permit'],
    rows: rows.map(({ label, share, options, expected, within }) => {
      const { mean, messagesPerPermit } = closedLoop(chainShape(size), share, options);
      return { label, cells: [{ value: mean, expected, check: { within } }, { value: messagesPerPermit }] };
    }),
    note: 'One request at a time makes a supervisor a bottleneck; pipelining takes that away at the same number of messages.',
  };
}

function growth(): Plot {
  const sizes = [16, 32, 64, 128, 256];
  const measured = sizes.map(
    (n) => [n, untilExhausted(chainShape(n), { kind: 'basic', M: 20_000, W: 10_000 }).messages] as const,
  );
  const bound = sizes.map((n) => [n, (n * Math.log2(n + 1) ** 2 * 20_000) / 10_000] as const);
  return {
    name: 'growth',
    title: 'BASIC on chains, M = 20,000, W = M/2: messages against U lg² U · M/W',
    x: { label: 'nodes', log: true },
    y: { label: 'messages', log: true },
    series: [
      { label: 'measured', points: measured },
      { label: 'U lg² U · M/W', points: bound },
    ],
  };
}
