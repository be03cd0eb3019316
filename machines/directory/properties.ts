/** The invariants of the Arvy directory (spec 1.6) and its liveness, as named properties of every configuration. */
import type { NodeId } from '../effects.js';
import { Forest, isSpanningTree } from '../forest.js';
import type { Configuration, Property, Instance } from '../protocol.js';
import type { DirectoryOptions } from './options.js';
import {
  directoryContext,
  type FindFlight,
  finds,
  holdsToken,
  isUsing,
  isRequesting,
  nextOf,
  pointerFitsState,
  pointers,
  tokens,
  waitingFor,
} from './view.js';
import { COMBINATIONS_MAX, directoryFold as over, type DirectoryTotals } from './totals.js';

type Config = Configuration<any>;

export function directoryProperties(instance: Instance<DirectoryOptions>): Property<DirectoryOptions>[] {
  const bridged = instance.options.policy === 'bridge';
  return bridged ? [...invariants, oneBridge, requestsAreServed] : [...invariants, requestsAreServed];
}

const invariants: Property<DirectoryOptions>[] = [
  {
    name: 'spanning tree',
    kind: 'always',
    says: 'Pointers and finds in flight form a spanning tree, directions ignored (Lemma 2, part 1).',
    holds: (c) => isSpanningTree(c.nodes.keys(), [...pointers(c), ...finds(c).map(({ from, to }) => [from, to] as const)]),
    folded: { over, holds: (t: DirectoryTotals) => t.isSpanningTree(), looksAtAll: true },
  },
  {
    name: 'green trees',
    kind: 'always',
    says: 'Each find may be replaced by an edge from its destination to any node it visited or that waits for its producer: always a spanning tree (Lemma 2, part 2).',
    holds: everyGreenChoiceIsATree,
    folded: { over, holds: (t: DirectoryTotals) => t.greenTrees(), looksAtAll: true },
  },
  {
    name: 'source side',
    kind: 'always',
    says: 'What a find visited, and who waits for its producer, lies on its source side (Lemma 2, part 3).',
    holds: sourceSidesHold,
    folded: { over, holds: (t: DirectoryTotals) => t.sourceSide(), looksAtAll: true },
  },
  {
    name: 'one token',
    kind: 'always',
    says: 'There is one token, at a node or in flight.',
    holds: (c) => [...c.nodes.values()].filter(holdsToken).length + tokens(c).length === 1,
    folded: { over, holds: (t: DirectoryTotals) => t.tokens === 1 },
  },
  {
    name: 'one trace of a request',
    kind: 'always',
    says: 'A node waits exactly if one of these is so: its find is in flight, it is the next of some node, the token flies to it.',
    holds: (c) => [...c.nodes].every(([id, node]) => tracesOf(id, c) === (isRequesting(node) ? 1 : 0)),
    folded: { over, holds: (t: DirectoryTotals) => t.untraced === 0 },
  },
  {
    name: 'end of the queue',
    kind: 'always',
    says: 'Who waits or holds the token either points to itself or has a next; who does neither points elsewhere and has none; no cycle and no shared next (Lemma 3). Further requests of a node wait only while one of it is out.',
    holds: (c) => [...c.nodes].every(([id, node]) => pointerFitsState(id, node)) && nextsAreChains(c),
    folded: { over, holds: (t: DirectoryTotals) => t.misfits === 0 && t.shared === 0 && t.areChains(), looksAtAll: true },
  },
  {
    name: 'head of the queue',
    kind: 'always',
    says: 'An idle holder has no next, and walking back along next from any self-loop ends at the holder, at whom the token flies to, or at a node whose find is in flight (Lemma 3).',
    holds: (c) => [...c.nodes].every(([id, node]) => directoryContext(node).parent !== id || queueHasAHead(id, c)),
    folded: { over, holds: (t: DirectoryTotals) => t.haveHeads(), looksAtAll: true },
  },
];

const oneBridge: Property<DirectoryOptions> = {
  name: 'one bridge',
  kind: 'always',
  says: 'Exactly one pointer or find is the bridge, and it joins the two sides of the ring; the others stay inside a side.',
  holds: (c) => {
    const flagged = [...c.nodes].map(([id, node]) => [id, directoryContext(node).parent, directoryContext(node).edge] as const);
    const flying = finds(c).map(({ from, to, message }) => [from, to, message.edge] as const);
    const { sides } = c.instance.options;
    const edges = [...flagged, ...flying].filter(([from, to]) => from !== to);
    return (
      edges.filter(([, , edge]) => edge === 'bridge').length === 1 &&
      edges.every(([from, to, edge]) => !sides || (sides[from] !== sides[to]) === (edge === 'bridge'))
    );
  },
  folded: { over, holds: (t: DirectoryTotals) => t.bridges === 1 && t.astray === 0 },
};

const requestsAreServed: Property<DirectoryOptions> = {
  name: 'every request is served',
  kind: 'eventually',
  says: 'A waiting node gets the token when messages arrive and uses end, even while others keep requesting (Theorem 5).',
  when: (c, node) => isRequesting(c.nodes.get(node)!),
  holds: (c, node) => isUsing(c.nodes.get(node)!),
  ofNode: (view) => ({ when: isRequesting(view), holds: isUsing(view) }),
};

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

/** With as many finds as nodes there is a cycle, and sides mean nothing. */
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

/** The nodes that a find has visited, as far as it carries them, and those that wait for its producer. */
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
