/**
 * Figures 1 and 2 of the Arvy paper, drawn from a run with given choices: a state for each panel, and the trees of Lemma 2 in one of them.
 */
import type { Configuration } from '../../../machines/protocol.js';
import { directoryContext, finds, holdsToken, pointers, waitingFor } from '../../../machines/directory/view.js';
import type { Choice } from '../../../network/world/choice.js';
import type { DrawnArrow, DrawnNode, Drawing, DrawnPanel } from '../drawing.js';
import { stateAfter } from '../state-after.js';

const PLACES: Readonly<Record<string, readonly [number, number]>> = {
  a: [1.2, 0],
  b: [0, 1],
  c: [2, 1],
  d: [1.2, 2],
  e: [2.8, 2],
};
const nodes = Object.keys(PLACES);

/** All nodes are below a, d and e below c; a uses the token. */
const figure1 = {
  protocol: 'directory',
  events: ['a', 'd', 'e', 'b'].map((node) => ({ at: 0, node, do: 'request' })),
  topology: { nodes, links: nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v, 1])) },
  options: { policy: 'ivy', root: 'a', parents: { a: 'a', b: 'a', c: 'a', d: 'c', e: 'c' }, hold: null },
};

const deliver = (id: number): Choice => ({ deliver: id });
const release = (node: string): Choice => ({ command: [node, 'release'] });

const PANELS: readonly (readonly [caption: string, ...choices: Choice[]])[] = [
  ['1a: a uses the token', { event: 0 }],
  ['1b: d requests', { event: 1 }],
  ['1c: c gets find by d', deliver(0)],
  ['1d: e requests', { event: 2 }],
  ['1e: c gets find by e', deliver(2)],
  ['1f: d gets find by e', deliver(3)],
  ['1g: b requests', { event: 3 }],
  ['1h: a gets find by b', deliver(4)],
  ['1i: a gets find by d', deliver(1)],
  ['1j: b gets find by d', deliver(5)],
  ['1k: a releases, b has it', release('a'), deliver(6)],
  ['1l: at last e has it', release('b'), deliver(7), release('d'), deliver(8)],
];

/** The states of the panels, in order. */
export function statesOfFigure1(): readonly { readonly caption: string; readonly state: Configuration }[] {
  return PANELS.map(([caption], i) => {
    const choices = PANELS.slice(0, i + 1).flatMap(([, ...own]) => own);
    return { caption, state: stateAfter(figure1, choices) };
  });
}

const placed = (c: Configuration): DrawnNode[] =>
  [...c.nodes].map(([id, node]) => {
    const [x, y] = PLACES[id]!;
    const { next } = directoryContext(node);
    const note = [holdsToken(node) ? '■' : '', next ?? ''].join(' ').trim();
    return { id, x, y, ...(note === '' ? {} : { note }) };
  });

const pointersOf = (c: Configuration): DrawnArrow[] =>
  [...c.nodes].map(([from, node]) => ({ from, to: directoryContext(node).parent, kind: 'pointer' }));

const panelOf = (caption: string, c: Configuration): DrawnPanel => ({
  caption,
  nodes: placed(c),
  arrows: [...pointersOf(c), ...finds(c).map(({ from, to }): DrawnArrow => ({ from, to, kind: 'message' }))],
});

/**
 * All graphs in which each find in flight is replaced by an edge from its target to a node that it has visited, or that waits for its
 * producer.
 */
export function greenGraphs(c: Configuration): readonly (readonly (readonly [string, string])[])[] {
  let graphs: (readonly (readonly [string, string])[])[] = [[]];
  for (const { from, to, message } of finds(c)) {
    const ends = [...new Set([message.producer, ...message.visited, from, ...waitingFor(message.producer, c)])];
    graphs = graphs.flatMap((edges) => ends.map((end) => [...edges, [to, end] as const]));
  }
  return graphs;
}

export function arvyFigures(): Drawing[] {
  const states = statesOfFigure1();
  const { state } = states.find(({ caption }) => caption.startsWith('1g'))!;
  const trees = greenGraphs(state).map((edges): DrawnPanel => {
    const caption = `Figure 2: ${edges.map(([from, to]) => `(${from}, ${to})`).join(' ')}`;
    const black = pointers(state).map(([from, to]): DrawnArrow => ({ from, to, kind: 'pointer' }));
    return {
      caption,
      nodes: placed(state),
      arrows: [...black, ...edges.map(([from, to]): DrawnArrow => ({ from, to, kind: 'stand-in' }))],
    };
  });
  return [
    {
      name: 'arvy-figure-1',
      title: 'Figure 1: pointers blue, finds red; next to a node ■ the token and its next receiver',
      panels: states.map(({ caption, state }) => panelOf(caption, state)),
      note: 'In 1h to 1j a keeps the token although another node is next: a is using it (erratum A3).',
    },
    {
      name: 'arvy-figure-2',
      title: 'Figure 2: the trees of Lemma 2 in 1g, finds replaced by green edges',
      panels: trees,
      note: 'Each of them is a tree, directions ignored.',
    },
  ];
}
