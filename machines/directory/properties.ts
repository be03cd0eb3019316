/** The invariants of the Arvy directory (spec 1.6) and its liveness, as named properties of every configuration. */
import { always } from '../folded.js';
import type { Instance, Property } from '../protocol.js';
import type { DirectoryOptions } from './options.js';
import { directoryFold } from './totals.js';
import { isRequesting, isUsing } from './view.js';

export function directoryProperties(instance: Instance<DirectoryOptions>): Property<DirectoryOptions>[] {
  const bridged = instance.options.policy === 'bridge';
  return bridged ? [...invariants, oneBridge, requestsAreServed] : [...invariants, requestsAreServed];
}

const counts = always(directoryFold);
const hasLinearCost = always(directoryFold, { hasLinearCost: true });

const invariants: readonly Property<DirectoryOptions>[] = [
  hasLinearCost(
    'spanning tree',
    'Pointers and finds in flight form a spanning tree, directions ignored (Lemma 2, part 1).',
    (t) => t.isSpanningTree(),
  ),
  hasLinearCost(
    'green trees',
    'Each find may be replaced by an edge from its destination to any node it visited or that waits for its producer: always a spanning tree (Lemma 2, part 2).',
    (t) => t.greenTrees(),
  ),
  hasLinearCost(
    'source side',
    'The nodes that a find visited, and those that wait for its producer, are on its source side (Lemma 2, part 3).',
    (t) => t.sourceSide(),
  ),
  counts('one token', 'There is one token, at a node or in flight.', (t) => t.tokens === 1),
  counts(
    'one trace of a request',
    'A node waits exactly if one of these is so: its find is in flight, it is the next of some node, the token flies to it.',
    (t) => t.untraced === 0,
  ),
  hasLinearCost(
    'end of the queue',
    'A node that waits or holds the token points to itself or has a next. Other nodes point elsewhere and have no next. Pointers form no cycle, and no two nodes share a next (Lemma 3). Further requests of a node wait only while one of its requests is open.',
    (t) => t.misfits === 0 && t.shared === 0 && t.areChains(),
  ),
  hasLinearCost(
    'head of the queue',
    'An idle holder has no next, and walking back along next from any self-loop ends at the holder, at whom the token flies to, or at a node whose find is in flight (Lemma 3).',
    (t) => t.haveHeads(),
  ),
];

const oneBridge = counts(
  'one bridge',
  'Exactly one pointer or find is the bridge, and it joins the two sides of the ring; the others stay inside a side.',
  (t) => t.bridges === 1 && t.astray === 0,
);

const requestsAreServed: Property<DirectoryOptions> = {
  name: 'every request is served',
  kind: 'eventually',
  description:
    'A waiting node receives the token if messages arrive and uses end, even if other nodes keep requesting (Theorem 5).',
  when: (c, node) => isRequesting(c.nodes.get(node)!),
  holds: (c, node) => isUsing(c.nodes.get(node)!),
};
