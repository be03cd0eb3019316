/**
 * Figures 3.1 and 6 of the thesis, drawn from runs. An arrow on a link leads from the larger height to the smaller one, as each search and
 * election changes it.
 *
 * The picture of Figure 6 is lost in the copy of the thesis that was read. The run here is a situation that its text describes: with logical
 * clocks a node elects itself, although it is connected with the leader.
 */
import { compareHeights, type Height } from '../../../machines/election/height.js';
import { electionContext } from '../../../machines/election/view.js';
import type { Configuration } from '../../../machines/protocol.js';
import type { Drawing, DrawnArrow, DrawnPanel } from '../drawing.js';
import { stateAt } from '../state-after.js';
import { sampleScenario } from './sample.js';

type Places = Readonly<Record<string, readonly [number, number]>>;

const heightAt = (c: Configuration, id: string): Height => electionContext(c.nodes.get(id)!).height;

function panelOf(caption: string, c: Configuration, places: Places): DrawnPanel {
  const nodes = Object.entries(places).map(([id, [x, y]]) => {
    const { tau, oid, r, delta, lid } = heightAt(c, id);
    return { id, x, y, note: oid ? `${tau}${oid[1]}${r === 1 ? '*' : ''} ${delta}` : `${lid[1]} ${delta}` };
  });
  const arrows = Object.keys(places).flatMap((from) =>
    c.links.neighbors(from).flatMap((to): DrawnArrow[] => {
      if (!(to in places) || !c.links.up(from, to)) return [];
      return compareHeights(heightAt(c, from), heightAt(c, to)) > 0 ? [{ from, to, kind: 'pointer' }] : [];
    }),
  );
  return { caption, nodes, arrows };
}

const SAMPLE: Places = {
  A: [1, 0],
  B: [0.4, 1],
  C: [1.8, 1],
  D: [0, 2],
  E: [1, 2],
  F: [2, 2],
  G: [1, 3],
  H: [2, 3],
};

export const sampleFigure = (): Drawing => ({
  name: 'election-figure-3-1',
  title: 'Figure 3.1: the sample execution. Arrows lead down; a note is the search (* reflected) or the leader, and delta',
  panels: Array.from({ length: 11 }, (_, at) =>
    panelOf(at === 0 ? 'the link G–H is up' : `tick ${at}`, stateAt(sampleScenario, at), SAMPLE),
  ),
  note: 'The search of G passes all nodes, is reflected by A and returns. Then G elects itself.',
});

/** Each change happens at rest, and all nodes are connected with the leader n1 throughout. */
const logicalClocks = {
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
    { at: 30, do: 'join', link: ['n1', 'n5'] },
    { at: 50, do: 'cut', link: ['n1', 'n2'] },
  ],
};

const FIVE: Places = { n1: [0, 0], n2: [1.5, 0], n3: [2.2, 1], n4: [1.5, 2], n5: [0, 2] };

/** States of the run with logical clocks, from before the first search until after the needless election. */
export const needlessStates = () =>
  (
    [
      ['n1 leads', 9],
      ['n1–n4 is lost, n4 searches', 29],
      ['n1–n5 is new', 49],
      ['n1–n2 is lost, n2 searches', 50],
      ['n2 joins the older search', 52],
      ['n4 has elected itself', 60],
    ] as const
  ).map(([caption, at]) => ({ caption, state: stateAt(logicalClocks, at) }));

export const needlessFigure = (): Drawing => ({
  name: 'election-figure-6',
  title: 'Figure 6: with logical clocks a node elects itself, although it is connected with the leader',
  panels: needlessStates().map(({ caption, state }) => panelOf(caption, state, FIVE)),
  note: 'The searches of n2 and n4 have the same stamp, so that of n4 passes for the later one. It returns to n4, which elects itself.',
});
