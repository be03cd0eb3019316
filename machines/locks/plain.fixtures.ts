/** Properties of locks, each stated about the whole configuration: the reference for their totals. */
import type { NodeId } from '../effects.js';
import type { Configuration, Property } from '../protocol.js';
import { isBeyond } from './epoch.js';
import type { Claim } from './knowledge.js';
import { isMajorityOf, isOfAllPresent, type Membership } from './membership.js';
import type { LocksProtocolOptions } from './options.js';
import { directoriesOf } from './invariants.fixtures.js';
import { epochsOf, isClient, isHolding, servingOf, usesOf } from './view.js';

const isDistinct = (keys: readonly unknown[]): boolean => new Set(keys.map((key) => JSON.stringify(key))).size === keys.length;

/** The tokens of each lock and epoch: at a node, or in flight to one that may still use it. */
const tokens = (c: Configuration): [number, string][] => [
  ...directoriesOf(c).flatMap(({ epoch, lock, role }): [number, string][] =>
    role.context.parent === undefined || !isHolding(role.value) ? [] : [[epoch, lock]],
  ),
  ...c.flights.flatMap(({ message }): [number, string][] => {
    const { epoch, lock } = message as { epoch?: number; lock?: string };
    return message.type === 'token' ? [[epoch!, lock!]] : [];
  }),
];

const bounds: Property<LocksProtocolOptions> = {
  name: 'bounds',
  description:
    'A granted fence belongs to an epoch that its user has served. No epoch opens more locks than it has room for. For each lock and member, a node keeps one early message of each type.',
  kind: 'always',
  holds: (c) =>
    [...c.nodes.values()].every((node) => {
      if (isClient(node)) return true;
      const { served, promised, claims, opened, bounds, early } = epochsOf(node).context;
      const isNumbered = ({ fence }: Claim) => fence === null || !isBeyond(fence, served.epoch, bounds.grants);
      const subjects = early.map((message) => {
        const { type, from, lock, producer = from } = message as typeof message & { producer?: NodeId };
        return [type, producer, lock];
      });
      const isOfPromised = early.every(({ epoch }) => epoch === promised!.epoch);
      return claims.every(isNumbered) && opened <= bounds.locks && isDistinct(subjects) && isOfPromised;
    }),
};

const moreThanHalf: Property<LocksProtocolOptions> = {
  name: 'more than half',
  description: 'A node that serves is a member of an epoch with a majority of its voters.',
  kind: 'always',
  holds: (c) =>
    [...c.nodes].every(([id, node]) => {
      const served = servingOf(node);
      return served === null || (served.members.includes(id) && isMajorityOf(served.members, served.membership));
    }),
};

const oneMajority: Property<LocksProtocolOptions> = {
  name: 'two majorities never',
  description: 'At most one epoch is served by a majority of its voters.',
  kind: 'always',
  holds: (c) => {
    const serving = new Map<string, { readonly nodes: NodeId[]; readonly lists: Membership[] }>();
    for (const [id, node] of c.nodes) {
      const served = servingOf(node);
      if (served === null) continue;
      const key = JSON.stringify([served.epoch, served.members]);
      const { nodes = [], lists = [] } = serving.get(key) ?? {};
      serving.set(key, { nodes: [...nodes, id], lists: [...lists, served.membership] });
    }
    const isMajority = (nodes: readonly NodeId[]) => (list: Membership) => !isOfAllPresent(list) && isMajorityOf(nodes, list);
    return [...serving.values()].filter(({ nodes, lists }) => lists.some(isMajority(nodes))).length < 2;
  },
};

export const plainProperties: readonly Property<LocksProtocolOptions>[] = [
  {
    name: 'one fence, one holder',
    description: 'No two applications hold a lock with the same fence, however the network is divided.',
    kind: 'always',
    holds: (c) => isDistinct(usesOf(c).map(({ lock, fence }) => [lock, fence])),
  },
  {
    name: 'one token an epoch',
    description: 'Each lock has at most one token in each epoch.',
    kind: 'always',
    holds: (c) => isDistinct(tokens(c)),
  },
  {
    name: 'one beginning an epoch',
    description: 'All nodes that serve an epoch know the same members, and the same kept locks.',
    kind: 'always',
    holds: (c) => {
      const begun = new Map<number, string>();
      return [...c.nodes.values()].every((node) => {
        const served = servingOf(node);
        if (served === null) return true;
        const beginning = JSON.stringify([served.members, served.kept, served.membership]);
        if (!begun.has(served.epoch)) begun.set(served.epoch, beginning);
        return begun.get(served.epoch) === beginning;
      });
    },
  },
  {
    name: 'one list a version',
    description: 'All nodes that know a version of the list of voters know the same list.',
    kind: 'always',
    holds: (c) => {
      const known = [...c.nodes.values()]
        .filter((view) => !isClient(view))
        .map((view) => epochsOf(view).context.membership)
        .map(({ origin, version, voters }) => ({ version: `${origin} ${version}`, list: voters.join() }));
      return known.every((one) => known.every(({ version, list }) => version !== one.version || list === one.list));
    },
  },
  moreThanHalf,
  oneMajority,
  bounds,
];
