/** The hierarchy's cost and leanness, and the alternatives that the specification compares it with (section 8). */
import { Random } from '../../network/random.js';
import { greedyDominatingSet } from '../../machines/election/account.js';
import { adjacencyOf } from '../../machines/election/graph.js';
import { election } from '../../machines/election/index.js';
import type { Protocol, Topology } from '../../machines/protocol.js';
import type { Cell, Table } from '../experiment.js';
import { withRule } from './alternatives/index.js';
import { band } from './alternatives/band.js';
import { cut } from './alternatives/cut.js';
import { single } from './alternatives/single.js';
import { leaders, upset, type Change, type Upset } from './districts.js';
import { exact, geometric, mean, near, plain, seeds, someLinks } from './figures.js';
import { linksAt, type Options } from './run.js';

const WIDE = { radii: [2, 5] };
const CLOSE = { radii: [2, 5], separations: [1, 3] };

/** The ways to choose leaders; the specification's figures for S = ⌈R / 2⌉ stand for B and D. */
const WAYS: readonly { readonly name: string; readonly options: Options; readonly protocol: Protocol }[] = [
  { name: 'tables, S = R', options: WIDE, protocol: election },
  { name: 'tables, S = ⌈R / 2⌉', options: CLOSE, protocol: election },
  { name: 'B, cut', options: CLOSE, protocol: withRule(cut) },
  { name: 'D, single entries', options: CLOSE, protocol: withRule(single) },
  { name: 'C, bands', options: CLOSE, protocol: withRule(band) },
];
const way = (name: string) => WAYS.find((one) => one.name.startsWith(name))!;

export interface Upsetting {
  readonly label: string;
  changes(graph: Topology, random: Random, leader: string): readonly Change[];
  /** Updates, role changes and membership changes of each way in the reference. */
  readonly reference: readonly (readonly [number, number, number])[];
}

const UPSETS: readonly Upsetting[] = [
  {
    label: 'leader isolated',
    changes: (graph, _, leader) => linksAt(leader, graph).map((link) => ({ do: 'cut', link })),
    reference: [
      [2306, 3, 3.8],
      [2196, 1.8, 2.4],
      [21503, 338, 2150],
      [4549, 2, 3.1],
      [62504, 7253, 15168],
    ],
  },
  {
    label: 'one link lost',
    changes: ({ links }, random) => [{ do: 'cut', link: linkOf(random.pick(links)) }],
    reference: [
      [0, 0, 0],
      [0, 0, 0],
      [6.4, 0, 0.2],
      [1.2, 0, 0],
      [25.6, 3.2, 5.2],
    ],
  },
  {
    label: 'one link added',
    changes: (graph, random) => [{ do: 'join', link: pairApart(graph, random) }],
    reference: [
      [2887, 3.7, 10.9],
      [162, 0, 0],
      [4, 0, 0],
      [119, 2.8, 14.1],
      [4, 0, 0],
    ],
  },
  {
    label: 'a tenth of links lost',
    changes: (graph, random) => someLinks(graph, 0.1, random.below(1e6)).map((link) => ({ do: 'cut', link })),
    reference: [
      [541, 1.1, 6.9],
      [462, 0.8, 1.6],
      [582, 8.1, 65.5],
      [299, 5.2, 15.5],
      [270, 29.8, 61.7],
    ],
  },
];

const linkOf = ([u, v]: readonly [string, string, number]): [string, string] => [u, v];

function pairApart({ nodes, links }: Topology, random: Random): [string, string] {
  for (;;) {
    const [u, v] = [random.pick(nodes), random.pick(nodes)];
    if (u !== v && !links.some((link) => link.includes(u) && link.includes(v))) return [u, v];
  }
}

const WAYS_COLUMNS = ['', 'Updates', 'roles changed', 'memberships changed', 'the reference has'];

export function upsetTable(progress: (share: number) => void): Table {
  const graphs = seeds.map((seed) => geometric(100, seed));
  return {
    title: `What a change costs: random geometric graphs of 100, radii 2 and 5, mean of ${graphs.length}`,
    columns: WAYS_COLUMNS,
    rows: UPSETS.flatMap(({ label, changes, reference }, i) =>
      WAYS.map(({ name, options, protocol }, k) => {
        progress((WAYS.length * i + k) / (WAYS.length * UPSETS.length));
        const all = graphs.map((graph, g) => {
          const random = new Random(g + 1, 'upsets');
          const leader = random.pick(graph.nodes);
          return upset(graph, changes(graph, random, leader), { ...options, leader }, protocol);
        });
        const of = (field: keyof Upset) => plain(mean(all.map((one) => one[field])));
        return {
          label: `${label}: ${name}`,
          cells: [of('updates'), of('roleChanges'), of('membershipChanges'), { value: reference[k]!.join(' / ') }],
        };
      }),
    ),
  };
}

/** Thirty nodes: a path of four with all the others at its end. */
const broom = (): Topology => {
  const nodes = Array.from({ length: 30 }, (_, i) => `n${i}`);
  return { nodes, links: nodes.slice(1).map((node, i) => [nodes[Math.min(i, 3)]!, node, 1] as const) };
};

/** Twenty leaves around the last node of the list. */
const starAroundLast = (): Topology => {
  const nodes = Array.from({ length: 20 }, (_, i) => `n${i}`);
  return { nodes, links: nodes.slice(0, -1).map((node) => [node, nodes.at(-1)!, 1] as const) };
};

/** Half of the links are lost, and half of those come back when all is quiet again. */
function churn(graph: Topology, seed: number): Change[] {
  const lost = someLinks(graph, 0.5, seed);
  const back = lost.slice(0, Math.round(lost.length / 4));
  return [
    ...lost.map((link) => ({ do: 'cut' as const, link })),
    ...back.map((link) => ({ at: 1000, do: 'join' as const, link })),
  ];
}

export function leanTable(): Table {
  const graphs = seeds.map((seed) => geometric(200, seed));
  const greedy = WIDE.radii.map((radius) => plain(mean(graphs.map((graph) => greedyDominatingSet(adjacencyOf(graph), radius)))));
  const expected = [
    [22.8, 7.5],
    [31.5, 8.6],
    [43.1, 12.7],
    [32.7, 10.8],
    [64.7, 32.2],
  ];
  const inGeometric = WAYS.map(({ name, options, protocol }, k) => {
    const all = graphs.map((graph, i) => leaders(graph, churn(graph, i), options, protocol));
    return { label: name, cells: [0, 1].map((level) => near(mean(all.map((one) => one[level]!)), expected[k]![level]!, 0.1)) };
  });
  return {
    title: 'Leaders of a level against a greedy dominating set: random geometric graphs of 200 after churn, mean of ten',
    columns: ['', 'R = 2', 'R = 5'],
    rows: [{ label: 'greedy', cells: greedy }, ...inGeometric],
  };
}

export function extremesTable(): Table {
  const star = (radius: number, separation: number): Cell[] =>
    [leaders(starAroundLast(), [], { radii: [radius], separations: [separation] })[0]!].map((count) =>
      exact(count, separation === 1 ? 19 : 1),
    );
  const inBroom = (name: string, expected: number) => {
    const { protocol } = way(name);
    return {
      label: `broom of 30, R = S = 3: ${name}`,
      cells: [exact(leaders(broom(), [], { radii: [3] }, protocol)[0]!, expected)],
    };
  };
  return {
    title: 'Leaders in a star of 20 whose hub is the last node, and in a broom of 30',
    columns: ['', 'leaders'],
    rows: [
      { label: 'star, tables, R = S = 1', cells: star(1, 1) },
      { label: 'star, tables, R = 2, S = 1', cells: star(2, 1) },
      { label: 'star, tables, R = S = 2', cells: star(2, 2) },
      inBroom('tables, S = R', 2),
      inBroom('B, cut', 2),
      inBroom('D, single entries', 27),
      inBroom('C, bands', 27),
    ],
    note: 'A separation of one hop says nothing about a star; prefer radii of at least 2 with separations as large.',
  };
}
