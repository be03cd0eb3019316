/**
 * The link layer adds the guarantees that the papers assume to a transport that loses, duplicates or reports nothing about other peers.
 *
 * A chart (machines/link) runs between each two peers. It numbers messages, acknowledges them and sends them again until they arrive, once
 * and in order. Heartbeats show which peers are up. An outage that is shorter than five sixths of the patience of the failure detector, or
 * two thirds on the link of a client, only delays messages. After a longer one the peers receive `down`, messages in flight are lost, and a later `up` starts over. `down` is a
 * suspicion: the peer may still run behind a partition. If the transport reports that a peer is gone, one and a half heartbeats of silence
 * suffice, unless an earlier report about the same run of the peer was false.
 *
 * Two peers that do not reach each other stay linked through a third one that reaches both: it relays their frames (machines/link/ways.ts),
 * unless `relay` is `false`.
 *
 * A peer with `open` also links with peers that are in no list here, such as clients with generated ids, as soon as they contact it. It
 * forgets them when they have left. They need its id in their list.
 *
 * Frames fit their medium. The frames in flight to one peer take at most a quarter of the largest message of the medium, because escapes
 * use up to four characters for one. Larger messages are sent in parts (adapters/parts.ts), up to 8 MiB; `send` rejects larger ones. Small
 * messages of other conversations may overtake parts: order is kept within a conversation, separately for large and small messages. At most
 * 32 MiB or 10,256 messages wait for a peer. Beyond that `send` throws a `BackpressureError`, and the link stays up.
 *
 * A medium that trusts the claimed sender admits a second node with the same id. That node replaces the first one, as after a restart. The
 * other peers then remember a later session than the first node's, and it ends with a `ConnectionError`. A process that sends in a peer's
 * name without receiving that peer's frames is ignored: each frame echoes a number that its receiver has drawn (machines/link).
 */
import { filter, firstValueFrom, map, merge, of, timer } from 'rxjs';
import type { NodeId } from '../machines/effects.js';
import { UsageError } from '../machines/errors.js';
import { linkedCore, type LinkedCoreOptions } from '../machines/link/core.js';
import type { GuestsNotification } from '../machines/link/guests.js';
import { endsOf, isUp, roleTo } from '../machines/link/view.js';
import type { LinkNotification } from '../machines/link/machine.js';
import { remembersLater, type Bye, type Frame, type LinkContext } from '../machines/link/frames.js';
import type { Relay, Relayed } from '../machines/link/ways.js';
import type { RunningCore } from '../machines/core.js';
import type { RoleView, Topology } from '../machines/protocol.js';
import type { Inspect } from '../network/world/kernel.js';
import { drawBelow, environmentOf, type InEnvironment } from './environment.js';
import {
  anything,
  checkMilliseconds,
  checkOptions,
  environment,
  flag,
  isTransport,
  eachOf,
  optional,
  wholeNumberOf,
} from './options.js';
import { Clocks, firstSession, lastSession, refusalOf, SESSIONS_A_MS } from './clocks.js';
import { absenceOf, explainAbsence } from './transports/absence.js';
import { ConnectionError } from './transports/errors.js';
import { createTransport, type DriverListener } from './transports/driver.js';
import { Channels } from './node/channels.js';
import { networkGraphOf } from './node/graph.js';
import { LiveNode } from './node/node.js';
import { limitsHere, type PeerLimits } from './limits.js';
import { Outgoing, roomsIn } from './outgoing.js';
import { isPart, Whole } from './parts.js';
import { Drops } from './transports/drops.js';
import { checkId } from './transports/ids.js';
import { linkedPeersOf, noteLinkedPeers } from './transports/linked-peers.js';
import type { Linked, Reliable, Transport } from './transports/transport.js';

/**
 * Options for `linked`.
 *
 * @public
 */
export interface LinkedOptions extends InEnvironment {
  /** Ids of all peers to be linked with. They may include the transport's own id. */
  readonly peers: readonly NodeId[];
  /** Milliseconds between two heartbeats. Choose more than a round trip to avoid needless retransmissions. @defaultValue 100 */
  readonly beatMs?: number;
  /**
   * Number of heartbeats without a frame after which a peer counts as gone; an idle link needs up to a fifth more, and that of a client a
   * third. Use a similar value at all peers. @defaultValue 30
   */
  readonly patience?: number;
  /**
   * False to disable relaying between peers that do not reach each other; use the same value at all peers. A relaying peer could forge
   * messages of others. Without relaying, all messages come from their sender directly. @defaultValue `true`
   */
  readonly relay?: boolean;
  /**
   * True to link also with peers that are not in `peers`, while they contact this one: at most 10,000 at a time. Pass it at voters whose
   * clients are in no list. @defaultValue `false`
   */
  readonly open?: boolean;
  /**
   * True for a client: it does not link with other clients, even if `peers` contains them, and relays nothing. @defaultValue `false`
   */
  readonly client?: boolean;
  /** Observer of the link's live actors, as in XState. */
  readonly inspect?: Inspect | undefined;
}

/** @internal */
export const LINKED_MESSAGE_BYTES_MAX = 2 ** 23;
/** Part of the quarter that is reserved for the head of a frame. */
const HEAD_SIZE = 2 ** 10;
const MEDIUM_BYTES_MIN = 2 ** 13;
/**
 * Number of heartbeats without an answer to this session, after which a peer with a later session is considered linked with another node.
 */
const UNANSWERED_BEATS = 3;

/** Maximum number of peers that a warning lists. */
const STRANGERS_MAX = 5;

const BEAT_MS = 100;
const PATIENCE = 30;

const CHECKS = {
  peers: eachOf("ids of the others, as in ['a', 'b', 'c']", () => true),
  beatMs: optional(wholeNumberOf('milliseconds')),
  patience: optional(wholeNumberOf('beats')),
  relay: optional(flag),
  open: optional(flag),
  client: optional(flag),
  inspect: optional(anything),
  ...environment,
};

/** Name of the conversation of this version of the link layer, and pattern for all versions. Versions do not understand each other. */
const NAME = 'link/1';
const ANY_VERSION = /^link(\/\d{1,9})?$/;

/**
 * The link layer: wraps a transport to add ordered delivery without loss or duplication, and reports of which peers are up. The result owns
 * the given transport: it connects and closes it. Messages may be up to 8 MiB. Small messages of other conversations may overtake the parts
 * of a large one.
 *
 * @throws UsageError for an option that is missing, wrong or unknown, and for a transport whose largest message is below 8,192 bytes.
 * @example
 * ```ts
 * import { broadcastChannel, linked } from 'xstate-quiver/transports';
 *
 * const peers = ['a', 'b'];
 * const [a, b] = peers.map((id) => linked(broadcastChannel({ id }), { peers }));
 * b.events.subscribe((event) => event.type === 'message' && console.log(event.from, event.message));
 * await Promise.all([a.connect(), b.connect()]);
 * a.send('b', 'hello'); // arrives, once and in order, whatever the channel loses
 * await Promise.all([a.close(), b.close()]);
 * ```
 * @public
 */
export function linked(transport: Transport, options: LinkedOptions): Transport<Linked> {
  if (!isTransport(transport))
    throw new UsageError('linked takes a transport as its first argument, as in linked(webSocket({ id, url }), { peers })');
  if (linkedPeersOf(transport) !== undefined) throw new UsageError(`transport "${transport.id}" is already linked. Use it`);
  checkOptions('linked', options, CHECKS);
  for (const peer of options.peers) checkId(peer, 'a peer');
  const twice = options.peers.find((peer, i) => options.peers.indexOf(peer) < i);
  if (twice !== undefined) throw new UsageError(`linked: peers contains "${twice}" twice. Pass a unique id for each peer`);
  checkMilliseconds('linked: beatMs × patience', (options.beatMs ?? BEAT_MS) * (options.patience ?? PATIENCE));
  const { identity, messageBytesMax } = transport.guarantees;
  const promised = { order: 'fifo', loss: 'none', duplication: 'none', presence: 'reported' } as const;
  const guarantees: Linked = { ...promised, identity, messageBytesMax: LINKED_MESSAGE_BYTES_MAX };
  if (messageBytesMax < MEDIUM_BYTES_MIN) {
    throw new UsageError(
      `transport "${transport.id}" carries messages of ${messageBytesMax} bytes. linked needs at least ${MEDIUM_BYTES_MIN}. Use a transport with larger messages`,
    );
  }
  const limits = limitsHere();
  const { clock } = environmentOf(options);
  const { peers, client = false, relay = !client, beatMs = BEAT_MS, patience = PATIENCE } = options;
  // A peer that is not linked tries the possible relays in turn, one at each heartbeat.
  const silenceMs = beatMs * (patience + peers.length);
  const isMissed = (peer: NodeId) => !made.peers.has(peer) && peers.includes(peer);
  const clocks = new Clocks({ clock, silenceMs, relay, isMissed });
  const windowSize = Math.floor(Math.min(messageBytesMax, limits.linkFrameBytes) / 4) - HEAD_SIZE;
  const made = createTransport(transport.id, guarantees, async (medium, signal) => {
    const node = linkNode(transport, options, windowSize, limits);
    const whole = new Map<NodeId, Whole>();
    const drops = new Drops(`transport "${transport.id}"`, options.clock);
    const falseReports = new FalseReports(node);
    const outgoing = new Outgoing(node, Math.floor(windowSize / 4), drops, limits);
    transport.events.subscribe((event) => {
      if (event.type === 'down') clocks.forget(event.peer);
      if (event.type === 'message') clocks.take(event.from, event.message);
      if (event.type === 'gone' && made.peers.has(event.peer)) falseReports.pass(event.peer);
    });
    const giveUp = () => void transport.close();
    signal.addEventListener('abort', giveUp, { once: true });
    node.notifications$.subscribe((notification) => {
      const { type, peer } = notification as LinkNotification | GuestsNotification;
      if (type === 'link.down' || type === 'guest.forgotten') outgoing.forget(peer);
      if (type === 'link.up') clocks.forget(peer);
      announce(notification as LinkNotification | GuestsNotification, medium, whole, drops, limits);
    });
    node.steps$.subscribe(({ role, event }) => {
      const end = node.role(role!);
      const peer: NodeId | undefined = end?.context.peer;
      // Deferred until the step is complete.
      if (peer !== undefined && outgoing.hasTurns(peer)) queueMicrotask(() => outgoing.handOn(peer));
      if (event.type === 'frame' && isForAnother(event as Frame, end))
        medium.broke(new ConnectionError(`another node uses the id "${transport.id}". Pass a unique id for each peer`));
    });
    void node.closed.then((error) => error && medium.lost(error));
    const channels = Channels.of(transport);
    channels.reserve();
    channels.explain((name, from) => (ANY_VERSION.test(name) ? otherVersion(from, name) : null));
    await node.ready;
    signal.removeEventListener('abort', giveUp);
    medium.opened({
      send: (peer, message, text) => outgoing.send(peer, message, text),
      close: async () => {
        await leaveAll(node, outgoing, options);
        await transport.close();
      },
    });
  });
  noteLinkedPeers(made, options.peers);
  explainAbsence(made, (peer) => (made.peers.has(peer) ? null : unlinked(peer, transport, options.peers, clocks.reasonOf(peer))));
  return made;
}

/** Reason for which a peer is not linked, such as an id that is missing in one of the lists. */
function unlinked(peer: NodeId, below: Transport, named: readonly NodeId[], ofClock: string | null): string | null {
  if (!named.includes(peer)) return 'not in the peers of linked here';
  if (ofClock !== null) return ofClock;
  const known = absenceOf(below, peer);
  if (below.peers.has(peer))
    return known ?? 'connected, but its link layer does not answer: it is starting, or its peers of linked lack this peer';
  const strangers = [...below.peers].filter((other) => !named.includes(other)).slice(0, STRANGERS_MAX);
  if (strangers.length === 0) return known;
  const others = `connected, but not in the peers of linked here: ${strangers.join(', ')}`;
  return known === null ? `not connected; ${others}` : `${known}; ${others}`;
}

function linkNode(transport: Transport, options: LinkedOptions, windowSize: number, limits: PeerLimits): LiveNode {
  const { peers, beatMs = BEAT_MS, patience = PATIENCE, open = false, client = false, relay = !client, inspect } = options;
  const { clock, crypto } = environmentOf(options);
  const others = peers.filter((peer) => peer !== transport.id);
  // Later than in all earlier runs. If two runs start in the same millisecond, the peer's memory corrects the earlier one (machines/link).
  const session = firstSession(clock.now()) + drawBelow(crypto, SESSIONS_A_MS);
  const nonce = drawBelow(crypto, 2 ** 20) * 2 ** 32 + drawBelow(crypto, 2 ** 32);
  const protocol: RunningCore<LinkedCoreOptions> = {
    ...linkedCore,
    network: { ...linkedCore.network, isOpen: open },
    accepts: (message, instance) =>
      linkedCore.accepts(message, instance) && isPlausible(message as Frame | Bye | Relay | Relayed, clock.now()),
    refusal: (message) => refusalOf((message as Frame).session, clock.now()),
  };
  const topology: Topology = { nodes: [transport.id, ...others], links: others.map((peer) => [transport.id, peer, 1]) };
  const linkOptions = { session, nonce, beat: beatMs, patience, relay, windowSize, ...roomsIn(limits) };
  const guestsMax = open ? limits.guests : 0;
  const suspicions = null;
  return new LiveNode(
    // This protocol itself adds the required reliability.
    { transport: transport as Transport<Reliable>, name: NAME, protocol, topology, options: linkOptions, clock, crypto, inspect },
    {
      ...networkGraphOf(protocol, topology),
      options: { ...linkOptions, suspicions, guestsMax, ...(client && { isClient: true }) },
    },
  );
}

function isPlausible(frame: Frame | Bye | Relay | Relayed, now: number): boolean {
  const message = frame.type === 'relay' || frame.type === 'relayed' ? frame.message : frame;
  const sessionMax = lastSession(now);
  return (
    message.session <= sessionMax && (message.type === 'bye' || ((message.to ?? 0) <= sessionMax && message.bodies.every(isPart)))
  );
}

/** True if a linked peer reports a later session and does not answer this one. */
const isForAnother = (frame: Frame, end: RoleView<LinkContext> | undefined): boolean =>
  end?.value === 'up' && remembersLater(end.context, frame) && end.context.silence >= UNANSWERED_BEATS;

function announce(
  notification: LinkNotification | GuestsNotification,
  medium: DriverListener,
  whole: Map<NodeId, Whole>,
  drops: Drops,
  limits: PeerLimits,
): void {
  const { peer } = notification;
  if (notification.type === 'received') {
    for (const body of notification.bodies) {
      const reading = whole.get(peer)?.take(body as string);
      // A listener may have ended the connection meanwhile.
      if (!reading) continue;
      if ('refused' in reading) drops.drop(`${reading.refused}, from "${peer}"`);
      else medium.received(peer, reading.value);
    }
  } else if (notification.type === 'link.up') {
    whole.set(peer, new Whole(LINKED_MESSAGE_BYTES_MAX));
    medium.up(peer);
  } else if (notification.type === 'link.down') {
    whole.delete(peer);
    medium.down(peer);
  } else if (notification.type === 'link.gone') medium.gone(peer);
  else if (notification.type === 'guest.refused')
    drops.drop(`"${peer}" is refused: the limit is ${limits.guests} peers that are in no list`);
  else if (notification.type === 'overflow') medium.broke(new ConnectionError(tooMuchFor(peer, limits)));
}

const otherVersion = (from: NodeId, name: string): string =>
  `peer "${from}" uses version "${name}" of the link layer, this peer "${NAME}". Run the same release on both`;

function tooMuchFor(peer: NodeId, limits: PeerLimits): string {
  const { window, room, roomSize } = roomsIn(limits);
  return `more than ${window + room} messages or ${roomSize} characters wait for peer "${peer}", which has not connected`;
}

/**
 * Leaves each peer once it has received everything. If some peers are reached through others, leaves none before all have received
 * everything. After the patience of the detector it leaves all peers, and undelivered messages are lost.
 */
async function leaveAll(
  node: LiveNode,
  outgoing: Outgoing,
  { beatMs = BEAT_MS, patience = PATIENCE }: LinkedOptions,
): Promise<void> {
  const takeLeave = (): boolean => {
    const ends = endsOf(node.view());
    const waiting = ends.filter((end) => isUp(end) && outgoing.waitsFor(end.context));
    // If a peer is reached through another one, no peer is left before all have received everything.
    const mayGo = waiting.length === 0 || ends.every(({ context }) => context.via === null);
    const done = mayGo ? ends.filter((end) => end.value !== 'left' && !waiting.includes(end)) : [];
    for (const { context } of byWayFirst(done)) node.attempt('leave', { peer: context.peer });
    return waiting.length === 0;
  };
  const isDelivered = merge(of(null), node.steps$).pipe(map(takeLeave), filter(Boolean));
  await firstValueFrom(merge(isDelivered, timer(beatMs * patience, node.environment.clock)), { defaultValue: true });
  for (const { context } of byWayFirst(endsOf(node.view()).filter(({ value }) => value !== 'left'))) {
    outgoing.noteLost(context);
    node.attempt('leave', { peer: context.peer });
  }
}

const byWayFirst = (ends: readonly RoleView<LinkContext>[]): RoleView<LinkContext>[] =>
  [true, false].flatMap((isByWay) => ends.filter(({ context }) => (context.via !== null) === isByWay));

/**
 * False reports of ended processes. If a transport reports that the process of a peer has ended, and the same run of the peer returns, only
 * its connection had failed. Later reports about this run are ignored, and the link layer waits for the full patience.
 */
class FalseReports {
  /** Nonce of each peer's run that was reported as ended. */
  private readonly ended = new Map<NodeId, number | null>();
  /** Nonce of each peer's run that has returned. */
  private readonly alive = new Map<NodeId, number | null>();

  constructor(private readonly node: LiveNode) {
    node.notifications$.subscribe((notification) => this.note(notification as LinkNotification | GuestsNotification));
  }

  /** Passes a report to the link, unless an earlier one about the same run was false. */
  pass(peer: NodeId): void {
    if (this.alive.get(peer) !== this.runOf(peer)) this.node.attempt('gone', { peer });
  }

  private note({ type, peer }: LinkNotification | GuestsNotification): void {
    if (type === 'link.gone') this.ended.set(peer, this.runOf(peer));
    else if (type === 'link.up') {
      const run = this.runOf(peer);
      if (this.ended.get(peer) === run) this.alive.set(peer, run);
    } else if (type === 'guest.forgotten') {
      this.ended.delete(peer);
      this.alive.delete(peer);
    }
  }

  private runOf(peer: NodeId): number | null {
    return this.node.role(roleTo(peer))!.context.theirNonce;
  }
}
