/**
 * The link layer: a transport as the papers assume it, made of one that loses, doubles or keeps silent about who is there.
 *
 * Between each two peers stands the chart of machines/link: what is sent is numbered, acknowledged and sent again until it arrives, in
 * order and once; heartbeats tell who is there. An outage of the medium that is shorter than the patience of the detector only delays.
 * After a longer one the peers are notified with `down`, what was under way is lost, and `up` begins again. `down` is a suspicion: the peer may
 * be alive behind a cut. If the transport reports that the peer is gone, one and a half heartbeats of silence are enough.
 *
 * Two peers that do not reach each other are linked still while there is a third that both of them reach: it passes their frames on
 * (machines/link/ways.ts), unless `relay` is `false`.
 *
 * Frames fit their medium: what is under way to a peer, in one frame or many, takes a quarter of the largest message that the medium
 * carries, because escapes make up to four characters of one. A larger message goes in parts (adapters/parts.ts), up to 8 MiB, between which
 * small ones of other conversations go: order is kept within a conversation, among large messages and among small ones. What is
 * beyond that is refused at `send`. For a peer 32 MiB or 10,256 messages wait at most; more is refused at `send` with a
 * `BackpressureError`, and the link stays up.
 *
 * A medium that believes who says to be somebody lets in a second node of the same id. It takes the place of the first, as one that was
 * started again would; the first no longer hears from a peer but that it remembers a later session, which the first never began, and ends
 * with a `ConnectionError`. A stranger that writes in a peer's name, and does not hear what is sent to it, is believed nothing: each frame
 * echoes a number that its receiver has drawn (machines/link).
 */
import { filter, firstValueFrom, map, merge, of, timer } from 'rxjs';
import type { NodeId } from '../machines/effects.js';
import { UsageError } from '../machines/errors.js';
import { linkedCore } from '../machines/link/core.js';
import { endsOf, isUp } from '../machines/link/view.js';
import type { LinkNotification } from '../machines/link/machine.js';
import { remembersLater, type Bye, type Frame, type LinkContext } from '../machines/link/frames.js';
import type { Relay, Relayed } from '../machines/link/ways.js';
import type { LinkOptions } from '../machines/link/options.js';
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
import { Clocks, firstSession, lastSession, SESSIONS_A_MS } from './clocks.js';
import { absenceOf, explainAbsence } from './transports/absence.js';
import { ConnectionError } from './transports/errors.js';
import { createTransport, type DriverListener } from './transports/driver.js';
import { Channels } from './node/channels.js';
import { graphOf } from './node/graph.js';
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
  /** Everybody to be linked with; the transport's own id may be among them. */
  readonly peers: readonly NodeId[];
  /** Milliseconds between two heartbeats; 100 unless given. Longer than a round trip, or messages are sent more than once for nothing. */
  readonly beatMs?: number;
  /** So many heartbeats of silence, and a peer counts as gone. @defaultValue 30 */
  readonly patience?: number;
  /**
   * True if peers pass on frames between two that do not reach each other; they do unless it is `false`, for everybody alike. Who relays
   * could speak in another's name: without it nobody is notified of a peer what did not come from it.
   */
  readonly relay?: boolean;
  /** XState's own option: an observer of the link's live actors. */
  readonly inspect?: Inspect | undefined;
}

/** @internal */
export const LINKED_MESSAGE_BYTES_MAX = 2 ** 23;
/** Of the quarter, for what stands around the messages in a frame. */
const HEAD_SIZE = 2 ** 10;
const MEDIUM_BYTES_MIN = 2 ** 13;
/** After so many heartbeats with nothing for this session, a peer that remembers a later one speaks with another node. */
const STRAY_BEATS = 3;

/** So many are named in a warning. */
const STRANGERS_MAX = 5;

const BEAT_MS = 100;
const PATIENCE = 30;

const CHECKS = {
  peers: eachOf("ids of the others, as in ['a', 'b', 'c']", () => true),
  beatMs: optional(wholeNumberOf('milliseconds')),
  patience: optional(wholeNumberOf('beats')),
  relay: optional(flag),
  inspect: optional(anything),
  ...environment,
};

/** The conversation of this version of the link layer, and those of all versions: nobody who speaks one understands another. */
const NAME = 'link/1';
const ANY_VERSION = /^link(\/\d{1,9})?$/;

/**
 * The link layer: a transport that keeps its order, loses and doubles nothing and tells who is there, made of one that does not. It
 * takes over the given transport: connects it, and closes it when it is closed itself. Messages may be up to 8 MiB; one of several frames'
 * parts may be overtaken by small ones of other conversations.
 *
 * @throws UsageError for an option that is missing, wrong or not known, or a transport whose largest message is below 8,192 bytes.
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
    throw new UsageError('linked takes a transport first, as in linked(webSocket({ id, url }), { peers })');
  if (linkedPeersOf(transport) !== undefined)
    throw new UsageError(
      `transport "${transport.id}" is already linked. Pass the transport below it to linked, or use it as it is`,
    );
  checkOptions('linked', options, CHECKS);
  for (const peer of options.peers) checkId(peer, 'a peer');
  const twice = options.peers.find((peer, i) => options.peers.indexOf(peer) < i);
  if (twice !== undefined) throw new UsageError(`linked: peers names "${twice}" twice. Pass a unique id for each peer`);
  checkMilliseconds('linked: beatMs × patience', (options.beatMs ?? BEAT_MS) * (options.patience ?? PATIENCE));
  const { identity, messageBytesMax } = transport.guarantees;
  const promised = { order: 'fifo', loss: 'none', duplication: 'none', presence: 'reported' } as const;
  const guarantees: Linked = { ...promised, identity, messageBytesMax: LINKED_MESSAGE_BYTES_MAX };
  if (messageBytesMax < MEDIUM_BYTES_MIN) {
    throw new UsageError(
      `transport "${transport.id}" carries messages of ${messageBytesMax} bytes; the link layer needs ${MEDIUM_BYTES_MIN}`,
    );
  }
  const limits = limitsHere();
  const { clock } = environmentOf(options);
  const { peers, relay = true, beatMs = BEAT_MS, patience = PATIENCE } = options;
  // Who is not linked tries those who could pass on in turn, one at each beat.
  const silenceMs = beatMs * (patience + peers.length);
  const isMissed = (peer: NodeId) => !made.peers.has(peer) && peers.includes(peer);
  const clocks = new Clocks({ clock, silenceMs, relay, isMissed });
  const windowSize = Math.floor(Math.min(messageBytesMax, limits.linkFrameBytes) / 4) - HEAD_SIZE;
  const made = createTransport(transport.id, guarantees, async (medium, signal) => {
    const node = linkNode(transport, options, windowSize, limits);
    const whole = new Map<NodeId, Whole>();
    const drops = new Drops(`transport "${transport.id}"`, options.clock);
    const outgoing = new Outgoing(node, Math.floor(windowSize / 4), drops, limits);
    const report = (notification: LinkNotification) => {
      if (notification.type === 'link.down') outgoing.forget(notification.peer);
      if (notification.type === 'link.up') clocks.forget(notification.peer);
      announce(notification, medium, whole, drops, limits);
    };
    transport.events.subscribe((event) => {
      if (event.type === 'down') clocks.forget(event.peer);
      if (event.type === 'message') clocks.hear(event.from, event.message);
      if (event.type === 'gone' && made.peers.has(event.peer)) node.attempt('gone', { peer: event.peer });
    });
    const giveUp = () => void transport.close();
    signal.addEventListener('abort', giveUp, { once: true });
    node.notifications$.subscribe((notification) => report(notification as LinkNotification));
    node.steps$.subscribe(({ role, event }) => {
      const peer = (node.role(role!)?.context as LinkContext | undefined)?.peer;
      // Not in the middle of a step.
      if (peer !== undefined && outgoing.hasTurns(peer)) queueMicrotask(() => outgoing.handOn(peer));
      if (event.type === 'frame' && isForAnother(event as Frame, node.role(role!)))
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
        await lastWords(node, outgoing, options);
        await transport.close();
      },
    });
  });
  noteLinkedPeers(made, options.peers);
  explainAbsence(made, (peer) => (made.peers.has(peer) ? null : unlinked(peer, transport, options.peers, clocks.reasonOf(peer))));
  return made;
}

/** What a name that is wrong here or there looks like from here. */
function unlinked(peer: NodeId, below: Transport, named: readonly NodeId[], ofClock: string | null): string | null {
  if (!named.includes(peer)) return 'not named in the peers of linked here';
  if (ofClock !== null) return ofClock;
  const known = absenceOf(below, peer);
  if (below.peers.has(peer))
    return (
      known ??
      'connected, and its link layer does not answer: it is still starting, or this peer is missing in the peers of linked there'
    );
  const strangers = [...below.peers].filter((other) => !named.includes(other)).slice(0, STRANGERS_MAX);
  if (strangers.length === 0) return known;
  const others = `there is ${strangers.join(', ')}, which linked is not given here`;
  return known === null ? `not there, but ${others}` : `${known}; ${others}`;
}

function linkNode(transport: Transport, options: LinkedOptions, windowSize: number, limits: PeerLimits): LiveNode {
  const { peers, beatMs = BEAT_MS, patience = PATIENCE, relay = true, inspect } = options;
  const { clock, crypto } = environmentOf(options);
  const others = peers.filter((peer) => peer !== transport.id);
  // Later than in every earlier run; of two in one millisecond the peer's memory corrects the earlier (machines/link).
  const session = firstSession(clock.now()) + drawBelow(crypto, SESSIONS_A_MS);
  const nonce = drawBelow(crypto, 2 ** 20) * 2 ** 32 + drawBelow(crypto, 2 ** 32);
  const protocol: RunningCore<LinkOptions> = {
    ...linkedCore,
    accepts: (message, instance) =>
      linkedCore.accepts(message, instance) && isPlausible(message as Frame | Bye | Relay | Relayed, clock.now()),
  };
  const topology: Topology = { nodes: [transport.id, ...others], links: others.map((peer) => [transport.id, peer, 1]) };
  const said = { session, nonce, beat: beatMs, patience, relay, windowSize, ...roomsIn(limits) };
  return new LiveNode(
    // The link's own protocol is what makes it reliable.
    { transport: transport as Transport<Reliable>, name: NAME, protocol, topology, options: said, clock, crypto, inspect },
    { ...graphOf(protocol, topology), options: { ...said, suspicions: null } },
  );
}

function isPlausible(said: Frame | Bye | Relay | Relayed, now: number): boolean {
  const message = said.type === 'relay' || said.type === 'relayed' ? said.message : said;
  const sessionMax = lastSession(now);
  return (
    message.session <= sessionMax && (message.type === 'bye' || ((message.to ?? 0) <= sessionMax && message.bodies.every(isPart)))
  );
}

/** A peer that this end believes to be up with says that it remembers a later session, and does not answer this one. */
const isForAnother = (said: Frame, end: RoleView<LinkContext> | undefined): boolean =>
  end?.value === 'up' && remembersLater(end.context, said) && end.context.silence >= STRAY_BEATS;

function announce(
  notification: LinkNotification,
  medium: DriverListener,
  whole: Map<NodeId, Whole>,
  drops: Drops,
  limits: PeerLimits,
): void {
  const { peer } = notification;
  if (notification.type === 'received') {
    for (const body of notification.bodies) {
      const reading = whole.get(peer)!.take(body as string);
      if (reading === null) continue;
      if ('refused' in reading) drops.drop(`${reading.refused}, from "${peer}"`);
      else medium.received(peer, reading.value);
    }
  } else if (notification.type === 'link.up') {
    whole.set(peer, new Whole(LINKED_MESSAGE_BYTES_MAX));
    medium.up(peer);
  } else if (notification.type === 'link.down') medium.down(peer);
  else if (notification.type === 'link.gone') medium.gone(peer);
  else medium.broke(new ConnectionError(tooMuchFor(peer, limits)));
}

const otherVersion = (from: NodeId, name: string): string =>
  `peer "${from}" speaks "${name}" of the link layer, this side "${NAME}". Run the same release on both`;

function tooMuchFor(peer: NodeId, limits: PeerLimits): string {
  const { window, room, roomSize } = roomsIn(limits);
  return `more of what nodes said waits for peer "${peer}", which has not come, than ${window + room} messages or ${roomSize} characters`;
}

/**
 * Takes leave of each peer as soon as it has what was sent to it, of those that are not all reached directly when all have; and after their
 * patience of all: what they have not taken is lost.
 */
async function lastWords(
  node: LiveNode,
  outgoing: Outgoing,
  { beatMs = BEAT_MS, patience = PATIENCE }: LinkedOptions,
): Promise<void> {
  const takeLeave = (): boolean => {
    const ends = endsOf(node.view());
    const waiting = ends.filter((end) => isUp(end) && outgoing.waitsFor(end.context));
    // Where somebody is reached by way of another, and answers by way of it, nobody is left before all have what was sent.
    const mayGo = waiting.length === 0 || ends.every(({ context }) => context.via === null);
    const done = mayGo ? ends.filter((end) => end.value !== 'left' && !waiting.includes(end)) : [];
    for (const { context } of byWayFirst(done)) node.attempt('leave', { peer: context.peer });
    return waiting.length === 0;
  };
  const said = merge(of(null), node.steps$).pipe(map(takeLeave), filter(Boolean));
  await firstValueFrom(merge(said, timer(beatMs * patience, node.environment.clock)), { defaultValue: true });
  for (const { context } of byWayFirst(endsOf(node.view()).filter(({ value }) => value !== 'left'))) {
    outgoing.noteLost(context);
    node.attempt('leave', { peer: context.peer });
  }
}

const byWayFirst = (ends: readonly RoleView<LinkContext>[]): RoleView<LinkContext>[] =>
  [true, false].flatMap((isByWay) => ends.filter(({ context }) => (context.via !== null) === isByWay));
