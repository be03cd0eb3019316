/**
 * Console warnings of a peer that is granted no locks: the missing peers, the reason that each layer knows, and the remedy. Also a warning
 * about locks that have ended without a caller that receives the error.
 */
import { Subscription } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import { isMajority } from '../../machines/locks/epoch.js';
import type { ClientContext } from '../../machines/locks/client.js';
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import { isOfAllPresent } from '../../machines/locks/membership.js';
import { EPOCHS, type LocksNotification } from '../../machines/locks/messages.js';
import { Channels } from '../node/channels.js';
import type { LiveNode } from '../node/node.js';
import { absenceOf } from '../transports/absence.js';
import { ClosedError } from '../transports/errors.js';
import { later } from '../transports/later.js';
import { linkedPeersOf } from '../transports/linked-peers.js';
import { escape, quote } from '../transports/reading.js';
import type { Transport } from '../transports/transport.js';
import { topStateOf, type LocksStatus } from './locks-status.js';

/** Longer than a start, a failure and its detection take. */
const UNSERVED_MS = 10_000;
/** After this time, a first start reports the peers that it waits for, and then again if they have changed. */
const PROGRESS_MS = 3_000;

/** The call that has created the locks, and what it creates, as warnings name them. */
interface LocksMaker {
  readonly call: string;
  readonly what: string;
}

const makers = new WeakMap<LiveNode, LocksMaker>();

/** Notes that these locks are a part of something else. */
export const noteMaker = (node: LiveNode, maker: LocksMaker): void => void makers.set(node, maker);

/**
 * Warns, and notifies the node's listeners, when no requests have been granted here for `UNSERVED_MS`: once, until requests are granted
 * again. `given` is the list of peers that this peer was given. Returns a function that returns the present reason; `null` if requests are
 * granted.
 */
export function warnWhenUnserved(
  node: LiveNode,
  transport: Transport,
  given: readonly NodeId[],
  status: () => LocksStatus,
): () => string | null {
  const { id, name } = node;
  const farOff = numbersFarOff(node);
  let timer = new Subscription();
  let isServed = true;
  // The last report about the first start; `null` after the start, or before it has taken long.
  let progress: string | null = null;
  /** True if a report is scheduled: the links of a large cluster come up one after the other, and one line contains several. */
  let isReporting = false;
  const report = () => {
    const text = progressOf(node, status());
    if (text !== null && text !== progress) console.info(text);
    progress = text;
    isReporting = false;
  };
  const warn = () => {
    const now = status();
    const seconds = UNSERVED_MS / 1000;
    console.warn(
      escape(
        `"${name}" of peer "${id}" has granted no locks for ${seconds} s: ${whyUnserved(node, transport, given, now, farOff)}`,
      ),
    );
    node.notify({ type: 'unserved', ms: UNSERVED_MS, missing: now.missing });
  };
  const isGranting = () => ['serving', 'attached'].includes(topStateOf(node.role(EPOCHS)) ?? '');
  const look = () => {
    if (progress !== null && !isReporting && !isServed) {
      isReporting = true;
      later(timer, node.environment.clock, report, PROGRESS_MS);
    }
    if (isServed === isGranting()) return;
    isServed = !isServed;
    timer.unsubscribe();
    timer = new Subscription();
    if (isServed) return;
    isReporting = true;
    later(timer, node.environment.clock, report, PROGRESS_MS);
    later(timer, node.environment.clock, warn, UNSERVED_MS);
  };
  node.steps$.subscribe({ next: look, complete: () => timer.unsubscribe() });
  look();
  return () => (isGranting() ? null : whyUnserved(node, transport, given, status(), farOff));
}

/** The progress of a voter's first start; `null` for any other start, or if no peers are missing. */
function progressOf(node: LiveNode, { missing }: LocksStatus): string | null {
  const context: EpochsContext | ClientContext | undefined = node.role(EPOCHS)?.context;
  if (!context || 'host' in context || context.served.epoch > 0 || missing.length === 0) return null;
  const { memory, membership } = context;
  const { voters } = membership;
  if (isOfAllPresent(membership) || !voters.includes(node.id)) return null;
  const needed =
    memory === 'forgotten' && hasFixedMembers(node)
      ? 'Members without storage start when all are connected'
      : memory === 'forgotten'
        ? "A new cluster without storage starts when all are connected. With bootstrap: 'majority' a majority suffices"
        : 'It starts when a majority is connected';
  const waits = `${voters.length - missing.length} of ${voters.length} peers connected; waiting for ${missing.join(', ')}`;
  return escape(`"${node.name}" of peer "${node.id}": ${waits}. ${needed}.`);
}

/**
 * Rule 1: the peers with unreasonable epoch numbers, with both numbers, until they serve with this peer. Each is reported on the console at
 * once.
 */
function numbersFarOff(node: LiveNode): ReadonlyMap<NodeId, string> {
  const { id, name } = node;
  const known = new Map<NodeId, string>();
  node.addEventListener('unreasonable', (event) => {
    const notification = (event as CustomEvent<LocksNotification & { type: 'unreasonable' }>).detail;
    if (known.has(notification.peer)) return;
    const reason = `its epochs' numbers (${notification.epoch}) and those here (${notification.known}) are more than a year apart. See the page "Operating locks", section "Numbers that differ too much"`;
    known.set(notification.peer, reason);
    console.warn(escape(`"${name}" of peer "${id}" ignores "${notification.peer}": ${reason}`));
  });
  node.addEventListener('serving', (event) => {
    for (const member of (event as CustomEvent<LocksNotification & { type: 'serving' }>).detail.members) known.delete(member);
  });
  return known;
}

/**
 * Warns about an error that ends the locks without a caller that receives it. A `ClosedError` is not reported: the caller has closed the
 * locks or the transport.
 */
export function warnOfEnd({ id, name }: LiveNode, error: Error): void {
  if (error instanceof ClosedError) return;
  console.warn(
    escape(
      `"${name}" of peer "${id}" has ended: ${error.message}; every request rejects with this ${error.name}, and so ` +
        'does locks.ready before the first grant. See the page "Locks", section "When the locks of a peer end"',
    ),
  );
}

/** True for a cluster of actors, whose members are fixed: it has neither `addMember` nor `bootstrap`. */
const hasFixedMembers = (node: LiveNode): boolean => makers.has(node);
const SAME_LIST = 'give all members and clients the same list of peers, and restart them';

/** The advice for a peer that is not in the other peers' lists, so that they ignore its frames. */
function joining(node: LiveNode): string {
  const { id } = node;
  const join = `name it in the peers of linked there, start it with join: true and call addMember("${id}") on one of them`;
  return `; if they already serve without "${id}", ${hasFixedMembers(node) ? SAME_LIST : join}`;
}

/**
 * The known reasons why these peers are not connected, each once with all its peers; empty if no reason is known. Names from other peers
 * are quoted.
 */
function reasonsOf(
  node: LiveNode,
  isClient: boolean,
  transport: Transport,
  missing: readonly NodeId[],
  farOff: ReadonlyMap<NodeId, string> = new Map(),
): string {
  const { what, call } = makers.get(node) ?? { call: 'createLocks', what: `"${node.name}"` };
  const channels = Channels.of(transport);
  const reasonOf = (peer: NodeId): string | null => {
    if (farOff.has(peer)) return farOff.get(peer)!;
    if (!transport.peers.has(peer)) return absenceOf(transport, peer);
    const others = channels.unansweredGreetingsOf(peer).map((other) => `"${quote(other)}"`);
    if (others.length === 0 && isClient)
      return `connected, without ${what} or as a client of it: if it should vote, call ${call} there, with this name`;
    if (others.length === 0) return `connected, without ${what}: call ${call} there, with this name`;
    return `connected, with ${others.join(', ')} and without ${what}: give ${call} the same name everywhere`;
  };
  const known = new Map<string, NodeId[]>();
  for (const peer of missing) {
    const reason = reasonOf(peer);
    if (reason !== null) known.set(reason, [...(known.get(reason) ?? []), peer]);
  }
  const all = Array.from(known, ([reason, of]) => `${of.join(', ')}: ${reason}`);
  return all.length === 0 ? '' : ` (${all.join('; ')})`;
}

/** The missing peers of a peer without a membership: all that its link layer was given, or sees. */
const unmet = ({ id, links }: EpochsContext, transport: Transport): NodeId[] =>
  (linkedPeersOf(transport) ?? [...transport.peers]).filter((peer) => peer !== id && !links.includes(peer));

/**
 * The reason of a client. It only contacts the peers that it was given. If they do not vote, the text contains the voters: as one of these
 * peers reported them, or as other peers have greeted the client.
 */
function whyClientUnserved(node: LiveNode, transport: Transport, given: readonly NodeId[]): string {
  const { name } = node;
  const { membership, links }: ClientContext = node.role(EPOCHS)!.context;
  const away = given.filter((peer) => !links.includes(peer));
  const within = given.filter((peer) => links.includes(peer)).join(', ') || 'none of them';
  const unserved = `it is a client, and none of ${given.join(', ')} accepts it; it reaches ${within}${reasonsOf(node, true, transport, away)}`;
  const { voters } = membership;
  if (given.some((peer) => !voters.includes(peer)))
    return `${unserved}; ${voters.join(', ')} vote for "${name}" now. Start it again with these as its peers`;
  const channels = Channels.of(transport);
  const others = [...transport.peers].filter((peer) => !given.includes(peer) && channels.receivedFrom(peer, name) > 0);
  if (others.length === 0) return unserved;
  return (
    `${unserved}; ${others.sort().join(', ')} also take part in "${name}", and are not among the peers that it was given (${given.join(', ')}). ` +
    'If they vote and these do not, restart it with the voters as its peers: locks.members on one of them lists the voters'
  );
}

/** The missing peers, and the remedy. */
function whyUnserved(
  node: LiveNode,
  transport: Transport,
  given: readonly NodeId[],
  { missing }: LocksStatus,
  farOff: ReadonlyMap<NodeId, string>,
): string {
  const role = node.role(EPOCHS);
  if (!role) return 'its transport is not connected';
  const context: EpochsContext = role.context;
  const { memory, membership, served } = context;
  const { voters } = membership;
  if ('host' in role.context) return whyClientUnserved(node, transport, given);
  const reasons = reasonsOf(node, false, transport, missing, farOff);
  const differing = context.differing.filter(({ hasGivenWay }) => !hasGivenWay).map(({ node }) => `"${node}"`);
  if (differing.length > 0)
    return `the list of peers at ${differing.join(', ')} differs from ${voters.join(', ')}. Restart all peers with the same list`;
  if (isOfAllPresent(membership)) return 'an open tab does not answer. Close it, or end its debugger';
  if (!voters.includes(node.id)) {
    if (hasFixedMembers(node)) return `it is not a member${reasons}; ${SAME_LIST}`;
    const members = voters.length === 0 ? 'a member' : `one of ${voters.join(', ')}`;
    const strange = voters.length > 0 ? reasons : reasonsOf(node, false, transport, unmet(context, transport));
    const [isNone, call] = wasRemoved(context)
      ? ['it was removed from the members', 'Close it, or call']
      : ['it is not a member', 'Call'];
    return `${isNone}${strange}. ${call} addMember("${node.id}") on ${members}, which must list it in the peers of linked`;
  }
  const isStranger = served.epoch === 0 && missing.length === voters.length - 1 && reasons === '';
  const without = missing.length === 0 ? 'it reaches all peers' : `it does not reach ${missing.join(', ')}${reasons}`;
  if (!isMajority(voters.length - missing.length, voters))
    return `${without}, and a majority of the peers has to be connected${isStranger ? joining(node) : ''}`;
  const later = undecided(context);
  if (later) return `${without}; ${later}`;
  if (memory === 'forgotten' && missing.length > 0 && hasFixedMembers(node))
    return `${without}, and members without storage begin once all are connected. Start the missing members`;
  if (memory !== 'forgotten' || missing.length === 0) return `${without}. Compare locks.status() of all peers`;
  return (
    `${without}, and peers without storage begin once all are connected, or after locks.bootstrap() on one peer of a new cluster; ` +
    `if ${missing.join(', ')} was removed since, no peer here remembers that: stop all peers, and start them with the present list of peers`
  );
}

/** True if this peer is no longer a voter, and was one in the last epoch that it served. */
export const wasRemoved = ({ id, served, membership }: EpochsContext): boolean =>
  !membership.voters.includes(id) && served.membership.voters.includes(id);

/** A pending list of voters that another peer has proposed, and its voters that are not connected with this peer. */
function undecided({ id, promised, pending, membership, links }: EpochsContext): string | undefined {
  const ballots = [...pending, ...(promised ? [promised] : [])];
  const later = ballots.findLast(({ proposer, next }) => proposer !== id && next.version > membership.version)?.next;
  const absent = later?.voters.filter((voter) => voter !== id && !links.includes(voter)) ?? [];
  if (!later || absent.length === 0) return undefined;
  return (
    `a change of the members to ${later.voters.join(', ')} may have been decided, and of these it does not reach ` +
    `${absent.join(', ')}. Start them: a majority of these must remember its promises, or all must be connected`
  );
}
