/** What locks that survive failures promise: of all grants ever, in all components. */
import type { NodeId } from '../effects.js';
import type { Configuration, Property } from '../protocol.js';
import { isMajority } from './epoch.js';
import type { LocksOptions } from './options.js';
import { directoriesOf, isServing, stewardOf, usesOf } from './view.js';

const isDistinct = (keys: readonly unknown[]): boolean => new Set(keys.map((key) => JSON.stringify(key))).size === keys.length;

/** The tokens of each lock and epoch: held or on their way to somebody who may still use them. */
const tokens = (c: Configuration): [number, string][] => [
  ...directoriesOf(c).flatMap(({ epoch, lock, role }): [number, string][] =>
    role.context.parent === undefined || !isHolding(role.value) ? [] : [[epoch, lock]],
  ),
  ...c.flights.flatMap(({ message }): [number, string][] => {
    const { epoch, lock } = message as { epoch?: number; lock?: string };
    return message.type === 'token' ? [[epoch!, lock!]] : [];
  }),
];

const isHolding = (value: unknown): boolean => typeof value === 'object' && value !== null && 'holding' in value;

const stewards = (c: Configuration) => [...c.nodes.values()].map(stewardOf);

/** Whether the whole component of this node is linked with each other, and is more than half of all. */
function isSettled(c: Configuration, node: NodeId): boolean {
  const reached = [node, ...c.links.neighbours(node)];
  const areLinked = (u: NodeId, v: NodeId) => u === v || (c.links.up(u, v) && c.links.up(v, u));
  const isClosed = reached.every((u) => c.links.neighbours(u).every((v) => reached.includes(v)));
  return (
    isClosed &&
    reached.every((u) => reached.every((v) => areLinked(u, v))) &&
    isMajority(reached.length, c.instance.topology.nodes)
  );
}

export const locksProperties = (): readonly Property<LocksOptions>[] => [
  {
    name: 'one fence, one holder',
    says: 'No two applications hold a lock with the same fence, however the network is divided.',
    kind: 'always',
    holds: (c) => isDistinct(usesOf(c).map(({ lock, fence }) => [lock, fence])),
  },
  {
    name: 'one token an epoch',
    says: 'Of each lock there is at most one token in each epoch.',
    kind: 'always',
    holds: (c) => isDistinct(tokens(c)),
  },
  {
    name: 'one beginning an epoch',
    says: 'All who are in an epoch know the same members and the same holders.',
    kind: 'always',
    holds: (c) => {
      const begun = new Map<number, string>();
      return stewards(c).every(({ context: { epoch, members, holders } }) => {
        const beginning = JSON.stringify([members, holders]);
        if (members.length === 0) return true;
        if (!begun.has(epoch)) begun.set(epoch, beginning);
        return begun.get(epoch) === beginning;
      });
    },
  },
  {
    name: 'more than half',
    says: 'Who serves is a member of an epoch of more than half of all peers.',
    kind: 'always',
    holds: (c) =>
      stewards(c).every(
        ({ value, context: { id, members, peers } }) =>
          value !== 'serving' || (members.includes(id) && isMajority(members.length, peers)),
      ),
  },
  {
    name: 'service',
    says: 'Whoever waits for a lock in a majority that has settled is granted it.',
    kind: 'eventually',
    when: (c, node) => isWaiting(c, node),
    holds: (c, node) => !isWaiting(c, node) || !isSettled(c, node),
  },
  {
    name: 'return',
    says: 'A majority that has settled is served again.',
    kind: 'eventually',
    when: (c, node) => !isServing(c.nodes.get(node)!),
    holds: (c, node) => isServing(c.nodes.get(node)!) || !isSettled(c, node),
  },
  {
    name: 'notice',
    says: 'Whoever an epoch leaves out does not go on serving an earlier one beside those who are in it.',
    kind: 'eventually',
    when: (c, node) => isLeftOut(c, node),
    holds: (c, node) => !isLeftOut(c, node),
  },
];

/** Serves an epoch, and is linked with somebody who serves a later one without this node. */
function isLeftOut(c: Configuration, node: NodeId): boolean {
  const { value, context } = stewardOf(c.nodes.get(node)!);
  if (value !== 'serving') return false;
  return c.links.neighbours(node).some((peer) => {
    const other = stewardOf(c.nodes.get(peer)!);
    const hearsEachOther = c.links.up(peer, node) && other.context.links.includes(node) && context.links.includes(peer);
    return (
      hearsEachOther && other.value === 'serving' && other.context.epoch > context.epoch && !other.context.members.includes(node)
    );
  });
}

const isWaiting = (c: Configuration, node: NodeId): boolean =>
  stewardOf(c.nodes.get(node)!).context.entries.some(({ fence }) => fence === null);
