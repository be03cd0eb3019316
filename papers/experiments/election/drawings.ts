/**
 * Figures 3.1, 4.1 and 6 of the thesis, drawn from runs. An arrow on a link leads from the larger height to the smaller one, as each search and
 * election changes it.
 *
 * The picture of Figure 6 is lost in the copy of the thesis that was read. The run here is a situation that its text describes: with logical
 * clocks a node elects itself, although it is connected with the leader.
 */
import { compareHeights, type Height } from '../../../machines/election/height.js';
import { neighbors } from '../../../machines/election/links.js';
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

/**
 * The channel from u to v stays up, and the one from v to u goes down and comes up twice. Only v is notified. It keeps a way down through w:
 * a node without one would elect itself, and its new leader would change the height of u.
 */
const fluctuating = {
  protocol: 'election',
  topology: {
    nodes: ['u', 'w', 'v'],
    links: [
      ['u', 'w', 1],
      ['w', 'v', 1],
      ['u', 'v', 1],
    ],
  },
  options: { leader: 'u', hello: false },
  events: [
    { at: 10, do: 'down', channel: ['v', 'u'] },
    { at: 20, do: 'up', channel: ['v', 'u'] },
    { at: 30, do: 'down', channel: ['v', 'u'] },
    { at: 40, do: 'up', channel: ['v', 'u'] },
  ],
};

/** Neighbors (N) of a node, and its peers that are only forming. */
export function linksOf(c: Configuration, id: string): { readonly N: readonly string[]; readonly forming: readonly string[] } {
  const { links } = electionContext(c.nodes.get(id)!);
  const N = neighbors(links);
  return { N, forming: links.map(({ peer }) => peer).filter((peer) => !N.includes(peer)) };
}

export const fluctuatingStates = () =>
  (
    [
      ['both channels are up', 9],
      ['v–u is down', 19],
      ['v–u is up again', 29],
      ['v–u is down', 39],
      ['v–u is up for good', 60],
    ] as const
  ).map(([caption, at]) => ({ caption, state: stateAt(fluctuating, at) }));

const TRIANGLE: Places = { u: [0, 0], v: [2.6, 0], w: [1.3, 1.2] };
const channels = Object.keys(TRIANGLE).flatMap((from) =>
  Object.keys(TRIANGLE).map((to) => ({ from, to, kind: 'pointer' as const })),
);

export const fluctuatingFigure = (): Drawing => ({
  name: 'election-figure-4-1',
  title: 'Figure 4.1: the channel from u to v stays up, the one from v to u fluctuates. An arrow is a channel that is up',
  panels: fluctuatingStates().map(({ caption, state }) => ({
    caption,
    nodes: Object.entries(TRIANGLE).map(([id, [x, y]]) => {
      const { N, forming } = linksOf(state, id);
      return { id, x, y, note: `N {${N.join()}} forming {${forming.join()}}` };
    }),
    arrows: channels.filter(({ from, to }) => state.links.up(from, to)),
  })),
  note: 'At the end v is a neighbor of u, but u is only forming at v, and remains so until its height changes.',
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
