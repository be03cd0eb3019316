/**
 * Membership for applications: calls on any member change it, one change after the other (machines/locks/SPEC.md, rule 9).
 *
 * A requested change stays pending until it is decided. A caller that stops waiting may still see it decided.
 */
import { Subscription } from 'rxjs';
import type { Message, NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { attachmentOf } from '../../machines/locks/clients.js';
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import {
  firstMembership,
  hasRoomForVoters,
  isOfAllPresent,
  LIST,
  VOTERS_MAX,
  votersAfter,
  type Membership,
  type MembershipChange,
} from '../../machines/locks/membership.js';
import { EPOCHS, type LocksNotification } from '../../machines/locks/messages.js';
import { nearestWord } from '../../network/scenario/read.js';
import type { LiveNode } from '../node/node.js';
import { checkOptions, optional, signal } from '../options.js';
import { absenceOf } from '../transports/absence.js';
import { ClosedError, ConfigurationError } from '../transports/errors.js';
import { checkId } from '../transports/ids.js';
import { linkedPeersOf } from '../transports/linked-peers.js';
import { abortable } from '../transports/promises.js';
import { escape, quote } from '../transports/reading.js';
import type { Transport } from '../transports/transport.js';
import type { LocksOptions } from './locks-options.js';
import { changeIn, topStateOf, type PendingChange } from './locks-status.js';
import { wasRemoved } from './unserved.js';

/** The error of calls on locks that were closed. */
export const locksClosed = (peer: NodeId): ClosedError =>
  new ClosedError(`the locks of peer "${peer}" are closed. Create new locks to continue`);

/**
 * Options of a change of members.
 *
 * @public
 */
export interface MembersOptions {
  /** Stops waiting, and the promise rejects with the signal's reason. The change may still be decided: see `withdrawChange`. */
  readonly signal?: AbortSignal;
}

/** The list of peers that this peer was given; empty if it joins later. */
export function firstPeersOf({ transport, peers = [], join, client }: LocksOptions): readonly NodeId[] {
  const { id } = transport;
  if (client && peers.includes(id))
    throw new UsageError(
      `client "${id}" is among the peers ${peers.join(', ')}, which vote. Pass a unique id, or remove client: true`,
    );
  if (!client && !join && !peers.includes(id))
    throw new UsageError(
      `peer "${id}" is not among the peers ${peers.join(', ')}. List it, or pass client: true for a peer that does not vote, or join: true instead of peers`,
    );
  const mistake = client ? null : withoutRoom(peers, transport);
  if (mistake) throw mistake;
  const linkedPeers = linkedPeersOf(transport);
  const unlinked =
    linkedPeers === undefined || (client && peers.some((peer) => linkedPeers.includes(peer)))
      ? []
      : peers.filter((peer) => peer !== id && !linkedPeers.includes(peer));
  if (unlinked.length > 0)
    throw new UsageError(
      `the transport of peer "${id}" is linked with ${linkedPeers!.join(', ')}, and not with ${unlinked.join(', ')} of the peers of these locks. List every possible peer in linked(transport, { peers })`,
    );
  return peers;
}

/** Checks that two lists of voters fit into a message, because a copy of a register contains two while it moves. */
function withoutRoom(voters: readonly NodeId[], { id, guarantees: { messageBytesMax } }: Transport): UsageError | null {
  if (hasRoomForVoters(voters, messageBytesMax)) return null;
  return new UsageError(
    `a list of ${voters.length} voters with ids of this length is too long for peer "${id}": a sixteenth of its largest message, ${Math.floor(messageBytesMax * LIST)} bytes as JSON, and ${VOTERS_MAX} voters are the limit. Use shorter ids, fewer voters or a transport with larger messages. Nothing has changed`,
  );
}

/** The error about a peer that began with another list. A stored or learned list takes precedence over the given one. */
function differingLists(
  node: LiveNode,
  { peer, own, theirs }: LocksNotification & { type: 'differs' | 'outvoted' },
): ConfigurationError {
  const [there, here] = [theirs, own].map(
    ({ voters, version }) => voters.join(', ') + (version > 1 ? ' (changed since its cluster began)' : ''),
  );
  return new ConfigurationError(
    `peer "${peer}" was started with the peers ${there} for "${node.name}", and "${node.id}" with ${here}. Start both with the original list of peers, and later peers with join: true`,
  );
}

/** The error about a client that a member has added to the voters. */
export const clientNamed = (node: LiveNode, peer: NodeId): ConfigurationError =>
  new ConfigurationError(
    `client "${node.id}" was added to the members of "${node.name}", as "${peer}" reports, and a client does not vote. Start it with join: true, or remove it with locks.removeMember`,
  );

/** The error about a given list that lacks stored voters, and is not the list with which the cluster began. */
export function shorterList(node: LiveNode, peers: readonly NodeId[]): ConfigurationError | null {
  const standing = knowledgeAt(node);
  // The node was closed as soon as it was created.
  if (!standing) return null;
  const { membership } = standing;
  const missing = membership.voters.filter((voter) => !peers.includes(voter));
  if (peers.length === 0 || missing.length === 0 || membership.origin === firstMembership(peers).origin) return null;
  return new ConfigurationError(
    `peer "${node.id}" was given the peers ${peers.toSorted().join(', ')} for "${node.name}", and has stored that ${membership.voters.join(', ')} vote. Pass the original list of peers. If ${missing.join(', ')} must leave, call locks.removeMember`,
  );
}

/** The warning about a given list with peers that do not vote: listing a peer does not make it a member. */
function longerList({ node, first }: { readonly node: LiveNode; readonly first: readonly NodeId[] }): string | null {
  const { context } = node.role(EPOCHS)!;
  // A client was given the peers that it contacts, and this list is not a membership.
  if ('host' in context) return null;
  const { membership } = context as EpochsContext;
  const more = first.filter((peer) => !membership.voters.includes(peer));
  if (isOfAllPresent(membership) || more.length === 0 || membership.origin === firstMembership(first).origin) return null;
  return (
    `peer "${node.id}" was given the peers ${first.toSorted().join(', ')} for "${node.name}", of which ${more.join(', ')} ${more.length === 1 ? 'does' : 'do'} not vote: ` +
    `${membership.voters.join(', ')} do, by decision of the cluster. Pass the original list of peers, and call addMember for each new voter`
  );
}

/** The node's knowledge of epochs and members; `undefined` for a client, and after its locks are closed. */
export const knowledgeAt = (node: LiveNode): EpochsContext | undefined => node.role(EPOCHS)?.context;

const pendingAt = (node: LiveNode): PendingChange | undefined => changeIn(knowledgeAt(node) ?? {}).changing;

const isServing = (node: LiveNode): boolean => topStateOf(node.role(EPOCHS)) === 'serving';

const isOfTabs = (node: LiveNode): boolean => {
  const context = knowledgeAt(node);
  return context !== undefined && isOfAllPresent(context.membership);
};

/** The voters. For tabs, the members of the last epoch. */
const votersIn = ({ membership, served }: EpochsContext): NodeId[] => [
  ...(isOfAllPresent(membership) ? served.members : membership.voters),
];

/** An object that moves when the members change, and that a change waits for. */
export interface Moving {
  moved(): Promise<void>;
}

export class Members {
  /** Changes of one peer wait for each other. */
  private last: Promise<unknown> = Promise.resolve();
  /** The versions of the membership that this peer has learned since its start, and all voters of these versions. */
  private readonly versions = new Set<number>();
  private readonly voted = new Set<NodeId>();
  /** Peers with another list that were reported on the console. */
  private readonly differing = new Set<NodeId>();
  private hasServed = false;

  /** `first` is the list that this peer was given. */
  constructor(
    private readonly node: LiveNode,
    private readonly transport: Transport,
    private readonly first: readonly NodeId[],
    /** The registers that were created here. A change waits until they have moved, so that a removed peer can stop for good after it. */
    private readonly registers: ReadonlySet<Moving>,
  ) {
    node.notifications$.subscribe((notification) => this.receive(notification as LocksNotification));
    // The list is compared after the storage is read.
    node.ready.then(
      () => this.compare(),
      () => {},
    );
  }

  get voters(): readonly NodeId[] {
    const context = knowledgeAt(this.node);
    return context === undefined ? [] : votersIn(context);
  }

  async change(change: MembershipChange, options: MembersOptions = {}): Promise<readonly NodeId[]> {
    checkOptions('a change of members', options, { signal: optional(signal) });
    for (const id of [change.add, change.remove]) if (id !== null) checkId(id, 'a member');
    options.signal?.throwIfAborted();
    const decided = this.last.then(() => this.decide(change, options.signal));
    this.last = decided.catch(() => {});
    const moved = decided.then(async (voters) => {
      await Promise.all([...this.registers].map((register) => register.moved()));
      return voters;
    });
    return abortable(moved, options.signal);
  }

  /** Withdraws the change that was requested here, or by a peer that is not connected. Returns the voters that are not connected. */
  withdraw(): readonly NodeId[] {
    const { node, voters } = this;
    const links = knowledgeAt(node)?.links ?? [];
    if (!voters.includes(node.id)) throw this.notAMember();
    const by = pendingAt(node)?.by;
    if (by && links.includes(by))
      throw new UsageError(`peer "${by}" requested the pending change of "${node.name}". Withdraw it there`);
    node.attempt('withdraw');
    return voters.filter((voter) => voter !== node.id && !links.includes(voter));
  }

  private notAMember(): UsageError {
    const { node, voters } = this;
    const context = knowledgeAt(node);
    return new UsageError(
      `peer "${node.id}" ${context && wasRemoved(context) ? 'was removed from' : 'is not a member of'} "${node.name}". Call one of ${voters.join(', ') || 'the members'}`,
    );
  }

  /** Notifies listeners of each report, and warns once for each peer with another list while this one serves: then both may serve. */
  private warnOf(differing: LocksNotification & { type: 'differs' }): void {
    this.notifyOf(differingLists(this.node, differing));
    if (!isServing(this.node) || this.differing.has(differing.peer)) return;
    this.differing.add(differing.peer);
    console.warn(escape(`${differingLists(this.node, differing).message}; both may grant the same locks`));
  }

  private receive(notification: LocksNotification): void {
    const { node, first } = this;
    if (notification.type === 'members') this.note(notification);
    else if (notification.type === 'named') node.fail(clientNamed(node, notification.peer));
    // Rule 14.
    else if (notification.type === 'outvoted') node.fail(differingLists(node, notification));
    else if (notification.type === 'differs') this.warnOf(notification);
    // Before it serves, the peer may not have learned the present membership.
    if (notification.type !== 'serving' || this.hasServed) return;
    this.hasServed = true;
    const warning = longerList({ node, first });
    if (warning !== null) console.warn(escape(warning));
  }

  /** Compares the given list with the stored one. */
  private compare(): void {
    const mistake = shorterList(this.node, this.first);
    if (!mistake) return;
    this.notifyOf(mistake);
    if (!this.hasServed) this.node.fail(mistake);
  }

  private notifyOf(error: ConfigurationError): void {
    this.node.notify({ type: 'peers.differ', error });
  }

  private note({ version, voters }: Pick<Membership, 'version' | 'voters'>): void {
    this.versions.add(version);
    for (const voter of voters) this.voted.add(voter);
  }

  /**
   * True if the id never was a voter, as far as this peer knows. A peer that has not learned every version assumes that the voter was
   * removed.
   */
  private hasNeverVoted(id: NodeId): boolean {
    const { membership }: EpochsContext = this.node.role(EPOCHS)!.context;
    this.note(membership);
    const began = firstMembership(this.first);
    if (began.origin === membership.origin) this.note(began);
    return this.versions.size === membership.version && !this.voted.has(id);
  }

  private async decide(change: MembershipChange, signal: AbortSignal | undefined): Promise<readonly NodeId[]> {
    const { node } = this;
    const { add, remove } = change;
    // The membership is known after the storage is read.
    await node.ready;
    const { voters } = this;
    if (isOfTabs(node))
      throw new UsageError(
        `the members of "${node.name}" are the open tabs, which no call can change. Open or close a tab instead`,
      );
    if (!voters.includes(node.id)) throw this.notAMember();
    if (remove !== null && this.hasNeverVoted(remove)) throw new UsageError(neverVoted(remove, node, voters));
    // A peer that does not serve may know an old list.
    if (isDone(change, voters) && isServing(node)) return voters;
    if (voters.every((voter) => voter === remove) && add === null)
      throw new UsageError(`"${remove}" is the last member of "${node.name}". Replace it, or close the locks`);
    if (add !== null && add !== node.id && !this.transport.peers.has(add)) {
      const reason = absenceOf(this.transport, add);
      throw new UsageError(
        `peer "${add}" is not connected with "${node.id}"${reason === null ? '' : ` (${reason})`}. Start it with join: true before it is added, and list it in linked at every peer`,
      );
    }
    if (add !== null && attachmentOf(node.role(EPOCHS)!.context, add))
      throw new UsageError(
        `"${add}" is a client of "${node.name}", and does not vote. Close it, and start it with join: true before it is added`,
      );
    const noRoom = (voters: readonly NodeId[]) =>
      add === null ? null : withoutRoom(votersAfter({ voters }, change), this.transport);
    const mistake = noRoom(voters);
    if (mistake) throw mistake;
    const waiting = new Subscription();
    const decided = new Promise<readonly NodeId[]>((resolve, reject) => {
      const subscription = node.notifications$.subscribe((notification: Message) => {
        const locksNotification = notification as LocksNotification;
        if (locksNotification.type === 'withdrawn') return reject(withdrawn(node));
        if (locksNotification.type !== 'members' && locksNotification.type !== 'serving') return;
        const decided = 'voters' in locksNotification ? locksNotification.voters : this.voters;
        if (isDone(change, decided)) return resolve([...decided]);
        if (!decided.includes(node.id))
          reject(new ConfigurationError(`peer "${node.id}" was removed before its change was decided. Call another member`));
        // The change of another peer took the room.
        const mistake = noRoom(decided);
        if (mistake) reject(mistake);
      });
      waiting.add(subscription);
      void node.closed.then((error) => reject(error ?? locksClosed(node.id)));
    });
    // Another change may be pending here: this one is requested until it is accepted.
    let isAsked = false;
    const ask = () => {
      if (isAsked) return;
      // The step that accepts the command is also received here.
      isAsked = true;
      isAsked = node.attempt('change', { add, remove });
    };
    waiting.add(node.steps$.subscribe(ask));
    ask();
    return abortable(decided, signal).finally(() => waiting.unsubscribe());
  }
}

function withdrawn(node: LiveNode): Error {
  const rest = pendingAt(node) ? ', and may still be decided: its list was already proposed' : '';
  return new DOMException(`the change of the members of "${node.name}" was withdrawn at peer "${node.id}"${rest}`, 'AbortError');
}

function neverVoted(id: NodeId, { name }: LiveNode, voters: readonly NodeId[]): string {
  const meant = nearestWord(id, voters);
  const guess = meant === undefined ? '' : `did you mean "${meant}"? `;
  return `"${quote(id)}" is not a member of "${name}" and never was one; ${guess}the members are ${voters.join(', ')}. Nothing has changed`;
}

const isDone = ({ add, remove }: MembershipChange, voters: readonly NodeId[]): boolean =>
  (add === null || voters.includes(add)) && (remove === null || remove === add || !voters.includes(remove));
