/**
 * Growing networks: Theorem 5.2 and Lemmas 6.2.1 and 6.3.1, whose n is the number of participants at the end.
 *
 * A binary tree grows from its root, leaf by leaf, each join with a permit. After each join, random participants use the resource. The bounds
 * are orders of growth, so the tables compare the constant: messages over the order must not grow with n.
 */
import { controller } from '../../../machines/controller/index.js';
import { Random } from '../../../network/random.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import type { Table } from '../experiment.js';

export interface Growth {
  readonly messages: number;
  /** Messages divided by the paper's order of growth. */
  readonly constant: number;
  readonly largestName: number;
  readonly violated: readonly string[];
}

/** Ticks between two joins: longer than all their messages take. */
const APART = 400;
/** Uses of the resource after each join. */
const USES = 4;

type GrowingKind = 'main' | 'names' | 'bank';

const WORDS: Readonly<Record<GrowingKind, readonly string[]>> = {
  main: ['take'],
  names: ['name'],
  bank: ['deposit', 'withdraw'],
};

const optionsOf = (kind: GrowingKind, n: number) => (kind === 'names' ? { kind } : { kind, M: USES * n, W: (USES * n) / 2 });

/** Grows a tree from one node to n. */
export function grow(kind: GrowingKind, n: number, watch = false): Growth {
  const random = new Random(n, `growth of ${kind}`);
  const node = (i: number) => `n${i}`;
  const uses = kind === 'names' ? 1 : USES;
  const events = Array.from({ length: n - 1 }, (_, i) => [
    { at: APART * i, node: node(i >> 1), do: 'child' },
    ...Array.from({ length: uses }, (_, j) => ({
      at: APART * i + (APART / (uses + 1)) * (j + 1),
      node: node(random.below(i + 2)),
      do: random.pick(WORDS[kind]),
    })),
  ]).flat();
  const scenario = {
    protocol: 'controller',
    topology: { kind: 'tree', n },
    options: { ...optionsOf(kind, n), parents: { n0: 'n0' } },
    events,
  };
  const simulation = new Simulation(parseScenario(scenario, { controller }), { host: 'snapshots', watch });
  const { meters, properties, summary } = simulation.run();
  const order = meters.find(({ name }) => name.startsWith('messages, order of'))!;
  const names = Object.values(summary['names'] as Record<string, readonly number[]>).flat();
  return {
    messages: order.measured,
    constant: order.ratio!,
    largestName: Math.max(0, ...names),
    violated: properties.filter(({ holds }) => holds === false).map(({ name }) => name),
  };
}

const SIZES = [16, 32, 64, 128, 256];
/** Tolerance for the constant. One more factor of log n would double it from 16 to 256 nodes. */
const SLACK = 1.1;

const STATEMENTS: readonly (readonly [kind: GrowingKind, title: string])[] = [
  ['main', 'Theorem 5.2: MAIN, O(n log² n · M/W)'],
  ['names', 'Lemma 6.2.1: names, O(n log² n)'],
  ['bank', 'Lemma 6.3.1: bank, O(n log² n · 𝓜/W)'],
];

export function growingTable(): Table {
  return {
    title: 'A binary tree that grows from one node to n, each join with a permit: messages over the order of growth',
    columns: ['', ...SIZES.map((n) => `n = ${n}`), 'messages, n = 256'],
    rows: STATEMENTS.map(([kind, label]) => {
      const found = SIZES.map((n) => grow(kind, n));
      const first = found[0]!.constant;
      return {
        label,
        cells: [
          ...found.map(({ constant }, i) =>
            i === 0 ? { value: constant } : { value: constant, expected: SLACK * first, check: 'atMost' as const },
          ),
          { value: found.at(-1)!.messages },
        ],
      };
    }),
    note: 'No constant may exceed that of the smallest tree by more than a tenth. M = 4n, W = 2n; four requests or one name after each join.',
  };
}
