/** The gap in the proof of Lemma 2 and Theorem 4 on three nodes (`quiver paper arvy` counts four as well), and Figures 1 and 2. */
import { expect, test } from 'vitest';
import { assign } from 'xstate';
import { directory, directoryMachine } from '../../../machines/directory/index.js';
import { isSpanningTree } from '../../../machines/directory/plain.fixtures.js';
import { holdsToken, pointers } from '../../../machines/directory/view.js';
import { greenGraphs, statesOfFigure1 } from './figures.js';
import { countProof } from './proof.js';

test('the proof omits 36 of 714 steps of three nodes; the lemma holds in all states', () => {
  expect(countProof(3)).toMatchObject({ states: 300, leftOut: 36, holds: true, noNodeTwice: true });
});

test('Theorem 4 fails if pointers do not turn: a find returns to a visited node', () => {
  const stiff = {
    ...directory,
    charts: { directory: directoryMachine.provide({ actions: { adoptParent: assign({}) } } as any) },
  };
  expect(countProof(2, { ...stiff, properties: () => [] })).toMatchObject({ noNodeTwice: false });
});

test('Figure 2: in 1g the two finds can be replaced in three ways, each a tree', () => {
  const { state } = statesOfFigure1().find(({ caption }) => caption.startsWith('1g'))!;
  const graphs = greenGraphs(state).map((edges) => new Set(edges.map((edge) => edge.join(' '))));
  expect(graphs).toHaveLength(3);
  for (const end of ['d', 'c', 'e']) expect(graphs).toContainEqual(new Set(['a b', `a ${end}`]));
  for (const edges of greenGraphs(state)) expect(isSpanningTree(state.nodes.keys(), [...pointers(state), ...edges])).toBe(true);
});

test('Figure 1 ends with the token at e, the last node', () => {
  const { state } = statesOfFigure1().at(-1)!;
  expect([...state.nodes].filter(([, node]) => holdsToken(node)).map(([id]) => id)).toEqual(['e']);
});
