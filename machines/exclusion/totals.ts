/**
 * Incremental totals for the promises of local mutual exclusion.
 *
 * They contain the current nodes, the neighbor behind each port, the holder of each lock, the promises of locks, and the messages in
 * flight. A node is judged again when its own state or something about it changes. Only links that are up in both directions count; state
 * that a node still keeps of a link just cut does not.
 */
import type { NodeId } from '../effects.js';
import { Places } from '../places.js';
import type { Fold, Totals } from '../folded.js';
import type { ChannelState } from '../protocol.js';
import type { ExclusionContext, ExclusionMessage } from './machine.js';
import type { ExclusionOptions } from './options.js';
import type { PortNumber, Ports } from './ports.js';
import { exclusionContext, isExpectedAt, isFromInitiator, phaseFits, requestFits, valueOf, type ExclusionValue } from './view.js';
import { hasCycleOfWaiting } from './waiting.js';

interface NodeFact {
  readonly id: NodeId;
  readonly context: ExclusionContext;
  readonly initiator: ExclusionValue['initiator'];
  readonly rolesAreApart: boolean;
  readonly phaseFits: boolean;
  readonly requestFits: boolean;
}

interface FlightFact {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: ExclusionMessage;
  readonly isFromInitiator: boolean;
  /** True for a message about a promise: a candidate has won, or the winner takes the lock. */
  readonly promises: boolean;
}

export const exclusionFold: Fold<ExclusionOptions, ExclusionTotals, ExclusionMessage> = {
  node: (view, id) => {
    const context = exclusionContext(view);
    const { initiator } = valueOf(view);
    return {
      id,
      context,
      initiator,
      rolesAreApart: areApart(context),
      phaseFits: phaseFits(view),
      requestFits: requestFits(view),
    };
  },
  flight: ({ from, to, message }): FlightFact => {
    const promises = (message.type === 'setLock' && from !== to) || (message.type === 'win' && message.won);
    return { from, to, message, isFromInitiator: isFromInitiator(message), promises };
  },
  totals: () => new ExclusionTotals(),
};

/** Applicants, candidates and nodes on hold are different ports; priorities belong to candidates, answers and outcomes to the request. */
function areApart({ A, C, H, P, R, W, L }: ExclusionContext): boolean {
  const isIn = (set: Ports) => (port: PortNumber) => set.includes(port);
  const isAtIn =
    (set: Ports) =>
    ([port]: readonly [PortNumber, unknown]) =>
      set.includes(port);
  return (
    !A.some((port, i) => A.indexOf(port) < i || C.includes(port) || H.includes(port)) &&
    !C.some((port, i) => C.indexOf(port) < i || H.includes(port)) &&
    !H.some((port, i) => H.indexOf(port) < i) &&
    P.every(isAtIn(C)) &&
    R.every(isIn(L)) &&
    W.every(isAtIn(L))
  );
}

/** A node, with all facts about it. */
export interface Site {
  readonly id: NodeId;
  fact: NodeFact | undefined;
  /** Its channels by the node at the other end; by port, the node whose link is up in both directions. Port 0 leads to the node itself. */
  readonly ways: Map<NodeId, Way>;
  readonly linked: Map<PortNumber, Site>;
  readonly incoming: FlightFact[];
  /** Linked nodes whose locks this node holds, and the holder of the node's lock. */
  readonly holding: Set<Site>;
  holder: Site | undefined;
  /** Evidence, by candidate, that this participant has promised its lock to it. */
  readonly promises: Map<Site, number>;
  /** Participants that have promised their lock, as far as this candidate knows. */
  won: readonly Site[];
  /** As initiator: number of messages on the edge to each participant. */
  readonly talks: Map<Site, number>;
}

interface Way {
  readonly up: boolean;
  readonly port: PortNumber;
}

export class ExclusionTotals implements Totals<NodeFact, FlightFact> {
  /** Nodes with a port in two roles at once, and nodes whose phase contradicts their candidates. */
  mixed = 0;
  outOfPhase = 0;
  /** Nodes whose request contradicts their state. */
  unfit = 0;
  /** Messages beyond one on an edge for the same initiator. */
  crowded = 0;
  readonly lockSets = new Places(knowsItsLockSet);
  readonly promises = new Places(hasPromisedOne);
  readonly messages = new Places((site: Site) => site.incoming.every((message) => isExpected(site, message)));
  private readonly sites = new Map<NodeId, Site>();

  /** True if nodes wait for each other in a cycle (Lemma 4.6). */
  hasCycleOfWaiting(): boolean {
    return hasCycleOfWaiting(this.sites.values());
  }

  channel({ from, to, up, port }: ChannelState): void {
    if (from === to) return;
    const [site, peer] = [this.at(from), this.at(to)];
    plug(site, peer, false);
    site.ways.set(to, { up, port });
    plug(site, peer, isUp(site, peer) && isUp(peer, site));
    this.meet(site);
    this.meet(peer);
  }

  node(fact: NodeFact, by: 1 | -1): void {
    if (!fact.rolesAreApart) this.mixed += by;
    if (!fact.phaseFits) this.outOfPhase += by;
    if (!fact.requestFits) this.unfit += by;
    if (by === -1) return;
    const site = this.at(fact.id);
    const before = site.fact;
    site.fact = fact;
    const { L, W, C, lock } = fact.context;
    this.messages.touch(site);
    if (before?.context.lock !== lock) this.lock(site);
    if (before?.context.W !== W) this.count(site);
    if (before?.context.C !== C || before.context.lock !== lock) this.promises.touch(site);
    if (before?.context.L !== L || before.initiator !== fact.initiator) this.lockSets.touch(site);
  }

  /** Records the neighbors behind the node's ports. */
  private meet(site: Site): void {
    this.lock(site);
    this.count(site);
    this.lockSets.touch(site);
    this.promises.touch(site);
    this.messages.touch(site);
  }

  private lock(site: Site): void {
    const lock = site.fact?.context.lock ?? null;
    const holder = lock === null ? undefined : site.linked.get(lock);
    if (holder === site.holder) return;
    if (site.holder) this.lockSets.touch(site.holder);
    site.holder?.holding.delete(site);
    holder?.holding.add(site);
    if (holder) this.lockSets.touch(holder);
    site.holder = holder;
  }

  /** Updates the totals of a candidate's trials. */
  private count(candidate: Site): void {
    for (const participant of candidate.won) this.promise(participant, candidate, -1);
    const W = candidate.fact?.context.W ?? [];
    candidate.won = W.flatMap(([port, won]) => (won ? (candidate.linked.get(port) ?? []) : []));
    for (const participant of candidate.won) this.promise(participant, candidate, 1);
  }

  private promise(participant: Site, candidate: Site, by: 1 | -1): void {
    add(participant.promises, candidate, by);
    this.promises.touch(participant);
  }

  flight(fact: FlightFact, by: 1 | -1): void {
    const [from, to] = [this.at(fact.from), this.at(fact.to)];
    if (by === 1) to.incoming.push(fact);
    else to.incoming.splice(to.incoming.indexOf(fact), 1);
    this.messages.touch(to);
    const [initiator, participant] = fact.isFromInitiator ? [from, to] : [to, from];
    const before = initiator.talks.get(participant) ?? 0;
    this.crowded += Math.max(0, before + by - 1) - Math.max(0, before - 1);
    add(initiator.talks, participant, by);
    if (fact.promises) this.promise(participant, initiator, by);
  }

  private at(id: NodeId): Site {
    let site = this.sites.get(id);
    if (site) return site;
    site = {
      id,
      fact: undefined,
      ways: new Map(),
      linked: new Map(),
      incoming: [],
      holding: new Set(),
      holder: undefined,
      promises: new Map(),
      won: [],
      talks: new Map(),
    };
    site.linked.set(0, site);
    this.sites.set(id, site);
    return site;
  }
}

function add(counts: Map<Site, number>, site: Site, by: 1 | -1): void {
  const count = (counts.get(site) ?? 0) + by;
  if (count === 0) counts.delete(site);
  else counts.set(site, count);
}

const isUp = ({ ways }: Site, { id }: Site): boolean => ways.get(id)?.up === true;

/** Records that two nodes are behind each other's ports, or no longer. */
function plug(one: Site, other: Site, isThere: boolean): void {
  for (const [site, peer] of [
    [one, other],
    [other, one],
  ] as const) {
    const way = site.ways.get(peer.id);
    if (way && isThere) site.linked.set(way.port, peer);
    else if (way && site.linked.get(way.port) === peer) site.linked.delete(way.port);
  }
}

/** The lock set that a locked node knows is its real lock set; an idle node has none. */
function knowsItsLockSet({ fact, holding, linked }: Site): boolean {
  if (fact?.initiator === 'idle') return holding.size === 0;
  if (fact?.initiator !== 'locked') return true;
  const taken = fact.context.L.flatMap((port) => linked.get(port) ?? []);
  return taken.length === holding.size && taken.every((site) => holding.has(site));
}

/** A node has promised its lock to at most one candidate, and to none while it is locked. */
function hasPromisedOne({ fact, holder, linked, promises }: Site): boolean {
  if (!fact || promises.size === 0) return true;
  let promised = 0;
  for (const port of fact.context.C) {
    const candidate = linked.get(port);
    if (candidate && promises.has(candidate)) promised++;
  }
  return promised <= (holder ? 0 : 1);
}

const isExpected = ({ id, fact, ways }: Site, { from, message }: FlightFact): boolean =>
  !fact || isExpectedAt(fact.context, fact.initiator, from === id ? 0 : (ways.get(from)?.port ?? 0), message);
