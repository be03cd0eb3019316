/** Figure 1 of the paper, drawn from a run: a node, its persistent neighborhood, and the lock set when its request succeeds. */
import { exclusionContext, lockSet, peersAt } from '../../../machines/exclusion/view.js';
import type { Configuration } from '../../../machines/protocol.js';
import type { Drawing, DrawnArrow, DrawnPanel } from '../drawing.js';
import { stateAt } from '../state-after.js';

const PLACES: Readonly<Record<string, readonly [number, number]>> = {
  u: [1.5, 1],
  v1: [0, 0.2],
  v2: [1.2, 0],
  v3: [2.5, 0.2],
  v4: [2.5, 1.6],
  v5: [1.8, 2],
  v6: [0.2, 1.8],
};

/** Node u requests at 0. Its link to v6 is cut before the request succeeds, and v5 is a new neighbor. */
const scenario = {
  protocol: 'exclusion',
  topology: {
    nodes: Object.keys(PLACES),
    links: [...['v1', 'v2', 'v3', 'v4', 'v6'].map((v) => ['u', v, 1]), ['v4', 'v5', 1]],
  },
  options: { hold: 100 },
  events: [
    { at: 0, node: 'u', do: 'lock' },
    { at: 2, do: 'cut', link: ['u', 'v6'] },
    { at: 3, do: 'join', link: ['u', 'v5'] },
  ],
};

const TIMES = { i: 0, 'i + 1': 3, j: 20 } as const;

/** Persistent neighbors of u that are still linked, and its lock set, in each round of the figure. */
export const roundsOfFigure1 = () =>
  Object.entries(TIMES).map(([round, at]) => {
    const c = stateAt(scenario, at);
    const persistent = peersAt(c, 'u', exclusionContext(c.nodes.get('u')!).L);
    return { round, persistent, locked: lockSet(c, 'u'), panel: panelOf(round, c, persistent, lockSet(c, 'u')) };
  });

function panelOf(round: string, c: Configuration, persistent: readonly string[], locked: readonly string[]): DrawnPanel {
  const nodes = Object.entries(PLACES).map(([id, [x, y]]) => ({
    id,
    x,
    y,
    ...(persistent.includes(id) && { note: locked.includes(id) ? 'locked' : 'asked' }),
  }));
  const links = [...c.nodes.keys()].flatMap((from) =>
    c.links.neighbors(from).flatMap((to): DrawnArrow[] => (from < to ? [{ from, to, kind: 'link' }] : [])),
  );
  const holders = locked.map((from): DrawnArrow => ({ from, to: 'u', kind: 'pointer' }));
  return { caption: `round ${round}`, nodes, arrows: [...links, ...holders] };
}

export const persistentFigure = (): Drawing => ({
  name: 'exclusion-figure-1',
  title: 'Figure 1: a node u and its persistent neighborhood; a pointer leads from a locked node to u',
  panels: roundsOfFigure1().map(({ panel }) => panel),
  note: 'v6 is cut off before round j and v5 is new: both are not locked.',
});
