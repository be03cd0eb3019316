/**
 * Properties of one actor in a cluster. They judge a system in which the state of the actor is the list of the events that it has applied,
 * as `sender number` (`logCore`). This shows lost events, repeated ones and a wrong order.
 *
 * A version is durable if the next activation would read it: the latest copy of any set of replicas that it would be certain of.
 */
import { isLaterVersion } from './replica.js';
import { isCertain, latestOf, type ReplicaAnswer } from './hosting.js';
import type { ActorCopy } from './messages.js';
import type { ClusterProtocolOptions } from './core.js';
import type { Configuration, NodeView, Property } from '../protocol.js';
import { hostOf, replicaOf, senderOf } from './view.js';

type C = Configuration<ClusterProtocolOptions>;

const stateOf = (copy: ActorCopy | null): readonly string[] => (copy?.state as readonly string[] | undefined) ?? [];

/** The latest copy of each set of replicas that an activation would be certain of. */
function readable({ instance: { options }, nodes }: C): readonly (ActorCopy | null)[] {
  const { replicas } = options;
  const answers: ReplicaAnswer[] = replicas.map((from) => {
    const { copy, since, genesis } = replicaOf(nodes.get(from)!)!;
    return { from, copy, since, genesis };
  });
  const sets = answers.reduce<ReplicaAnswer[][]>((all, answer) => [...all, ...all.map((set) => [...set, answer])], [[]]);
  return sets.filter((copies) => isCertain({ replicas, copies })).map(latestOf);
}

const acknowledgedAt = (node: NodeView): readonly string[] => {
  const { session, unacked, next } = senderOf(node);
  return Array.from({ length: (unacked[0]?.number ?? next) - 1 }, (_, i) => `${session} ${i + 1}`);
};
const acknowledged = (c: C): readonly string[] => [...c.nodes.values()].flatMap(acknowledgedAt);

export const durable: Property<ClusterProtocolOptions> = {
  name: 'durable',
  description: 'Every acknowledged event is in every version that an activation can read.',
  kind: 'always',
  holds: (c) => {
    const events = acknowledged(c);
    return events.length === 0 || readable(c).every((copy) => events.every((event) => stateOf(copy).includes(event)));
  },
};

/** All versions of the actor that replicas keep or hosts write. */
const versions = (c: C): readonly ActorCopy[] =>
  [...c.nodes.values()].flatMap((node) =>
    [replicaOf(node)?.copy, hostOf(node)?.context.copy].filter((copy): copy is ActorCopy => copy !== null && copy !== undefined),
  );

function isOrdered(events: readonly string[]): boolean {
  const last = new Map<string, number>();
  return events.every((event) => {
    const [sender, number] = event.split(' ') as [string, string];
    const follows = Number(number) === (last.get(sender) ?? 0) + 1;
    last.set(sender, Number(number));
    return follows;
  });
}

export const once: Property<ClusterProtocolOptions> = {
  name: 'once',
  description: 'No version has an event twice, or events of one sender out of order.',
  kind: 'always',
  holds: (c) => versions(c).every((copy) => isOrdered(stateOf(copy))),
};

export const oneHistory: Property<ClusterProtocolOptions> = {
  name: 'one history',
  description: 'No version that a subscriber has received is later than what an activation can read.',
  kind: 'always',
  holds: (c) => {
    const seen = [...c.nodes.values()].map((node) => senderOf(node).last).filter(({ fence }) => fence > 0);
    return seen.length === 0 || readable(c).every((copy) => seen.every((last) => copy !== null && !isLaterVersion(last, copy)));
  },
};

export const seen: Property<ClusterProtocolOptions> = {
  name: 'seen',
  description: 'The last version that a sender has received contains its acknowledged events.',
  kind: 'always',
  holds: (c) =>
    [...c.nodes.values()].every((node) => {
      const events = acknowledgedAt(node);
      const { last } = senderOf(node);
      const received = versions(c).filter(({ fence, seq }) => fence === last.fence && seq === last.seq);
      return (
        events.length === 0 ||
        (last.fence > 0 && received.every((copy) => events.every((event) => stateOf(copy).includes(event))))
      );
    }),
};

export const fenced: Property<ClusterProtocolOptions> = {
  name: 'fenced',
  description: 'An activation cannot commit after a majority has replied to a later one.',
  kind: 'always',
  holds: (c) => {
    const hosts = [...c.nodes.values()].flatMap((node) => {
      const host = hostOf(node);
      return host && host.context.copy !== null && host.context.fence !== null ? [host.context] : [];
    });
    const promises = c.instance.options.replicas.map((replica) => replicaOf(c.nodes.get(replica)!)!.promised);
    // A majority has promised the fence of each activation that has read, so a smaller one finds no majority.
    return hosts.every(({ fence }) => promises.filter((promised) => promised >= fence!).length * 2 > promises.length);
  },
};

export const clusterProperties = (): readonly Property<ClusterProtocolOptions>[] => [durable, once, oneHistory, seen, fenced];
