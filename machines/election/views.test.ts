/** The named states of the election are views of its height and its neighbors: they contain nothing else, and no rule reads them. */
import { expect, test } from 'vitest';
import { graphsOf } from '../../test/paths/graph.js';
import { statePath } from '../checks.js';
import { isSame } from './height.js';
import { election } from './index.js';
import { neighbors } from './links.js';
import { electionMachine, type ElectionContext } from './machine.js';
import { ELECTION } from './messages.js';

const named = ['isolated', 'leader', 'oriented', 'searching', 'reflected'];

function stateOf({ id, height, links }: ElectionContext): string {
  if (neighbors(links).length === 0) return 'isolated';
  if (isSame(height.lid, id)) return 'leader';
  if (height.tau === 0) return 'oriented';
  return `${height.r === 1 ? 'reflected' : 'searching'}.${isSame(height.oid, id) ? 'originator' : 'propagating'}`;
}

test('in every state that paths reach, the name follows from height and neighbors', () => {
  const graphs = graphsOf(election, 30).filter(({ chart }) => chart === ELECTION);
  const vertices = graphs.flatMap(({ vertices }) => vertices);
  const names = vertices.map(({ value }) => statePath({ value }));
  expect(names).toEqual(vertices.map(({ context }) => stateOf(context as ElectionContext)));
  expect(new Set(names.map((name) => name.split('.')[0]))).toEqual(new Set(named));
});

test('no transition starts in a named state', () => {
  const parts = ['searching', 'reflected'].flatMap((name) => [`${name}.originator`, `${name}.propagating`]);
  const nodes = [...named, ...parts].map((path) => electionMachine.getStateNodeById(`election.${path}`));
  expect(nodes.map(({ transitions, always }) => transitions.size + (always?.length ?? 0))).toEqual(nodes.map(() => 0));
});
