/**
 * The election's numbers: the paper's sample run, Updates and ticks to elect anew, elections that clocks and hello avoid, the cost of
 * the hierarchy.
 *
 * Figures without an expected one are of random networks that are not those of the reference; the note of their table has its means.
 */
import { Random } from '../../network/random.js';
import type { Topology } from '../../machines/protocol.js';
import type { Cell, Experiment, Plot, Table } from '../experiment.js';
import { avoidableElections } from './avoidable.js';
import { leaders, upset, type Change, type Upset } from './districts.js';
import { afterLoss, linksAt, topologyOf, type Cost } from './run.js';
import { sampleTable } from './sample.js';

export const election: Experiment = {
  name: 'election',
  title: 'Leader election in dynamic networks, and a hierarchy of leaders',
  paper: 'Tbarka: Hierarchical Leader Election Algorithm With Remoteness Constraint (2019)',
  *run(progress) {
    yield sampleTable();
    yield lineTable();
    yield gridTable();
    progress(0.1);
    yield randomTable((share) => progress(0.1 + 0.3 * share));
    yield avoidableTable((share) => progress(0.4 + 0.3 * share));
    yield upsetTable((share) => progress(0.7 + 0.25 * share));
    yield leanTable();
    yield costPlot();
    progress(1);
  },
};

const exact = (value: number, expected: number): Cell => ({ value, expected });
const plain = (value: number): Cell => ({ value: Math.round(value * 100) / 100 });
const near = (value: number, expected: number, within: number): Cell => ({ ...plain(value), expected, check: { within } });

const isolate = (topology: Topology): Cost => afterLoss(topology, linksAt('n0', topology));
const lose = (topology: Topology): Cost => afterLoss(topology, [['n0', 'n1']]);

const costs = ({ updates, ticks, elections }: Cost, expected: readonly [number, number, number]): Cell[] => [
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

/** Ten neighbours each, were there no border. */
const geometric = (n: number, seed: number): Topology =>
  topologyOf({ kind: 'geometric', n, radius: Math.sqrt(10 / (Math.PI * n)), seed });

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const GRAPHS = 10;
const seeds = Array.from({ length: GRAPHS }, (_, i) => i + 1);

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
      const graphs = seeds.map((seed) => geometric(n, seed));
      const isolated = graphs.map(isolate);
      const thinned = graphs.map((graph, k) => afterLoss(graph, someLinks(graph, 0.2, k + 1)));
      return {
        label: `n = ${n}`,
        cells: [
          near(mean(isolated.map((cost) => cost.updates)), updates, 0.1),
          near(mean(isolated.map((cost) => cost.ticks)), ticks, 0.1),
          exact(mean(isolated.map((cost) => cost.elections)), 2),
          plain(mean(thinned.map((cost) => cost.updates))),
          plain(mean(thinned.map((cost) => cost.ticks))),
          plain(mean(thinned.map((cost) => cost.elections))),
        ],
      };
    }),
    note: 'Expected are the means of the reference on graphs of its own. Losing a fifth of the links costs it 3.8, 41, 24 and 61 Updates.',
  };
}

const someLinks = ({ links }: Topology, share: number, seed: number): (readonly [string, string])[] => {
  const random = new Random(seed, 'lost links');
  return random
    .shuffle(links)
    .slice(0, Math.round(share * links.length))
    .map(([u, v]) => [u, v] as const);
};

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
          cells: [plain(single.elections), { value: single.avoidable, ...none }, plain(burst.elections), plain(burst.avoidable)],
        };
      }),
    ),
    note: 'The answer to hello avoids far more than perfect clocks do; only both together leave nothing to avoid after a single change.',
  };
}

const UPSETS: readonly {
  readonly label: string;
  readonly changes: (graph: Topology, random: Random) => readonly Change[];
}[] = [
  { label: 'leader isolated', changes: (graph) => linksAt('n0', graph).map((link) => ({ do: 'cut', link })) },
  { label: 'one link lost', changes: ({ links }, random) => [{ do: 'cut', link: linkOf(random.pick(links)) }] },
  { label: 'one link added', changes: (graph, random) => [{ do: 'join', link: pairApart(graph, random) }] },
  {
    label: 'a tenth of links lost',
    changes: (graph, random) => someLinks(graph, 0.1, random.below(1e6)).map((link) => ({ do: 'cut', link })),
  },
];

const linkOf = ([u, v]: readonly [string, string, number]): [string, string] => [u, v];

function pairApart({ nodes, links }: Topology, random: Random): [string, string] {
  for (;;) {
    const [u, v] = [random.pick(nodes), random.pick(nodes)];
    if (u !== v && !links.some((link) => link.includes(u) && link.includes(v))) return [u, v];
  }
}

function upsetTable(progress: (share: number) => void): Table {
  const graphs = seeds.slice(0, 2).map((seed) => geometric(100, seed));
  const settings = [
    { label: 'no levels', options: {} },
    { label: 'S = R', options: { radii: [2, 5] } },
    { label: 'S = ⌈R / 2⌉', options: { radii: [2, 5], separations: [1, 3] } },
  ];
  return {
    title: 'What a change costs the hierarchy: random geometric graphs of 100, radii 2 and 5, mean of two',
    columns: ['', 'Updates', 'roles changed', 'memberships changed'],
    rows: UPSETS.flatMap(({ label, changes }, i) =>
      settings.map((setting, k) => {
        progress((3 * i + k) / 12);
        const all = graphs.map((graph, g) => upset(graph, changes(graph, new Random(g + 1, 'upsets')), setting.options));
        const of = (field: keyof Upset) => plain(mean(all.map((one) => one[field])));
        const stable =
          label === 'one link lost' && setting.label !== 'no levels' ? { expected: 1, check: 'atMost' as const } : {};
        return {
          label: `${label}, ${setting.label}`,
          cells: [of('updates'), { ...of('roleChanges'), ...stable }, of('membershipChanges')],
        };
      }),
    ),
    note: 'Districts hardly notice the loss of the top leader. The reference has 2306 / 3.0 / 3.8, 0 / 0 / 0, 2887 / 3.7 / 10.9 and 541 / 1.1 / 6.9 with S = R.',
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

function leanTable(): Table {
  const graphs = seeds.map((seed) => leaders(geometric(200, seed), [2, 5]));
  const ofLevel = (level: number, field: 'leaders' | 'greedy') => plain(mean(graphs.map((levels) => levels[level]![field])));
  const star = (radius: number, separation: number) => leaders(starAroundLast(), [radius], [separation])[0]!;
  const row = (label: string, { leaders, greedy }: { leaders: number; greedy: number }, expected: number) => ({
    label,
    cells: [exact(leaders, expected), plain(greedy)],
  });
  return {
    title: 'Leaders of a level against a greedy dominating set',
    columns: ['', 'leaders', 'greedy'],
    rows: [
      { label: 'geometric 200, R = 2, mean of ten', cells: [ofLevel(0, 'leaders'), ofLevel(0, 'greedy')] },
      { label: 'geometric 200, R = 5, mean of ten', cells: [ofLevel(1, 'leaders'), ofLevel(1, 'greedy')] },
      row('star of 20, hub last, R = S = 1', star(1, 1), 19),
      row('star of 20, hub last, R = 2, S = 1', star(2, 1), 19),
      row('star of 20, hub last, R = S = 2', star(2, 2), 1),
      row('broom of 30, R = S = 3', leaders(broom(), [3])[0]!, 2),
    ],
    note: 'A separation of one hop says nothing about a star; prefer radii of at least 2 with separations as large.',
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
