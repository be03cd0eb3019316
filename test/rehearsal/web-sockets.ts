/**
 * WebSockets of a world, on its connections (connections.ts), with whole frames; a WebSocket does not show how TCP splits them.
 *
 * The same class represents the platform's `WebSocket` and both ends of the package `ws`, as far as they are used here.
 */
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { ConnectionEnd, connectTo, listenersOf } from './connections.js';
import { here } from './here.js';
import type { Process, VirtualWorld } from './world.js';

const [CONNECTING, OPEN, CLOSING, CLOSED] = [0, 1, 2, 3];
/** The port of a process's only server for WebSockets. */
const PORT = 'http';
/** The port from which every client dials: no proxy is between. */
const CLIENT_PORT = 49_152;
/** The code with which `ws` closes after a frame larger than `maxPayload`. */
const TOO_LARGE = 1009;

type Listener = (event: unknown) => void;

/** One end of a connection. */
class End extends EventEmitter {
  readonly OPEN = OPEN;
  readyState = CONNECTING;
  /** For a connection that has requested an upgrade: true if it was rejected. */
  writableEnded = false;
  onopen: Listener | null = null;
  onmessage: Listener | null = null;
  onclose: Listener | null = null;
  onerror: Listener | null = null;
  /** Maximum size of a frame in bytes. */
  maxPayload = Infinity;
  readonly line: ConnectionEnd<string>;
  /** The connection below it, as a server sees it. It emits `end` when the other end's system has closed it. */
  readonly connection = new EventEmitter();
  private isPaused = false;
  private readonly unread: [kind: string, data: string][] = [];

  constructor(world: VirtualWorld, process: Process, peer: string) {
    super();
    this.line = new ConnectionEnd(world, process, peer, '', {
      take: (kind, data) => this.take(kind, data),
      reset: () => this.terminate(),
      ended: () => (this.readyState = CLOSED),
    });
  }

  get bufferedAmount(): number {
    return this.line.bufferedAmount;
  }

  /** True if the upgrade has not been answered yet. */
  get writable(): boolean {
    return this.readyState === CONNECTING && !this.writableEnded;
  }

  addEventListener(type: string, listener: Listener): void {
    this.on(type, type === 'message' ? (data: unknown) => listener({ data }) : (event: unknown) => listener(event ?? {}));
  }

  removeEventListener(): void {}

  send(data: unknown): void {
    if (this.readyState === CONNECTING)
      throw new DOMException('The connection is not open yet. Wait for the "open" event.', 'InvalidStateError');
    if (this.readyState === OPEN) this.line.carry('message', String(data));
  }

  ping(data: string): void {
    if (this.readyState === OPEN) this.line.carry('ping', data);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    for (const [kind, data] of this.unread.splice(0)) this.take(kind, data);
  }

  close(): void {
    if (this.readyState === CONNECTING) return this.fail('closed before the connection was established');
    if (this.readyState !== OPEN) return;
    this.readyState = CLOSING;
    this.line.carry('fin');
  }

  terminate(): void {
    if (this.readyState === CLOSED) return;
    if (this.readyState !== CONNECTING) this.line.carry('reset');
    this.readyState = CLOSING;
    this.line.soon('terminated', () => this.shut());
  }

  /** Rejects an upgrade, which is a method of a Duplex in Node. */
  end(text: string): void {
    this.writableEnded = true;
    this.line.carry('refused', text.split('\r\n')[0]);
  }

  destroy(): void {}

  protected fail(message: string): void {
    this.readyState = CLOSING;
    this.line.soon(`fails: ${message}`, () => {
      this.dispatch('error', { type: 'error', message });
      this.shut();
    });
  }

  private shut(code = 1006): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    this.line.close();
    this.dispatch('close', { type: 'close', code });
  }

  private dispatch(type: 'open' | 'message' | 'close' | 'error' | 'pong', event?: unknown): void {
    // Without a listener, `ws` would throw the error, but the platform's class does not.
    if (type !== 'error' || this.listenerCount('error') > 0) this.emit(type, event);
    const handler = this[`on${type as 'open'}`];
    handler?.(type === 'message' ? { data: event } : event);
  }

  private take(kind: string, data: string): void {
    if (this.isPaused && kind !== 'reset') return void this.unread.push([kind, data]);
    if (kind === 'open') {
      if (this.readyState !== CONNECTING) return this.line.carry('reset');
      this.readyState = OPEN;
      // The part of the response to an upgrade that is used.
      this.emit('upgrade', { headers: {}, socket: { remoteAddress: this.line.peer, localPort: CLIENT_PORT } });
      this.dispatch('open', { type: 'open' });
    } else if (kind === 'refused') this.fail(`Unexpected server response: ${data}`);
    else if (kind === 'message') this.receive(data);
    else if (kind === 'ping') {
      this.emit('ping', Buffer.from(data));
      this.line.carry('pong', data);
    } else if (kind === 'pong') this.dispatch('pong', Buffer.from(data));
    else {
      if (kind === 'reset') this.connection.emit('end');
      if (kind === 'fin' && this.readyState === OPEN) this.line.carry('fin');
      this.shut(data === '' ? undefined : Number(data));
    }
  }

  private receive(data: string): void {
    if (data.length <= this.maxPayload && Buffer.byteLength(data) <= this.maxPayload) return this.dispatch('message', data);
    this.dispatch('error', { type: 'error', message: 'Max payload size exceeded' });
    this.line.carry('fin', String(TOO_LARGE));
    this.shut(TOO_LARGE);
  }

  /** Confirms the connection, at the server's end. */
  accept(maxPayload: number): void {
    this.maxPayload = maxPayload;
    this.readyState = OPEN;
    this.line.carry('open');
  }
}

/** The class that replaces `WebSocket` in a process of a world. */
export class WorldSocket extends End {
  static readonly CONNECTING = CONNECTING;
  static readonly OPEN = OPEN;
  static readonly CLOSING = CLOSING;
  static readonly CLOSED = CLOSED;
  readonly url: string;

  constructor(url: string | URL, { maxPayload = Infinity }: { readonly maxPayload?: number } = {}) {
    const { world, process } = here()!;
    const { hostname } = new URL(url);
    super(world, process, hostname);
    this.url = String(url);
    this.maxPayload = maxPayload;
    connectTo<WorldServer>(world, process, hostname, PORT, {
      isOver: () => this.readyState !== CONNECTING,
      failed: (code) => this.fail(code),
      reached: (server) => this.reach(server),
    });
  }

  private reach(server: WorldServer): void {
    const { world, process, peer } = this.line;
    const far = new End(world, server.process, process.id);
    [far.line.other, this.line.other] = [this.line, far.line];
    const socket = Object.assign(far.connection, { remoteAddress: process.id, remotePort: CLIENT_PORT });
    const request = { url: this.url, headers: { host: peer }, socket };
    world.after(0, server.process, `${server.process.id} is knocked at by ${process.id}`, () => {
      server.emit('upgrade', request, far, Buffer.alloc(0));
    });
  }
}

/** A replacement for an HTTP server, which only handles upgrades. */
export class WorldServer extends EventEmitter {
  readonly listening = true;

  constructor(
    private readonly world: VirtualWorld,
    readonly process: Process,
  ) {
    super();
    listenersOf(world).set(`${process.id}:${PORT}`, this);
    process.ending.add(() => this.close());
  }

  static in(world: VirtualWorld, process: Process): Server {
    return new WorldServer(world, process) as unknown as Server;
  }

  address(): { readonly port: number } {
    return { port: 80 };
  }

  close(closed?: () => void): void {
    const [listeners, at] = [listenersOf(this.world), `${this.process.id}:${PORT}`];
    if (listeners.get(at) === this) listeners.delete(at);
    closed?.();
  }

  closeAllConnections(): void {}
}

/** A replacement for the class of the package `ws`, which creates WebSockets from upgrades. */
export class WorldSocketServer {
  private readonly maxPayload: number;

  constructor({ maxPayload = Infinity }: { readonly maxPayload?: number } = {}) {
    this.maxPayload = maxPayload;
  }

  handleUpgrade(_request: unknown, socket: unknown, _head: unknown, opened: (socket: unknown) => void): void {
    (socket as End).accept(this.maxPayload);
    opened(socket);
  }
}
