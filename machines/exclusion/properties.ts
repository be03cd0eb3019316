/** The invariants of local mutual exclusion (spec section 7) and its liveness, as named properties of every configuration. */
import type { NodeId } from '../effects.js';
import type { Configuration, Property } from '../protocol.js';
import type { ExclusionContext } from './machine.js';
import type { ExclusionOptions } from './options.js';
import { has, type Port } from './ports.js';
import {
  contextOf,
  isFromInitiator,
  lockSet,
  messages,
  neighbours,
  peersAt,
  portAt,
  valueOf,
  type ExclusionFlight,
} from './view.js';

type Config = Configuration<ExclusionOptions>;

export const exclusionProperties: readonly Property<ExclusionOptions>[] = [
  {
    name: 'roles of a port',
    kind: 'always',
    says: 'Applicants, candidates and those on hold are different ports; priorities come from candidates; answers and outcomes from the request in hand.',
    holds: (c) =>
      everyContext(c, ({ A, C, H, P, R, W, L }) => {
        const within = (ports: readonly Port[], set: readonly Port[]) => ports.every((port) => set.includes(port));
        return (
          new Set([...A, ...C, ...H]).size === A.length + C.length + H.length &&
          within(keys(P), C) &&
          within(R, L) &&
          within(keys(W), L)
        );
      }),
  },
  {
    name: 'phase fits candidates',
    kind: 'always',
    says: 'A participant competes exactly while it has candidates; without them nobody is on hold; idle, it knows nobody.',
    holds: (c) =>
      [...c.nodes.values()].every((node) => {
        const { participant } = valueOf(node);
        const { A, C, H } = contextOf(node);
        const idle = A.length + C.length + H.length === 0;
        return (
          C.length > 0 === (participant === 'compete') && (C.length > 0 || H.length === 0) && idle === (participant === 'idle')
        );
      }),
  },
  {
    name: 'two messages on an edge',
    kind: 'always',
    says: 'An edge carries at most one message of either initiator role, so two in all, and port 0 at most one (Theorem 4.1).',
    holds: (c) => {
      const roles = messages(c).map(({ from, to, message }) => (isFromInitiator(message) ? `${from} ${to}` : `${to} ${from}`));
      return new Set(roles).size === roles.length;
    },
  },
  {
    name: 'the locked set is known',
    kind: 'always',
    says: 'What a locked node takes for its lock set is its lock set; an idle node has an empty one.',
    holds: (c) =>
      [...c.nodes].every(([id, node]) => {
        const { initiator } = valueOf(node);
        if (initiator === 'idle') return lockSet(c, id).length === 0;
        return initiator !== 'locked' || `${peersAt(c, id, contextOf(node).L).sort()}` === `${lockSet(c, id).sort()}`;
      }),
  },
  {
    name: 'one winner',
    kind: 'always',
    says: 'A participant has promised itself to at most one candidate, and to none while it is locked.',
    holds: (c) =>
      [...c.nodes].every(([id, node]) => {
        const promised = [id, ...neighbours(c, id)].filter((candidate) => isPromised(c, id, candidate)).length;
        const { lock } = contextOf(node);
        return promised <= (lock === null || !isLive(c, id, lock) ? 1 : 0);
      }),
  },
  {
    name: 'locks and releases are in order',
    kind: 'always',
    says: 'A setLock reaches a free node, from a candidate; a release comes from the holder.',
    holds: (c) =>
      messages(c).every(({ from, to, message }) => {
        const { lock, C } = contextOf(c.nodes.get(to)!);
        const port = portAt(c, to, from);
        if (message.type === 'setLock') return lock === null && C.includes(port);
        return message.type !== 'release' || lock === port;
      }),
  },
  {
    name: 'messages are expected',
    kind: 'always',
    says: 'Answers come in the state that waits for them, from a port that owes one; a request from who was told ready or is a candidate, a prepare from a stranger.',
    holds: (c) => messages(c).every((flight) => isExpected(flight, c)),
  },
  {
    name: 'every request succeeds',
    kind: 'eventually',
    says: 'A node that asks for its neighbourhood locks what persists of it, even while its neighbours keep competing (lockout freedom).',
    when: (c, id) => ['prepare', 'compete', 'win'].includes(valueOf(c.nodes.get(id)!).initiator),
    holds: (c, id) => valueOf(c.nodes.get(id)!).initiator === 'locked',
  },
];

const keys = (values: readonly (readonly [Port, unknown])[]): Port[] => values.map(([port]) => port);

function everyContext(c: Config, holds: (context: ExclusionContext) => boolean): boolean {
  for (const node of c.nodes.values()) if (!holds(contextOf(node))) return false;
  return true;
}

/** Whether a port leads somewhere: the link of a lock may have been cut a moment ago. */
const isLive = (c: Config, id: NodeId, port: Port): boolean => peersAt(c, id, [port]).length > 0;

/** Whether a trial of the participant was won, and the lock that follows from it is yet to come. */
function isPromised(c: Config, participant: NodeId, candidate: NodeId): boolean {
  const won = contextOf(c.nodes.get(candidate)!).W.some(
    ([port, outcome]) => outcome && port === portAt(c, candidate, participant),
  );
  return (
    won ||
    messages(c).some(
      ({ from, to, message }) =>
        (message.type === 'win' && message.won && from === participant && to === candidate) ||
        (message.type === 'setLock' && from === candidate && to === participant),
    )
  );
}

const WAITS_FOR = { ready: ['prepare'], ackLock: ['win'], ackRelease: ['unlock'] } as const;

function isExpected({ from, to, message }: ExclusionFlight, c: Config): boolean {
  const node = c.nodes.get(to)!;
  const { initiator } = valueOf(node);
  const { L, R, W, A, C, H, P } = contextOf(node);
  const port = portAt(c, to, from);
  switch (message.type) {
    case 'ready':
    case 'ackLock':
    case 'ackRelease':
      return WAITS_FOR[message.type][0] === initiator && L.includes(port) && !R.includes(port);
    case 'win':
      return initiator === 'compete' && L.includes(port) && !has(W, port);
    case 'request':
      return (A.includes(port) || C.includes(port)) && !has(P, port);
    case 'prepare':
      return ![...A, ...C, ...H].includes(port);
    default:
      return true;
  }
}
