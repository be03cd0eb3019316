/**
 * WebSockets of a world, on a TCP that behaves as badly as the real one.
 *
 * What is sent comes in order, late, and not at all while the way is severed: then it waits, as TCP sends it again. A process that is
 * killed resets its connections; with its machine it says nothing, and the other end hears of it only by silence, or by a reset once the
 * machine is back and gets what it knows nothing of. To nobody who listens a connection is refused; to nobody who answers it takes
 * 20 seconds until it fails. Frames come whole: how TCP cuts them is below what a WebSocket shows.
 *
 * The same class is the platform's `WebSocket`, and that of the package `ws` at both ends, as far as either is used here.
 */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { here } from './here.js';
import type { Process, VirtualWorld } from './world.js';

const [CONNECTING, OPEN, CLOSING, CLOSED] = [0, 1, 2, 3];
/** 100 Mbit a second. */
const BYTES_PER_MS = 12_500;
const KNOCKS_MAX = 20;

type Kind = 'message' | 'ping' | 'pong' | 'fin' | 'reset' | 'open' | 'refused';
type Listener = (event: any) => void;

/** Who listens, by the name of the process. */
const listening = new WeakMap<VirtualWorld, Map<string, WorldServer>>();
const serversOf = (world: VirtualWorld): Map<string, WorldServer> => {
  let servers = listening.get(world);
  if (!servers) listening.set(world, (servers = new Map()));
  return servers;
};

/** One end of a connection. */
class End extends EventEmitter {
  readonly OPEN = OPEN;
  readyState = CONNECTING;
  bufferedAmount = 0;
  /** Of a connection that has asked for an upgrade: whether it was turned away. */
  writableEnded = false;
  onopen: Listener | null = null;
  onmessage: Listener | null = null;
  onclose: Listener | null = null;
  onerror: Listener | null = null;
  other: End | undefined;
  private isHostGone = false;
  /** Its machine has no power: what it had not got rid of is lost, and a slow way may have kept much of it. */
  private isSilent = false;
  private isPaused = false;
  private readonly unread: [Kind, string][] = [];
  /** When the last frame arrives: none overtakes another. */
  private last = 0;
  private readonly stuck: [Kind, string][] = [];

  constructor(
    readonly world: VirtualWorld,
    readonly process: Process,
    readonly peer: string,
  ) {
    super();
    process.resetting.add(this.reset);
    process.ending.add((isHostGone) => {
      this.isHostGone = true;
      this.isSilent = isHostGone;
      if (!isHostGone) this.carry('reset');
      this.readyState = CLOSED;
    });
  }

  private readonly reset = () => this.terminate();

  /** Whether nobody has answered its upgrade yet. */
  get writable(): boolean {
    return this.readyState === CONNECTING && !this.writableEnded;
  }

  addEventListener(type: string, listener: Listener): void {
    this.on(type, type === 'message' ? (data: unknown) => listener({ data }) : (event: unknown) => listener(event ?? {}));
  }

  removeEventListener(): void {}

  send(data: unknown): void {
    if (this.readyState === CONNECTING) throw new DOMException('the connection does not stand yet', 'InvalidStateError');
    if (this.readyState === OPEN) this.carry('message', String(data));
  }

  ping(): void {
    if (this.readyState === OPEN) this.carry('ping');
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    for (const [kind, data] of this.unread.splice(0)) this.take(kind, data);
  }

  close(): void {
    if (this.readyState === CONNECTING) return this.fail('it was closed before it stood');
    if (this.readyState !== OPEN) return;
    this.readyState = CLOSING;
    this.carry('fin');
  }

  terminate(): void {
    if (this.readyState === CLOSED) return;
    if (this.readyState !== CONNECTING) this.carry('reset');
    this.readyState = CLOSING;
    this.soon('terminated', () => this.shut());
  }

  /** What a server does that turns a connection away (a Duplex in Node). */
  end(text: string): void {
    this.writableEnded = true;
    this.carry('refused', text.split('\r\n')[0]!);
  }

  destroy(): void {}

  protected fail(message: string): void {
    this.readyState = CLOSING;
    this.soon(`fails: ${message}`, () => {
      this.say('error', { type: 'error', message });
      this.shut();
    });
  }

  protected shut(): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    this.process.resetting.delete(this.reset);
    this.say('close', { type: 'close', code: 1006 });
  }

  private soon(what: string, run: () => void): void {
    this.world.after(0.01, this.process, `${this.name} ${what}`, run);
  }

  private get name(): string {
    return `${this.process.id}>${this.peer}`;
  }

  private say(type: 'open' | 'message' | 'close' | 'error' | 'pong', event?: unknown): void {
    // An error that nobody listens to is none here: `ws` would throw it, and the platform's class does not.
    if (type !== 'error' || this.listenerCount('error') > 0) this.emit(type, event);
    const handler = this[`on${type as 'open'}`] as Listener | null | undefined;
    handler?.(type === 'message' ? { data: event } : event);
  }

  protected carry(kind: Kind, data = ''): void {
    const { world, process, peer } = this;
    this.bufferedAmount += data.length;
    const { wires } = world;
    const late = wires.delay(process.id, peer) + (data.length / BYTES_PER_MS) * wires.slownessOf(process.id, peer);
    this.last = Math.max(this.last + 0.001, world.now + late);
    world.after(this.last - world.now, null, `${this.name} ${kind} ${data}`, () => this.pass(kind, data));
  }

  /** In order, even over a way that was severed: what comes behind something that is stuck is stuck, too. */
  private pass(kind: Kind, data: string): void {
    const { wires } = this.world;
    const [from, to] = [this.process.id, this.peer];
    if (this.isSilent && kind !== 'reset') return;
    if (this.stuck.length === 0 && wires.isThrough(from, to)) return this.arrive(kind, data);
    if (this.stuck.push([kind, data]) === 1) wires.whenThrough(from, to, () => this.passAgain());
  }

  private passAgain(): void {
    for (const [kind, data] of this.stuck.splice(0)) {
      this.last = Math.max(this.last + 0.001, this.world.now);
      this.world.after(this.last - this.world.now, null, `${this.name} again ${kind}`, () => this.pass(kind, data));
    }
  }

  private arrive(kind: Kind, data: string): void {
    this.bufferedAmount -= data.length;
    const { other, world } = this;
    if (!other) return;
    if (other.isHostGone || other.readyState === CLOSED) {
      // The machine is back without this connection, or its process is gone: a reset. While it is off: silence.
      if (other.process.state !== 'down' && kind !== 'reset') other.carry('reset');
      return;
    }
    world.after(0, other.process, `${other.name} takes ${kind}`, () => other.take(kind, data));
  }

  private take(kind: Kind, data: string): void {
    if (this.readyState === CLOSED) return;
    if (this.isPaused && kind !== 'reset') return void this.unread.push([kind, data]);
    if (kind === 'open') {
      if (this.readyState !== CONNECTING) return this.carry('reset');
      this.readyState = OPEN;
      // What is used of the answer to an upgrade.
      this.emit('upgrade', { headers: {}, socket: { remoteAddress: this.peer } });
      this.say('open', { type: 'open' });
    } else if (kind === 'refused') this.fail(`Unexpected server response: ${data}`);
    else if (kind === 'message') this.say('message', data);
    else if (kind === 'ping') {
      this.emit('ping', Buffer.alloc(0));
      this.carry('pong');
    } else if (kind === 'pong') this.say('pong', Buffer.alloc(0));
    else {
      if (kind === 'fin' && this.readyState === OPEN) this.carry('fin');
      this.shut();
    }
  }

  /** The end of a server says that the connection stands. */
  accept(): void {
    this.readyState = OPEN;
    this.carry('open');
  }
}

/** The class that stands as `WebSocket` in a process of a world. */
export class WorldSocket extends End {
  static readonly CONNECTING = CONNECTING;
  static readonly OPEN = OPEN;
  static readonly CLOSING = CLOSING;
  static readonly CLOSED = CLOSED;
  readonly url: string;

  constructor(url: string | URL) {
    const { world, process } = here()!;
    const { hostname } = new URL(url);
    super(world, process, hostname);
    this.url = String(url);
    this.knock(0);
  }

  private knock(tries: number): void {
    const { world, process, peer } = this;
    world.after(world.wires.delay(process.id, peer), null, `${process.id} knocks at ${peer}`, () => {
      if (this.readyState !== CONNECTING) return;
      const { wires } = world;
      const host = world.processes.get(peer);
      const isHeard = wires.isThrough(process.id, peer) && wires.isThrough(peer, process.id) && host?.state !== 'paused';
      const server = serversOf(world).get(peer);
      if (host && !isHeard) {
        if (tries < KNOCKS_MAX) world.after(1_000, null, 'once more', () => this.knock(tries + 1));
        else this.fail('ETIMEDOUT');
      } else if (!server) this.fail('ECONNREFUSED');
      else this.reach(server);
    });
  }

  private reach(server: WorldServer): void {
    const { world, process } = this;
    const far = new End(world, server.process, process.id);
    [far.other, this.other] = [this, far];
    const request = { url: this.url, headers: { host: this.peer }, socket: { remoteAddress: process.id } };
    world.after(0, server.process, `${server.process.id} is knocked at by ${process.id}`, () => {
      server.emit('upgrade', request as unknown as IncomingMessage, far, Buffer.alloc(0));
    });
  }
}

/** What stands as an HTTP server: it has upgrades and nothing else. */
export class WorldServer extends EventEmitter {
  readonly listening = true;

  constructor(
    private readonly world: VirtualWorld,
    readonly process: Process,
  ) {
    super();
    serversOf(world).set(process.id, this);
    process.ending.add(() => this.close());
  }

  static in(world: VirtualWorld, process: Process): Server {
    return new WorldServer(world, process) as unknown as Server;
  }

  address(): { readonly port: number } {
    return { port: 80 };
  }

  close(closed?: () => void): void {
    const servers = serversOf(this.world);
    if (servers.get(this.process.id) === this) servers.delete(this.process.id);
    closed?.();
  }

  closeAllConnections(): void {}
}

/** The class of that name in the package `ws`: it makes WebSockets of upgrades. */
export class WorldSocketServer {
  handleUpgrade(_request: unknown, socket: unknown, _head: unknown, opened: (socket: any) => void): void {
    (socket as End).accept();
    opened(socket);
  }
}
