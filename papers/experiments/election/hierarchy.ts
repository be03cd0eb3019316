/** The hierarchy's cost and number of leaders, and the alternatives that the specification compares it with (section 8). */
import { Random } from '../../../network/random.js';
import { greedyDominatingSet } from '../../../machines/hierarchy/properties.js';
import { adjacencyOf } from '../../../machines/election/graph.js';
import { election } from '../../../machines/election/index.js';
import type { Protocol, Topology } from '../../../machines/protocol.js';
import type { TableCell, Table } from '../experiment.js';
import { withRule } from './alternatives/index.js';
import { band } from './alternatives/band.js';
import { cut } from './alternatives/cut.js';
import { single } from './alternatives/single.js';
import { leaders, upset, type DistrictsMoved, type Upset } from './districts.js';
import { exact, randomGeometric, mean, roundedCell, seeds, someLinks } from './figures.js';
import { linksAt, type Options } from './run.js';

const WIDE = { radii: [2, 5] };
const CLOSE = { radii: [2, 5], separations: [1, 3] };

/** The ways to choose leaders. The specification's figures for S = ⌈R / 2⌉ represent B and D. */
interface Way {
  readonly name: string;
  readonly options: Options;
  readonly protocol: Protocol;
}

const WAYS: readonly Way[] = [
  { name: 'tables, S = R', options: WIDE, protocol: election },
  { name: 'tables, S = ⌈R / 2⌉', options: CLOSE, protocol: election },
  { name: 'B, cut', options: CLOSE, protocol: withRule(cut) },
  { name: 'D, single entries', options: CLOSE, protocol: withRule(single) },
  { name: 'C, bands', options: CLOSE, protocol: withRule(band) },
];
const way = (name: string) => WAYS.find((one) => one.name.startsWith(name))!;

interface Upsetting {
  readonly label: string;
  /** Number of graphs. B and C take a minute if all ten lose their leader. */
  readonly graphs: number;
  changes(graph: Topology, random: Random, leader: string): readonly DistrictsMoved[];
  /** Updates, role changes and membership changes of each way in the reference. */
  readonly reference: readonly (readonly [number, number, number])[];
}

const UPSETS: readonly Upsetting[] = [
  {
    label: 'leader isolated',
    graphs: 3,
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
    graphs: 10,
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
    graphs: 10,
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
    graphs: 10,
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

export function upsetTable(progress: (share: number) => void): Table {
  const rows = UPSETS.flatMap((upsetting, i) =>
    WAYS.map((way, k) => {
      progress((WAYS.length * i + k) / (WAYS.length * UPSETS.length));
      return upsetRow(upsetting, way, upsetting.reference[k]!);
    }),
  );
  return {
    title: 'Costs of a change: random geometric graphs of 100, radii 2 and 5, mean of ten (leader isolated: of three)',
    columns: ['', 'Updates', 'roles changed', 'memberships changed', 'the reference has'],
    rows,
    note: 'Every change of a role or membership on the way counts. The reference has other graphs and leaders; the loss of the leader costs it 2173 Updates without levels.',
  };
}

function upsetRow({ label, graphs, changes }: Upsetting, { name, options, protocol }: Way, reference: readonly number[]) {
  const all = seeds.slice(0, graphs).map((seed) => {
    const graph = randomGeometric(100, seed);
    const random = new Random(seed, 'upsets');
    const leader = random.pick(graph.nodes);
    return upset(graph, changes(graph, random, leader), { ...options, leader }, protocol);
  });
  const of = (field: keyof Upset) => roundedCell(mean(all.map((one) => one[field])));
  // D5: no incumbent resigns. Another node is elected only if the lost link was the last way to a leader.
  const roles = label === 'one link lost' && protocol === election ? { expected: 0 } : {};
  return {
    label: `${label}: ${name}`,
    cells: [of('updates'), { ...of('roleChanges'), ...roles }, of('membershipChanges'), { value: reference.join(' / ') }],
  };
}

/** Thirty nodes: a path of four with all others at its end. */
const broom = (): Topology => {
  const nodes = Array.from({ length: 30 }, (_, i) => `n${i}`);
  return { nodes, links: nodes.slice(1).map((node, i) => [nodes[Math.min(i, 3)]!, node, 1] as const) };
};

/** Twenty leaves around the last node of the list. */
const starAroundLast = (): Topology => {
  const nodes = Array.from({ length: 20 }, (_, i) => `n${i}`);
  return { nodes, links: nodes.slice(0, -1).map((node) => [node, nodes.at(-1)!, 1] as const) };
};

/** A geometric graph with two thirds of its links left after churn. */
function thinned(seed: number): Topology {
  const { nodes, links } = randomGeometric(200, seed);
  return { nodes, links: new Random(seed, 'thinned').shuffle(links).slice(Math.round(links.length / 3)) };
}

/** Loses a tenth of the links, and restores them when the network is quiet. */
function churn(graph: Topology, seed: number): DistrictsMoved[] {
  const links = someLinks(graph, 0.1, seed);
  return [
    ...links.map((link) => ({ do: 'cut' as const, link })),
    ...links.map((link) => ({ at: 1000, do: 'join' as const, link })),
  ];
}

export function leanTable(progress: (share: number) => void): Table {
  const graphs = seeds.slice(0, 3).map(thinned);
  const reference = ['22.8 / 7.5', '31.5 / 8.6', '43.1 / 12.7', '32.7 / 10.8', '64.7 / 32.2'];
  const greedy = WIDE.radii.map((radius) =>
    roundedCell(mean(graphs.map((graph) => greedyDominatingSet(adjacencyOf(graph), radius)))),
  );
  return {
    title:
      'Leaders of a level against a greedy dominating set: geometric graphs of 200 after churn, radii 2 and 5, mean of three',
    columns: ['', 'R = 2', 'R = 5', 'the reference has'],
    rows: [
      { label: 'greedy', cells: [...greedy, { value: '18.2 / 6.8' }] },
      ...WAYS.map(({ name, options, protocol }, k) => {
        progress(k / WAYS.length);
        const all = graphs.map((graph, i) => leaders(graph, churn(graph, i), options, protocol));
        const level = (i: number) => roundedCell(mean(all.map((one) => one[i]!)));
        return { label: name, cells: [level(0), level(1), { value: reference[k]! }] };
      }),
    ],
    note: 'Greedy sees the whole graph. The graphs of the reference are its own; the order of the alternatives is the same.',
  };
}

export function extremesTable(): Table {
  const star = (radius: number, separation: number): TableCell[] =>
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
    note: 'A separation of one hop has no effect on a star; prefer radii of at least 2 with separations as large.',
  };
}
