/**
 * A mesh for Node: peers that connect to each other directly over WebSockets, without a hub or broker. Any process can end without
 * affecting the others.
 *
 * Every peer listens, and dials every address. The dialed peer sends its id. If the dialer has no connection with that id, it sends a hello
 * and is welcomed or refused. If two peers dial each other at once, the connection to the smaller id is dropped. A peer dials an address
 * until it is connected: soon at first, then at least every second. If `peers` is a function, it is called every five seconds.
 *
 * As at a hub (hub.ts), an id is one seat at every peer. A peer that returns with its key gets its seat at once. A peer with another key
 * gets it only if its holder no longer answers. Each peer receives the key as a hash for that peer, and cannot use it at another one.
 *
 * Both ends of a connection call `admit` for the other, and both send a token. The dialer sends it in its hello. The dialed peer sends it
 * in its welcome, and only to peers that its own `admit` accepts. Without `admit` the dialer does not verify the dialed peer, and sends its
 * token to any process at an address. Use TLS unless you control the network.
 */
import type { IncomingMessage } from 'node:http';
import { Subscription } from 'rxjs';
import { WebSocket as PlatformSocket, type ClientOptions } from 'ws';
import { isObject } from '../../machines/checks.js';
import type { NodeId } from '../../machines/effects.js';
import { environmentOf, type PlatformEnvironment, type InEnvironment } from '../environment.js';
import { anything, checkOptions, environment as environmentChecks, id as anId, isClass, must, optional } from '../options.js';
import type { BoundedLine } from './bounded-line.js';
import { createTransport, type Connection, type DriverListener } from './driver.js';
import { ConnectionError } from './errors.js';
import { webSocketMeshGuarantees } from './guarantees.js';
import { DISPLACED, HELLO_BYTES_MAX, idTaken, isHello, type PeerHello } from './hub.js';
import { isId, refusedId, newId } from './ids.js';
import { later } from './later.js';
import { abortable } from './promises.js';
import { isDialing, isOfBefore, newContact, proofFor, unexpected, unreportedReason, whatIsMissing } from './mesh-contact.js';
import type { MeshContact, PeerAddress } from './mesh-contact.js';
import { escape, quote, readFrame, reasonIn, messageOf } from './reading.js';
import { ATTEMPT_MS_MAX, LASTING_MS, pauseAfter } from './reconnecting.js';
import { explained } from './refusals.js';
import { COME_BACK_MS, HUB_BEAT_MS, SILENT_BEATS_MAX } from './through-hub.js';
import type { Json, Transport } from './transport.js';
import { checkAddress, checkCredentials, refusedAddress } from './web-socket.js';
import { AccessControl, type Admission } from './web-socket-hub.js';
import { checkPlace, listenAt, SOCKET_OPTIONS, type Listener, type ListenOptions } from './web-socket-listener.js';

/**
 * Options for `webSocketMesh`: where it listens, the addresses of the others, and access control.
 *
 * @public
 */
export interface WebSocketMeshOptions extends Admission, InEnvironment {
  /** Id of this peer. @defaultValue a new id, for a client */
  readonly id?: NodeId;
  /** Address at which the others reach this peer. @defaultValue a free port on loopback, for a client, which only dials */
  readonly listen?: ListenOptions;
  /** Addresses of the others, or a function that finds them. They may include the own address. */
  readonly peers: readonly string[] | (() => Promise<readonly string[]>);
  /** Secret random text of this peer. With it a restarted peer gets its seat back at once, without it after a second. */
  readonly key?: string;
  /** Token for the `admit` of the others. A function is called for each connection. */
  readonly token?: string | (() => string | Promise<string>);
  /** Options of Node's TLS client, such as `ca`, `cert` and `key`. */
  readonly tls?: ClientOptions;
  /** Class of the sockets that it dials with. @defaultValue the class of the package `ws` */
  readonly WebSocket?: new (url: string, options: ClientOptions) => PlatformSocket;
}

const CHECKS = {
  id: optional(anId),
  listen: optional(must('where the others reach this peer, as in { port: 7000 }', isObject)),
  peers: must(
    "the addresses of the others, as in ['ws://10.0.0.2:7000'], or a function that finds them",
    (peers) => Array.isArray(peers) || typeof peers === 'function',
  ),
  tls: optional(must('options of a TLS client of Node, as in { ca }', isObject)),
  WebSocket: optional(must('the class of that name in the package ws', isClass)),
  // These four have their own checks.
  key: optional(anything),
  token: optional(anything),
  ids: optional(anything),
  admit: optional(anything),
  ...environmentChecks,
};

/** Milliseconds that `connect` waits for the first answers of the addresses. */
const FIRST_ROUND_MS = 1_000;
const CHECK_MS = 5;
const FIND_MS = 5_000;
/** Milliseconds between warnings that do not concern an address. */
const QUIET_MS = 10_000;
/** Refusal while the rule of the application fails or does not answer. */
const DOUBT = 'this peer cannot decide now whom to admit';

/**
 * A mesh for Node: peers that connect to each other directly over WebSockets, without a hub or broker. Messages in flight are lost if a
 * connection breaks; wrap it in `linked` to prevent that.
 *
 * `connect` settles once the addresses have answered, at the latest after a second. It rejects with a ConnectionError if this peer cannot
 * listen or has been refused by then. If a peer refuses this one later, the event `closed` contains that error.
 *
 * @param options the id of this peer, the addresses of the others, and where to listen.
 * @returns a transport that is not connected yet.
 * @throws UsageError for an option that is missing, wrong or unknown.
 * @example
 * ```ts
 * import { linked } from 'xstate-quiver/transports';
 * import { webSocketMesh } from 'xstate-quiver/transports/node';
 *
 * // In Kubernetes, a function that resolves the name of a headless service finds all pods, including this one.
 * const peers = ['ws://10.0.0.2:7000', 'ws://10.0.0.3:7000'];
 * const transport = linked(webSocketMesh({ id: 'a', listen: { port: 7000, host: '0.0.0.0' }, peers }), { peers: ['a', 'b', 'c'] });
 * ```
 * @public
 */
export function webSocketMesh(options: WebSocketMeshOptions): Transport<typeof webSocketMeshGuarantees> {
  checkOptions('webSocketMesh', options, CHECKS);
  const environment = environmentOf(options);
  const { id = newId(environment), listen = { port: 0 }, peers, token, key = environment.crypto.randomUUID() } = options;
  checkPlace('webSocketMesh: listen', listen);
  checkCredentials(id, { key, token });
  if (typeof peers !== 'function') for (const url of peers) checkAddress(url, id);
  const access = new AccessControl(options, `peer "${id}"`);
  return createTransport(id, webSocketMeshGuarantees, (medium, signal) =>
    new Mesh({ ...options, id, listen, key }, access, medium).begin(signal),
  );
}

class Mesh implements Connection {
  private readonly id: NodeId;
  private readonly environment: PlatformEnvironment;
  private readonly Socket: NonNullable<WebSocketMeshOptions['WebSocket']>;
  private readonly run: string;
  private readonly life = new Subscription();
  private readonly contacts = new Set<MeshContact>();
  private readonly peers = new Map<NodeId, MeshContact>();
  private readonly addresses = new Map<string, PeerAddress>();
  /** Peers whose connection broke without a goodbye, until they return or are reported as gone. */
  private readonly lost = new Set<NodeId>();
  private listener: Listener | undefined;
  private reportedAt = -Infinity;
  private seen = 0;
  private early: (() => void)[] | null = [];

  constructor(
    private readonly options: WebSocketMeshOptions & Required<Pick<WebSocketMeshOptions, 'id' | 'listen' | 'key'>>,
    private readonly access: AccessControl,
    private readonly medium: DriverListener,
  ) {
    this.id = options.id;
    this.environment = environmentOf(options);
    this.Socket = options.WebSocket ?? PlatformSocket;
    this.run = this.environment.crypto.randomUUID();
  }

  async begin(signal: AbortSignal): Promise<void> {
    this.listener = await listenAt(`peer "${this.id}"`, { ...this.environment, ...this.options.listen }, (line, request) =>
      this.accept(line, request),
    );
    await abortable(this.meet(), signal).catch(() => this.close());
    if (signal.aborted) return;
    this.beat();
    this.medium.opened(this);
    for (const report of this.early ?? []) report();
    this.early = null;
  }

  private async meet(): Promise<void> {
    // A function that finds addresses, such as a DNS lookup, may be slow or never settle.
    const late = new Promise<void>((resolve) => later(this.life, this.environment.clock, resolve, FIRST_ROUND_MS));
    await Promise.race([this.find(), late]);
    await new Promise<void>((resolve) => this.whenAnswered(FIRST_ROUND_MS / CHECK_MS, resolve));
  }

  send(to: NodeId, _: Json, text: string): void {
    this.peers.get(to)?.line.send(`{"type":"message","message":${text}}`);
  }

  async close(): Promise<void> {
    this.life.unsubscribe();
    this.peers.clear();
    const closing = [...this.contacts].map((contact) => {
      contact.line.send('{"type":"bye"}');
      contact.state = 'gone';
      contact.deadline.unsubscribe();
      return contact.line.close();
    });
    await Promise.all(closing);
    await this.listener?.close();
  }

  /** Ends for good. The listener's port is free before any subscriber is notified. */
  private async giveUp(why: string): Promise<void> {
    await this.close();
    this.medium.broke(new ConnectionError(why));
  }

  private report(event: () => void): void {
    if (this.early) this.early.push(event);
    else event();
  }

  private whenAnswered(checks: number, resolve: () => void): void {
    const isOpen = [...this.addresses.values()].some(({ state, failures }) => state === 'dialing' && failures === 0);
    if (!isOpen || checks <= 0 || this.life.closed) resolve();
    else later(this.life, this.environment.clock, () => this.whenAnswered(checks - 1, resolve), CHECK_MS);
  }

  /** Sends each peer a ping every second, and drops each one that has been silent for three beats. */
  private beat(): void {
    for (const contact of this.peers.values()) {
      if (contact.silence++ >= SILENT_BEATS_MAX) this.drop(contact);
      else contact.line.send('{"type":"ping"}');
    }
    later(this.life, this.environment.clock, () => this.beat(), HUB_BEAT_MS);
  }

  private async find(isLate = false): Promise<void> {
    const { peers } = this.options;
    if (typeof peers !== 'function') return this.dialAll(peers);
    if (isLate)
      this.complain(`cannot find its peers: the function peers has not settled within ${FIND_MS} ms. It is called again`);
    let hasAnswered = false;
    later(this.life, this.environment.clock, () => void this.find(!hasAnswered), FIND_MS);
    try {
      const found: unknown = await peers();
      hasAnswered = true;
      if (!Array.isArray(found))
        return this.complain(`cannot find its peers: the function peers returned ${quote(found)}. Return a list of addresses`);
      const isAddress = (url: unknown): url is string => refusedAddress(url) === null;
      const bad: unknown = found.find((url) => !isAddress(url));
      if (bad !== undefined) this.complain(`does not try an address that was found: ${refusedAddress(bad)}`);
      this.dialAll(found.filter(isAddress));
    } catch (error) {
      hasAnswered = true;
      this.complain(`cannot find its peers and will retry: ${messageOf(error)}`);
    }
  }

  private complain(why: string): void {
    if (this.environment.clock.now() - this.reportedAt < QUIET_MS) return;
    this.reportedAt = this.environment.clock.now();
    console.warn(`peer "${this.id}" ${why}`);
  }

  private dialAll(urls: readonly string[]): void {
    if (this.life.closed) return;
    for (const [url, address] of this.addresses) {
      if (urls.includes(url)) continue;
      address.state = 'forgotten';
      this.addresses.delete(url);
    }
    for (const url of urls) {
      if (this.addresses.has(url)) continue;
      const address: PeerAddress = {
        url,
        peer: null,
        failures: 0,
        why: '',
        reported: new Set(),
        state: this.listener!.isAt(url) ? 'own' : 'dialing',
      };
      this.addresses.set(url, address);
      if (address.state === 'dialing') this.dial(address);
    }
  }

  /** `isLost`: a connection that had lasted was closed. The next attempt shows whether the process still runs. */
  private dialLater(address: PeerAddress, isLost = false): void {
    if (this.life.closed || address.state === 'forgotten' || address.state === 'pausing') return;
    address.state = 'pausing';
    const dial = () => {
      if (address.state !== 'pausing') return;
      address.state = 'dialing';
      this.dial(address);
    };
    const why = unreportedReason(address);
    if (why !== null) console.warn(`peer "${this.id}" cannot reach ${quote(address.url)} and will retry: ${escape(why)}`);
    const failures = address.failures++;
    later(this.life, this.environment.clock, dial, isLost && failures === 0 ? 0 : pauseAfter(failures, this.environment));
  }

  private dial(address: PeerAddress): void {
    address.why = '';
    let socket: PlatformSocket;
    try {
      socket = new this.Socket(address.url, { ...SOCKET_OPTIONS, ...this.options.tls });
    } catch (error) {
      // For example, a certificate that cannot be read.
      address.why = messageOf(error);
      return this.dialLater(address);
    }
    socket.on('error', (error: NodeJS.ErrnoException) => {
      address.why ||= explained(error.message, address.url, 'a peer');
      if (error.code === 'ECONNREFUSED' && address.peer !== null) this.reportGone(address.peer);
    });
    const line = this.listener!.lineOf(socket, address.url);
    const contact = this.contact(line, address, ATTEMPT_MS_MAX);
    socket.on('upgrade', (response) => (contact.upgrade = response));
    const closed = () => {
      if (contact.state === 'asking') address.why ||= `"${contact.id}" closed the connection before it admitted this peer`;
      this.drop(contact, '', true);
    };
    line.listen({ frame: (text) => this.receiveDialed(contact, text), closed });
  }

  private contact(line: BoundedLine, address: PeerAddress | null, ms: number): MeshContact {
    const contact = newContact(line, address, ++this.seen);
    this.contacts.add(contact);
    later(contact.deadline, this.environment.clock, () => this.giveUpOn(contact, ms), ms);
    return contact;
  }

  /** Handles a deadline. A rule of the application that does not answer would leave both ends without a result. */
  private giveUpOn(contact: MeshContact, ms: number): void {
    const { state, address, id } = contact;
    const isAsking = address === null ? state === 'asking' : state === 'welcomed';
    const late = `admit has not settled for "${id}" within ${ms} ms, so the peer is refused for now`;
    if (isAsking && this.options.admit) this.complain(`does not admit "${id}": ${late}`);
    if (address) address.why ||= isAsking ? late : `${whatIsMissing(contact)} within ${ms} ms`;
    if (isAsking && address === null) this.refuse(contact, DOUBT, true);
    else this.drop(contact);
  }

  private accept(line: BoundedLine, request: IncomingMessage): void {
    // Peers that receive the goodbye dial again at once, and the port stays open until all of them have received it.
    if (this.life.closed) return line.terminate();
    const contact = this.contact(line, null, this.listener?.limits.helloMs ?? ATTEMPT_MS_MAX);
    contact.upgrade = request;
    line.listen({
      frame: (text) => {
        if (contact.state === 'up') return this.receive(contact, text);
        const reading = readFrame(text, HELLO_BYTES_MAX);
        const frame = 'value' in reading ? reading.value : null;
        if (contact.state === 'new' && isHello(frame)) {
          this.admit(contact, frame).catch(() => this.refuse(contact, DOUBT, true));
        } else this.drop(contact);
      },
      closed: () => this.drop(contact, '', true),
    });
    line.send(JSON.stringify({ type: 'mesh', id: this.id, run: this.run }));
  }

  private async admit(contact: MeshContact, hello: PeerHello): Promise<void> {
    const { id, key, port } = hello;
    const direct = contact.line.isDirect(port);
    Object.assign(contact, { state: 'asking', id, port, isDirect: direct });
    const noId = refusedId(id);
    if (noId !== null) return this.refuse(contact, `the id is invalid: ${noId}`);
    const why = await this.access.refuses(hello, contact.upgrade!);
    if (why !== null) return this.refuse(contact, why);
    // A dialer that was admitted without a check could be any process: it gets no token.
    const token = this.options.admit ? await this.shownToken() : {};
    const isGone = () => contact.state === 'gone';
    for (let holder = this.peers.get(id); holder && !isGone(); holder = this.peers.get(id)) {
      const isOwner = holder.proof === key;
      const isHeld = (!isOwner || isOfBefore(contact, holder)) && (await holder.line.answers());
      if (isHeld && this.peers.get(id) === holder) return this.refuse(contact, idTaken(id), isOwner);
      if (!isHeld) this.refuse(holder, DISPLACED, true);
    }
    if (isGone()) return;
    if (id === this.id) return this.refuse(contact, idTaken(id));
    const crossing = [...this.contacts].find((other) => isDialing(other, id));
    if (crossing && this.id < id) return this.refuse(contact, 'the other connection of the two is used', true);
    if (crossing) this.drop(crossing);
    contact.line.send(JSON.stringify({ type: 'welcome', proof: proofFor(id, this.options.key), direct, ...token }));
    this.establish(contact, id, key);
  }

  private refuse(contact: MeshContact, why: string, again = false): void {
    if (contact.state === 'gone') return;
    if (!again) this.listener?.refused(contact.upgrade!, `"${quote(contact.id)}"`, why);
    contact.line.send(JSON.stringify({ type: 'refused', why, ...(again ? { again } : {}) }));
    this.drop(contact);
  }

  private receiveDialed(contact: MeshContact, text: unknown): void {
    if (contact.state === 'up') return this.receive(contact, text);
    const reading = readFrame(text, HELLO_BYTES_MAX);
    const frame = 'value' in reading && isObject(reading.value) ? reading.value : {};
    const { type, id, run, proof } = frame;
    if (type === 'mesh' && contact.state === 'new' && isId(id)) this.recognize(contact, id, run);
    else if (type === 'welcome' && contact.state === 'asking' && typeof proof === 'string') {
      contact.isDirect = frame['direct'] === true;
      this.handleWelcome(contact, proof, frame['token']);
    } else if (type === 'refused' && contact.state === 'asking' && this.isExpelledBy(frame)) {
      void this.giveUp(`peer "${contact.id}" at ${contact.address!.url} refused peer "${this.id}": ${reasonIn(frame)}`);
    } else {
      contact.address!.why = type === 'refused' ? `"${contact.id}" reports: ${reasonIn(frame)}` : unexpected(contact, frame);
      this.drop(contact);
    }
  }

  /** True if the refusal is final. A refusal by one peer because of different rules does not end the connections to the others. */
  private isExpelledBy(frame: Readonly<Record<string, unknown>>): boolean {
    return frame['again'] !== true && (this.peers.size === 0 || frame['why'] === idTaken(this.id));
  }

  /** Handles the first frame of a dialed peer: its id. */
  private recognize(contact: MeshContact, id: NodeId, run: unknown): void {
    const address = contact.address!;
    // The peer that already has the id keeps it. The new one ends here, or at the first peer that it meets.
    if (id === this.id && run !== this.run && this.early) return void this.giveUp(`${idTaken(id)} (at ${quote(address.url)})`);
    const isStranger = this.options.ids?.includes(id) === false;
    const isKnown = this.peers.has(id) || [...this.contacts].some((other) => isDialing(other, id));
    if (isStranger) address.why = `its id is "${quote(id)}", which ids does not contain. Add it to ids`;
    if (id === this.id && run !== this.run) address.why = idTaken(id);
    if (id === this.id && run === this.run) address.state = 'own';
    else if (isKnown) Object.assign(address, { peer: id, state: 'connected', failures: 0 });
    if (id === this.id || isKnown || isStranger) return this.drop(contact);
    Object.assign(contact, { state: 'asking', id });
    address.peer = id;
    this.introduce(contact).catch(() => this.drop(contact));
  }

  private async introduce({ line, id, upgrade }: MeshContact): Promise<void> {
    const token = await this.shownToken();
    const key = proofFor(id, this.options.key);
    line.send(JSON.stringify({ type: 'hello', id: this.id, key, port: upgrade?.socket.localPort, ...token }));
  }

  private async shownToken(): Promise<{ readonly token?: string }> {
    const { token, key } = this.options;
    try {
      const shown = typeof token === 'function' ? await token() : token;
      checkCredentials(this.id, { key, token: shown });
      return shown === undefined ? {} : { token: shown };
    } catch (error) {
      this.complain(`has no token to send and will retry: ${messageOf(error)}`);
      throw error;
    }
  }

  /** The dialed peer has admitted this one. Now this peer calls its own `admit` for the dialed peer. */
  private handleWelcome(contact: MeshContact, proof: string, shown: unknown): void {
    if (!this.options.admit) return this.establish(contact, contact.id, proof);
    contact.state = 'welcomed';
    contact.line.pauseUntil(this.decide(contact, proof, typeof shown === 'string' ? { token: shown } : {}));
  }

  private async decide(contact: MeshContact, proof: string, token: { readonly token?: string }): Promise<void> {
    const { id, upgrade, address } = contact;
    const why = await this.access
      .refuses({ id, ...token }, upgrade!)
      .catch((error: unknown) => `admit failed, so it is refused for now: ${messageOf(error)}`);
    if (contact.state !== 'welcomed') return;
    if (why === null) return this.establish(contact, id, proof);
    address!.why = `"${quote(id)}" answers there, and ${why}`;
    this.drop(contact);
  }

  private establish(contact: MeshContact, id: NodeId, proof: string): void {
    contact.deadline.unsubscribe();
    Object.assign(contact, { state: 'up', id, proof, silence: 0, upSince: ++this.seen });
    contact.line.peer = id;
    this.peers.set(id, contact);
    this.lost.delete(id);
    if (contact.address) contact.address.state = 'connected';
    contact.deadline = new Subscription();
    later(contact.deadline, this.environment.clock, () => Object.assign(contact.address ?? {}, { failures: 0 }), LASTING_MS);
    this.report(() => this.medium.up(id));
  }

  private receive(contact: MeshContact, text: unknown): void {
    contact.silence = 0;
    const reading = readFrame(text);
    if ('refused' in reading || !isObject(reading.value)) return this.drop(contact);
    const { type, message } = reading.value;
    if (type === 'message' && message !== undefined) this.report(() => this.medium.received(contact.id, message));
    else if (type === 'refused') this.drop(contact, `"${contact.id}" reports: ${reasonIn(reading.value)}`);
    else if (type === 'bye') this.drop(contact);
  }

  /** `isBroken`: the other end closed the connection without a goodbye. */
  private drop(contact: MeshContact, why = '', isBroken = false): void {
    if (contact.state === 'gone') return;
    const { id, address } = contact;
    const wasUp = contact.state === 'up';
    contact.state = 'gone';
    contact.deadline.unsubscribe();
    this.contacts.delete(contact);
    void contact.line.close();
    if (wasUp) {
      this.peers.delete(id);
      this.report(() => this.medium.down(id));
    }
    if (address?.state === 'dialing') this.dialLater(address);
    if (this.peers.has(id)) return;
    const isLost = wasUp && isBroken;
    // If a proxy closes and refuses connections, the process behind it may still run.
    if (isLost && contact.isDirect) this.lost.add(id);
    const known = [...this.addresses.values()].filter(({ peer }) => peer === id);
    // A peer without an address here dials this one again.
    if (isLost && known.length === 0 && contact.line.hasCrashed(contact.port))
      later(this.life, this.environment.clock, () => this.reportGone(id), COME_BACK_MS);
    for (const other of known) if (other.state === 'connected') this.dialLater(Object.assign(other, { why }), isLost);
  }

  private reportGone(id: NodeId): void {
    if (this.lost.delete(id)) this.report(() => this.medium.gone(id));
  }
}
