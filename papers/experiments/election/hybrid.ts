/**
 * Approximately synchronized clocks that preserve causality (chapter 7 of the thesis leaves them open): hybrid logical clocks.
 *
 * A node's clock shows its own physical time, with an error below a bound, and never less than a time that it has shown or received
 * (Kulkarni et al., "Logical Physical Clocks", 2014, with time and counter in one number). They are causal, so elections work as before.
 * But Theorem 2 requires independent searches to be stamped in the order in which they began, and that holds only for searches further
 * apart than the clocks.
 */
import { assign } from 'xstate';
import { election } from '../../../machines/election/index.js';
import { electionMachine, type ElectionContext } from '../../../machines/election/machine.js';
import type { NodeId } from '../../../machines/effects.js';
import type { Protocol } from '../../../machines/protocol.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import type { Table } from '../experiment.js';

type Tick = { context: ElectionContext; event: { readonly at?: number; readonly stamp?: number | null } };

/** The election on hybrid logical clocks. Each node's physical clock is ahead of the true time by the given number of ticks. */
export function withHybridClocks(ahead: Readonly<Record<NodeId, number>>): Protocol {
  const nowOf = ({ context, event }: Tick): number =>
    Math.max((event.at ?? 0) + (ahead[context.id[1]] ?? 0), context.now + 1, (event.stamp ?? 0) + 1);
  const tick = assign((args: unknown) => ({ now: nowOf(args as Tick) }));
  const chart = electionMachine.provide({ actions: { tick } as never });
  return { ...election, charts: { ...election.charts, election: chart } };
}

/**
 * Number of needless elections on the five nodes for which logical clocks are not enough. n4 loses its way to the leader and searches, a
 * link is joined, and later n2 loses its way. All are connected with the leader throughout, and each change happens at rest.
 */
export function electionsAfter(skew: number, apart: number): number {
  const scenario = {
    protocol: 'election',
    topology: {
      nodes: ['n1', 'n2', 'n3', 'n4', 'n5'],
      links: [
        ['n1', 'n2', 1],
        ['n2', 'n3', 1],
        ['n3', 'n4', 1],
        ['n1', 'n4', 1],
        ['n4', 'n5', 1],
      ],
    },
    options: { clock: 'logical', leader: 'n1' },
    events: [
      { at: 10, do: 'cut', link: ['n1', 'n4'] },
      { at: 10 + apart / 2, do: 'join', link: ['n1', 'n5'] },
      { at: 10 + apart, do: 'cut', link: ['n1', 'n2'] },
    ],
  };
  const { summary } = new Simulation(parseScenario(scenario, { election: withHybridClocks({ n4: skew }) }), {
    host: 'snapshots',
  }).run();
  return summary['elections'] as number;
}

const APART = [20, 40, 80];
const SKEWS = [0, 10, 19, 21, 41, 81];

export function hybridTable(): Table {
  return {
    title: 'Hybrid logical clocks: avoidable elections on five nodes, by how far clocks and searches are apart',
    columns: ['', ...APART.map((apart) => `searches ${apart} ticks apart`)],
    rows: SKEWS.map((skew) => ({
      label: `one clock ${skew} ticks ahead`,
      cells: APART.map((apart) => ({ value: electionsAfter(skew, apart), expected: skew > apart ? 1 : 0 })),
    })),
    note: 'Clocks that are off by less than the time between two searches order them as perfect ones do. No bound on the skew is enough for all: two searches may begin at any distance.',
  };
}
