/**
 * The invariants of the Arvy directory (spec 1.6) as predicates of the whole configuration, as in the paper: the reference for their
 * totals.
 */
import type { NodeId } from '../effects.js';
import type { Configuration } from '../protocol.js';
import { Forest } from './start-trees.js';
import { COMBINATIONS_MAX } from './trees.js';
import {
  directoryContext,
  type FindFlight,
  finds,
  holdsToken,
  isRequesting,
  nextOf,
  pointerFitsState,
  pointers,
  tokens,
  waitingFor,
} from './view.js';

type Config = Configuration<any>;

/** True if the edges, directions ignored, form one tree over all the nodes. */
export function isSpanningTree(nodes: Iterable<NodeId>, edges: Iterable<readonly [NodeId, NodeId]>): boolean {
  const forest = new Forest(nodes);
  for (const [a, b] of edges) if (!forest.join(a, b)) return false;
  return forest.components === 1;
}

/** Predicates by the names of the properties. */
export const plainHolds: Readonly<Record<string, (c: Config) => boolean>> = {
  'spanning tree': (c) =>
    isSpanningTree(c.nodes.keys(), [...pointers(c), ...finds(c).map(({ from, to }) => [from, to] as const)]),
  'green trees': everyGreenChoiceIsATree,
  'source side': sourceSidesHold,
  'one token': (c) => [...c.nodes.values()].filter(holdsToken).length + tokens(c).length === 1,
  'one trace of a request': (c) => [...c.nodes].every(([id, node]) => tracesOf(id, c) === (isRequesting(node) ? 1 : 0)),
  'end of the queue': (c) => [...c.nodes].every(([id, node]) => pointerFitsState(id, node)) && nextsAreChains(c),
  'head of the queue': (c) => [...c.nodes].every(([id, node]) => directoryContext(node).parent !== id || queueHasAHead(id, c)),
  'one bridge': isOneBridge,
};

function isOneBridge(c: Config): boolean {
  const flagged = [...c.nodes].map(([id, node]) => [id, directoryContext(node).parent, directoryContext(node).edge] as const);
  const flying = finds(c).map(({ from, to, message }) => [from, to, message.edge] as const);
  const { sides } = c.instance.options;
  const edges = [...flagged, ...flying].filter(([from, to]) => from !== to);
  return (
    edges.filter(([, , edge]) => edge === 'bridge').length === 1 &&
    edges.every(([from, to, edge]) => !sides || (sides[from] !== sides[to]) === (edge === 'bridge'))
  );
}

function everyGreenChoiceIsATree(c: Config): boolean {
  const black = pointers(c);
  const forest = new Forest(c.nodes.keys());
  if (!black.every(([a, b]) => forest.join(a, b))) return false;
  // Nodes of one black component are interchangeable, so one of each is enough.
  const choices = finds(c).map((find) => {
    const reached = reachedBy(find, c).map((node) => forest.component(node));
    return { to: find.to, sources: [...new Set(reached)] };
  });
  const combinations = choices.reduce((product, { sources }) => product * sources.length, 1);
  if (combinations > COMBINATIONS_MAX) {
    return choices.every((_, i) =>
      everyChoice(
        choices.map((choice, j) => (i === j ? choice : firstOf(choice))),
        black,
        c,
      ),
    );
  }
  return everyChoice(choices, black, c);
}

type GreenChoice = { readonly to: NodeId; readonly sources: readonly NodeId[] };

const firstOf = ({ to, sources }: GreenChoice): GreenChoice => ({ to, sources: sources.slice(0, 1) });

function everyChoice(choices: readonly GreenChoice[], edges: readonly (readonly [NodeId, NodeId])[], c: Config): boolean {
  const [choice, ...rest] = choices;
  if (!choice) return isSpanningTree(c.nodes.keys(), edges);
  return choice.sources.every((source) => everyChoice(rest, [...edges, [choice.to, source]], c));
}

/** As many finds as nodes form a cycle, which has no sides. */
function sourceSidesHold(c: Config): boolean {
  return finds(c).length < c.nodes.size && finds(c).every((find) => sourceSideHolds(find.id, c));
}

function sourceSideHolds(id: number, c: Config): boolean {
  const forest = new Forest(c.nodes.keys());
  for (const [a, b] of pointers(c)) forest.join(a, b);
  for (const find of finds(c)) if (find.id !== id) forest.join(find.from, find.to);
  const find = finds(c).find((candidate) => candidate.id === id)!;
  const source = forest.component(find.from);
  return reachedBy(find, c).every((node) => forest.component(node) === source);
}

/** The nodes that a find has visited, as far as it contains them, and those that wait for its producer. */
const reachedBy = ({ from, message }: FindFlight, c: Config): NodeId[] => [
  ...message.visited,
  from,
  ...waitingFor(message.producer, c),
];

function tracesOf(id: NodeId, c: Config): number {
  const findsInFlight = finds(c).filter(({ message }) => message.producer === id).length;
  const predecessors = [...c.nodes.keys()].filter((node) => nextOf(node, c) === id).length;
  return findsInFlight + predecessors + tokens(c).filter(({ to }) => to === id).length;
}

function nextsAreChains(c: Config): boolean {
  const nexts = [...c.nodes.keys()].map((node) => nextOf(node, c)).filter((next) => next !== null);
  const closesCycle = (node: NodeId) => waitingFor(node, c).includes(node);
  return new Set(nexts).size === nexts.length && ![...c.nodes.keys()].some(closesCycle);
}

function queueHasAHead(selfLoop: NodeId, c: Config): boolean {
  const previous = (node: NodeId) => [...c.nodes.keys()].find((candidate) => nextOf(candidate, c) === node);
  let top = selfLoop;
  for (let steps = 0, at = previous(top); at !== undefined && steps < c.nodes.size; steps++, at = previous(top)) top = at;
  return (
    holdsToken(c.nodes.get(top)!) ||
    tokens(c).some(({ to }) => to === top) ||
    finds(c).some(({ message }) => message.producer === top)
  );
}
