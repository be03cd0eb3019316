/**
 * Chapter 6 of the thesis, on the stability of leaders: the properties of searches on which its proof rests, its claim about logical clocks,
 * and the price of stability.
 *
 * The chapter opens with a much simpler algorithm, which needs no stability. A node elects itself whenever the loss of a channel makes it a
 * sink, and it adopts any leader with a later timestamp. Here it is the chart with one action replaced.
 */
import { assign, enqueueActions } from 'xstate';
import { electSelf } from '../../../machines/election/height.js';
import { election } from '../../../machines/election/index.js';
import { electionMachine, type ElectionContext } from '../../../machines/election/machine.js';
import type { Protocol, Topology } from '../../../machines/protocol.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import type { Table } from '../experiment.js';
import { exact } from './figures.js';
import { linksAt, topologyOf, type ElectionCost } from './run.js';
import { watchSearches, type HistoryProperty } from './searches.js';
import { lossesAtZero } from './theorem2.js';

/** A node without a way down elects itself. */
const hasty = electionMachine.provide({
  actions: {
    startNewRefLevel: enqueueActions(({ enqueue }) => {
      enqueue(assign({ height: ({ context }: { context: ElectionContext }) => electSelf(context.height, context.now) }) as never);
      enqueue('announceLeader');
    }),
  } as never,
});

export const hastyElection: Protocol = { ...election, charts: { ...election.charts, election: hasty } };

const STATEMENTS: Readonly<Record<HistoryProperty, string>> = {
  D: 'D: in the tree of an election, delta is the distance from the leader',
  F: 'F: a search reaches only nodes of its graph',
  G: 'G: a reflected node has only neighbors of its graph',
  H: 'H: reflection and delta follow the order of the graph',
  'Lemma 2': 'Lemma 2: a node that has adopted a new leader never becomes a sink again',
};

const HISTORY_RUNS = Array.from({ length: 12 }, (_, i) => i + 1);

export function historyTable(): Table {
  const clocks = ['perfect', 'logical'] as const;
  const found = clocks.map((clock) => watchSearches(election, HISTORY_RUNS, { clock }));
  return {
    title: `Properties D, F, G, H and Lemma 2 over ${HISTORY_RUNS.length} random networks whose links are cut and joined one by one`,
    columns: ['', ...clocks.flatMap((clock) => [`${clock} clocks: looked at`, 'violated'])],
    rows: (Object.keys(STATEMENTS) as HistoryProperty[]).map((property) => ({
      label: STATEMENTS[property],
      cells: found.flatMap(({ looked, broken }) => [{ value: looked[property] }, exact(broken[property], 0)]),
    })),
    note: 'They describe the history since the last change of links, which no state contains. The property leader-oriented contains Lemmas 4 to 7.',
  };
}

/** Number of connected graphs with a leader and a link: `3 · (3 · 2 + 3)` of three nodes, `4 · (16 · 3 + 15 · 4 + 6 · 5 + 6)` of four. */
const LOSSES: Readonly<Record<number, number>> = { 3: 27, 4: 576 };

export function zeroLevelsTable(): Table {
  const rows = Object.entries(LOSSES).map(([n, losses]) => {
    const [perfect, logical] = ['perfect', 'logical'].map((clock) => lossesAtZero(Number(n), { clock }));
    return {
      label: `${n} nodes`,
      cells: [
        exact(perfect!.losses, losses),
        exact(perfect!.needless, 0),
        exact(logical!.needless, 0),
        { value: lossesAtZero(Number(n), {}, hastyElection).needless },
      ],
    };
  });
  return {
    title: 'Chapter 6: needless elections after a loss when all reference levels are (0, 0, 0), every graph and interleaving',
    columns: ['', 'losses', 'perfect clocks', 'logical clocks', 'a sink elects itself'],
    rows,
    note: 'Under this condition no election is needless with logical clocks either. Those of the simpler algorithm are.',
  };
}

function costOf(protocol: Protocol, topology: Topology, lost: readonly (readonly [string, string])[]): ElectionCost {
  const scenario = {
    protocol: 'election',
    topology: { ...topology },
    options: { hello: false },
    events: lost.map((link) => ({ at: 1, do: 'cut', link })),
  };
  const { at, summary } = new Simulation(parseScenario(scenario, { election: protocol }), {
    host: 'snapshots',
    watch: false,
  }).run();
  const { updates, elections, oriented } = summary as unknown as ElectionCost & { readonly oriented: boolean };
  if (!oriented) throw new Error('The run of the election ended without a leader in each component.');
  return { updates, ticks: at, elections };
}

export function priceTable(): Table {
  const shapes = [
    { kind: 'ring', n: 16 },
    { kind: 'ring', n: 64 },
    { kind: 'grid', rows: 8, columns: 8 },
  ];
  const rows = shapes.flatMap((shape) => {
    const topology = topologyOf(shape);
    const name = 'n' in shape ? `ring of ${shape.n}` : 'grid 8 × 8';
    const events = [
      { label: `${name}, one link of the leader lost`, lost: [['n0', 'n1']] as const, elections: 0 },
      { label: `${name}, the leader isolated`, lost: linksAt('n0', topology), elections: 2 },
    ];
    return events.map(({ label, lost, elections }) => {
      const [stable, simple] = [election, hastyElection].map((protocol) => costOf(protocol, topology, lost));
      const cells = [stable!, simple!].flatMap(({ updates, ticks }) => [{ value: updates }, { value: ticks }]);
      const sinks = { value: simple!.elections, expected: 1, check: 'atLeast' as const };
      return { label, cells: [exact(stable!.elections, elections), ...cells.slice(0, 2), sinks, ...cells.slice(2)] };
    });
  });
  return {
    title: 'The price of stability: the algorithm of the thesis, and a sink that elects itself',
    columns: ['', 'elections', 'Updates', 'ticks', 'simpler: elections', 'Updates', 'ticks'],
    rows,
    note: 'The simpler algorithm is cheaper if the leader is gone. Otherwise it elects a new leader without need.',
  };
}
