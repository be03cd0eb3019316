/**
 * Figures 1 to 5 of the queue's paper, drawn from runs: a tree, its quiescent states, a legal state, an illegal one, the step of the proof of
 * Theorem 4.4 that removes one find from a legal state, and an edge as a cycle.
 *
 * Each run follows given choices. The guardians have no effect in it, since their timers never fire.
 */
import type { Configuration } from '../../../machines/protocol.js';
import { isFind, isObserver, look, pointerIn } from '../../../machines/queue/view.js';
import type { Choice } from '../../../network/world/choice.js';
import type { DrawnArrow, Drawing, DrawnPanel } from '../drawing.js';
import { stateAfter } from '../state-after.js';
import { isLegalState } from './legal.js';

/** A binary tree of seven nodes, with their positions on the page. */
const PLACES: Readonly<Record<string, readonly [number, number]>> = {
  a: [1.5, 0],
  b: [0.5, 1],
  c: [2.5, 1],
  d: [0, 2],
  e: [1, 2],
  f: [2, 2],
  g: [3, 2],
};
const PARENTS = { a: 'a', b: 'a', c: 'a', d: 'b', e: 'b', f: 'c', g: 'c' } as const;

const figureTree = {
  protocol: 'queue',
  topology: {
    nodes: Object.keys(PARENTS),
    links: Object.entries(PARENTS).flatMap(([child, parent]) => (child === parent ? [] : [[parent, child, 1]])),
  },
  options: { root: 'a', parents: PARENTS },
  events: ['g', 'd'].map((node) => ({ at: 0, node, do: 'request' })),
};

export const [gAsks, dAsks]: readonly [Choice, Choice] = [{ event: 0 }, { event: 1 }];
const deliver = (id: number): Choice => ({ deliver: id });

/** The state of the tree after these choices of the checker. */
export const treeAfter = (choices: readonly Choice[]): Configuration => stateAfter(figureTree, choices);

export const isQuiescent = (c: Configuration): boolean => !c.flights.some(isFind) && isLegalState(c);

/** The request of g goes to c and then to a, the former end of the queue. That of d goes to b and is in flight to a. */
export const steps = {
  quiescent: [] as readonly Choice[],
  legal: [gAsks, deliver(0), dAsks, deliver(2)] as readonly Choice[],
  before: [gAsks, deliver(0), deliver(1)] as readonly Choice[],
  after: [gAsks, deliver(0), deliver(1), dAsks, deliver(2)] as readonly Choice[],
};

function panel(caption: string, c: Configuration): DrawnPanel {
  const links = Object.entries(PARENTS).flatMap(([from, to]): DrawnArrow[] => (from === to ? [] : [{ from, to, kind: 'link' }]));
  const pointers = [...c.nodes].map(([from, node]): DrawnArrow => ({ from, to: pointerIn(node)!.pointer, kind: 'pointer' }));
  const finds = c.flights.filter(isFind).map(({ from, to }): DrawnArrow => ({ from, to, kind: 'message' }));
  return { caption, nodes: placed(), arrows: [...links, ...pointers, ...finds] };
}

const placed = () => Object.entries(PLACES).map(([id, [x, y]]) => ({ id, x, y }));

/** A state with every node, edge and channel arbitrary: the first seed with an illegal edge. */
const illegalState = (): Configuration =>
  stateAfter({ ...figureTree, events: [{ at: 0, do: 'corrupt' }], seed: 2 }, [{ event: 0 }]);

export function queueFigures(): Drawing {
  const tree = { caption: 'Figure 1: the tree', nodes: placed(), arrows: panel('', treeAfter([])).arrows.slice(0, 6) };
  return {
    name: 'queue-figures',
    title: 'Figures 1 to 4: arrows (blue) and finds on their way (red)',
    panels: [
      tree,
      panel('… a quiescent state', treeAfter(steps.quiescent)),
      panel('Figure 2: legal, two finds', treeAfter(steps.legal)),
      panel('… illegal, anything at all', illegalState()),
      panel('Figure 4: L0, one find less', treeAfter(steps.before)),
      panel('Figures 3, 4: L, d has asked', treeAfter(steps.after)),
    ],
    note: 'From L0 the request of d leads to L: each arrow on its way is turned, and its find is on the edge from b to a (Theorem 4.4).',
  };
}

/** A corrupt edge with one observer, and finds before and behind it. */
const EDGE_SEED = 316;

/** The messages of this edge, clockwise: from a to b, and back to a. Each find is before the observer (Fal) or behind it (Fla). */
export function edgeAsCycle() {
  const topology = { nodes: ['a', 'b'], links: [['a', 'b', 1]] };
  const scenario = { protocol: 'queue', topology, options: { root: 'a' }, events: [{ at: 0, do: 'corrupt' }], seed: EDGE_SEED };
  const edge = look(stateAfter(scenario, [{ event: 0 }]), ['a', 'b']);
  // Lists of messages begin with the oldest one, which is farthest from its sender.
  const [down, up] = [edge.down.toReversed(), edge.up.toReversed()];
  const cycle = [...down, ...up];
  const observer = cycle.findIndex(isObserver);
  const sets = cycle.map((_, i) => (i < observer ? 'Fal' : i > observer ? 'Fla' : 'observer'));
  return { sets, down: down.length, edge };
}

export function edgeFigure(): Drawing {
  const { sets, down } = edgeAsCycle();
  const place = (i: number) => {
    const [rank, count] = i < down ? [i + 1, down] : [i - down + 1, sets.length - down];
    const along = (4 * rank) / (count + 1);
    return i < down ? { x: along, y: 0 } : { x: 4 - along, y: 2 };
  };
  const messages = sets.map((set, i) => ({ id: set === 'observer' ? 'obs' : `f${i + 1}`, ...place(i), note: set }));
  const order = ['a', ...messages.slice(0, down).map(({ id }) => id), 'b', ...messages.slice(down).map(({ id }) => id), 'a'];
  const nodes = [{ id: 'a', x: 0, y: 1 }, ...messages, { id: 'b', x: 4, y: 1 }];
  const arrows = order.slice(1).map((to, i): DrawnArrow => ({ from: order[i]!, to, kind: 'message' }));
  return {
    name: 'queue-figure-5',
    title: 'Figure 5: the edge (a, b) as a cycle, on which messages travel clockwise',
    panels: [{ caption: 'Fal: a to observer. Fla: observer to a', nodes, arrows }],
    note: 'Equation 2: φ(e) = |Fal| + |Fla| + p(a, e) + p(b, e).',
  };
}
