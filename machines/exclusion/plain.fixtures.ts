/**
 * The invariants of local mutual exclusion (spec section 7) as predicates of the whole configuration: the reference for their totals.
 * Predicates of a node, or of a message at its receiver, are in view.ts for both; this file enumerates them.
 *
 * Only current links count, not the state that a node still keeps of a link just cut.
 */
import type { NodeId } from '../effects.js';
import type { Configuration, NodeView, Property } from '../protocol.js';
import type { ExclusionOptions } from './options.js';
import type { PortNumber, Ports } from './ports.js';
import {
  exclusionContext,
  isExpectedAt,
  isFromInitiator,
  lockSet,
  messages,
  peersAt,
  phaseFits,
  portAt,
  requestFits,
  valueOf,
  type ExclusionFlight,
} from './view.js';

type Config = Configuration<ExclusionOptions>;

/** Messages in flight between two nodes, or from a node to itself. */
function messagesBetween(c: Configuration, u: NodeId, v: NodeId): readonly ExclusionFlight[] {
  if (!c.between) return messages(c).filter(({ from, to }) => (from === u && to === v) || (from === v && to === u));
  return (u === v ? c.between(u, u) : [...c.between(u, v), ...c.between(v, u)]) as readonly ExclusionFlight[];
}
type Invariant = Property<ExclusionOptions> & { readonly kind: 'always' };
type Rule = Pick<Invariant, 'name' | 'description'>;

const ofNodes = (rule: Rule, holds: (node: NodeView) => boolean): Invariant => ({
  ...rule,
  kind: 'always',
  holds: (c) => [...c.nodes.values()].every(holds),
});

const ofNeighborhoods = (rule: Rule, holds: (c: Config, id: NodeId) => boolean): Invariant => ({
  ...rule,
  kind: 'always',
  holds: (c) => [...c.nodes.keys()].every((id) => holds(c, id)),
});

const ofMessages = (rule: Rule, holds: (c: Config, flight: ExclusionFlight) => boolean): Invariant => ({
  ...rule,
  kind: 'always',
  holds: (c) => messages(c).every((flight) => holds(c, flight)),
});

const rolesOfAPort = ofNodes(
  {
    name: 'roles of a port',
    description:
      'Applicants, candidates and those on hold are different ports; priorities come from candidates, answers and outcomes from ports of the request in hand.',
  },
  (node) => {
    const { A, C, H, P, R, W, L } = exclusionContext(node);
    const known = [...A, ...C, ...H];
    return new Set(known).size === known.length && within(portsOf(P), C) && within(R, L) && within(portsOf(W), L);
  },
);

const phaseFitsCandidates = ofNodes(
  {
    name: 'phase fits candidates',
    description:
      'A participant competes exactly while it has candidates; without them no port is on hold; when idle, it knows no candidate.',
  },
  phaseFits,
);

const requestFitsTheState = ofNodes(
  {
    name: 'the request fits the state',
    description: 'A node that is idle has no request in hand; any other has one, and itself in it.',
  },
  requestFits,
);

const twoMessagesOnAnEdge: Invariant = {
  name: 'two messages on an edge',
  kind: 'always',
  description:
    'An edge carries at most one message for each of its ends as initiator, so two in all, and port 0 at most one (Theorem 4.1).',
  holds: (c) => areOfDifferentRoles(messages(c)),
};

const lockSetIsKnown = ofNeighborhoods(
  {
    name: 'the lock set is known',
    description: 'The lock set that a locked node reports is its real lock set; an idle node has none.',
  },
  (c, id) => {
    const node = c.nodes.get(id)!;
    const { initiator } = valueOf(node);
    if (initiator === 'idle') return lockSet(c, id).length === 0;
    return initiator !== 'locked' || areEqual(peersAt(c, id, exclusionContext(node).L), lockSet(c, id));
  },
);

const oneWinner = ofNeighborhoods(
  {
    name: 'one winner',
    description: 'A participant has promised itself to at most one candidate, and to none while it is locked.',
  },
  (c, id) => {
    const { lock, C } = exclusionContext(c.nodes.get(id)!);
    if (C.length === 0) return true;
    const isHeld = lock !== null && peersAt(c, id, [lock]).length > 0;
    return peersAt(c, id, C).filter((candidate) => isPromised(c, id, candidate)).length <= (isHeld ? 0 : 1);
  },
);

const messagesAreExpected = ofMessages(
  {
    name: 'messages are expected',
    description:
      'An answer arrives in the state that waits for it, from a port that has not answered yet. A prepare arrives from a new port, a request from a ready or competing one, a setLock from a candidate at a free node, and a release from the holder.',
  },
  isExpected,
);

const noCycleOfWaiting: Invariant = {
  name: 'no cycle of waiting',
  kind: 'always',
  description:
    'Candidates that owe a priority and participants that owe an outcome do not wait for each other in a cycle (Lemma 4.6, corrected).',
  holds: (c) => !hasCycle(debts(c)),
};

export const plainProperties: readonly Invariant[] = [
  rolesOfAPort,
  phaseFitsCandidates,
  requestFitsTheState,
  twoMessagesOnAnEdge,
  lockSetIsKnown,
  oneWinner,
  messagesAreExpected,
  noCycleOfWaiting,
];

const portsOf = (values: readonly (readonly [PortNumber, unknown])[]): Ports => values.map(([port]) => port);
const within = (ports: Ports, set: Ports): boolean => ports.every((port) => set.includes(port));
const areEqual = (a: readonly NodeId[], b: readonly NodeId[]): boolean =>
  a.length === b.length && a.every((node) => b.includes(node));

/** True if at most one message is in flight between two nodes for each of them as initiator. */
function areOfDifferentRoles(flights: readonly ExclusionFlight[]): boolean {
  const roles = flights.map(({ from, to, message }) => (isFromInitiator(message) ? `${from} ${to}` : `${to} ${from}`));
  return new Set(roles).size === roles.length;
}

/** True if a trial of the participant was won, and its lock is still pending. */
function isPromised(c: Config, participant: NodeId, candidate: NodeId): boolean {
  const { W } = exclusionContext(c.nodes.get(candidate)!);
  const promises = ({ message }: ExclusionFlight) => message.type === 'setLock' || (message.type === 'win' && message.won);
  return (
    W.some(([port, won]) => won && port === portAt(c, candidate, participant)) ||
    messagesBetween(c, participant, candidate).some((f) => promises(f) && (f.from === participant) === (f.message.type === 'win'))
  );
}

function isExpected(c: Config, { from, to, message }: ExclusionFlight): boolean {
  const node = c.nodes.get(to)!;
  return isExpectedAt(exclusionContext(node), valueOf(node).initiator, portAt(c, to, from), message);
}

/** The edges of the dependency graph. A node is in it twice: as a competing initiator and as a participant. */
function debts(c: Config): (readonly [string, string])[] {
  const participants = [...c.nodes].flatMap(([id, node]) =>
    peersAt(c, id, exclusionContext(node).C).map((candidate) => ({ id, candidate, context: exclusionContext(node) })),
  );
  return participants
    .filter(({ candidate }) => valueOf(c.nodes.get(candidate)!).initiator === 'compete')
    .filter(({ id, candidate }) => peersAt(c, candidate, exclusionContext(c.nodes.get(candidate)!).L).includes(id))
    .map(({ id, candidate, context: { P } }) => {
      const isHere = P.some(([port]) => port === portAt(c, id, candidate));
      const isComing = messagesBetween(c, id, candidate).some(({ to, from, message }) => {
        return message.type === 'request' && to === id && from === candidate;
      });
      const edge = [`participant ${id}`, `initiator ${candidate}`] as const;
      return isHere || isComing ? edge : ([edge[1], edge[0]] as const);
    });
}

/** True if nodes remain after all nodes without outgoing edges were removed, one after the other. */
function hasCycle(edges: readonly (readonly [string, string])[]): boolean {
  const sources = new Set(edges.map(([from]) => from));
  const rest = edges.filter(([, to]) => sources.has(to));
  return rest.length === edges.length ? edges.length > 0 : hasCycle(rest);
}
