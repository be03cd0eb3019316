/**
 * `node:net` in a world: sockets and servers of bytes, on the connections of connections.ts. Clients of brokers and databases that use
 * this module run unchanged, for example the npm packages for NATS and MQTT.
 *
 * Written data arrives in pieces of random size, as with TCP. A host is the name of a process; `localhost` is the process itself. Sockets
 * that a program creates with `new Socket()`, TLS, and HTTP are real ones.
 */
import { EventEmitter } from 'node:events';
import { Duplex } from 'node:stream';
import { ConnectionEnd, connectTo, listenersOf } from './connections.js';
import { here } from './here.js';
import type { Process, VirtualWorld } from './world.js';
import { fieldsOf } from '../../machines/checks.js';

const isListener = (value: unknown): value is (...args: unknown[]) => void => typeof value === 'function';

const OWN = ['', 'localhost', '127.0.0.1', '::1'];
const NOTHING = Buffer.alloc(0);
/** Number of buffered bytes after which a stream has to wait. */
const ROOM = 2 ** 16;

const failure = (syscall: string, code: string, text = `${syscall} ${code}`): Error =>
  Object.assign(new Error(text), { code, syscall });

/** A simulated `net.Socket`, with the methods that clients use. */
export class WorldTcpSocket extends Duplex {
  connecting = true;
  readonly line: ConnectionEnd<Buffer>;
  readonly remoteAddress: string;
  private isFinished = false;
  private unread: (Buffer | null)[] = [];
  private isReading = false;

  constructor(
    private readonly world: VirtualWorld,
    process: Process,
    peer: string,
  ) {
    super({ allowHalfOpen: false });
    this.remoteAddress = peer;
    this.line = new ConnectionEnd(world, process, peer, NOTHING, {
      take: (kind, data) => this.receive(kind, data),
      reset: () => {
        this.line.carry('reset');
        this.isFinished = true;
        this.line.soon('is reset', () => this.destroy(failure('read', 'ECONNRESET')));
      },
      ended: () => {},
    });
  }

  /** `net.connect` with Node's arguments: a port and optionally a host, or an object with both, and optionally a listener. */
  static connect(...args: unknown[]): WorldTcpSocket {
    const { world, process } = here()!;
    const [first, second] = args;
    const { port, host = 'localhost' } = typeof first === 'object' ? fieldsOf(first) : { port: first, host: asText(second) };
    const socket = new WorldTcpSocket(world, process, OWN.includes(String(host)) ? process.id : String(host));
    const connected = args.at(-1);
    if (isListener(connected)) socket.once('connect', connected);
    socket.dial(String(port));
    return socket;
  }

  private dial(port: string): void {
    const { world, line } = this;
    connectTo<WorldTcpServer>(world, line.process, line.peer, port, {
      isOver: () => this.destroyed,
      failed: (code) =>
        line.soon(`fails: ${code}`, () => this.destroy(failure('connect', code, `connect ${code} ${line.peer}:${port}`))),
      reached: (server) => {
        const far = new WorldTcpSocket(world, server.process, line.process.id);
        [far.line.other, line.other] = [line, far.line];
        world.after(0, server.process, `${server.process.id} is called by ${line.process.id}`, () => server.welcome(far));
      },
    });
  }

  /** Opens the server's end of a connection. */
  accept(): void {
    this.connecting = false;
    this.line.carry('open');
  }

  private receive(kind: string, data: Buffer): void {
    if (kind === 'open') {
      this.connecting = false;
      this.emit('connect');
      this.emit('ready');
    } else if (kind === 'reset') {
      this.isFinished = true;
      this.destroy(failure('read', 'ECONNRESET'));
    } else {
      this.unread.push(kind === 'fin' ? null : data);
      this.feed();
    }
  }

  private feed(): void {
    while (this.isReading && this.unread.length > 0) this.isReading = this.push(this.unread.shift()!);
  }

  override _read(): void {
    this.isReading = true;
    this.feed();
  }

  override _write(chunk: Buffer, _: string, done: () => void): void {
    if (this.connecting) return void this.once('connect', () => this._write(chunk, _, done));
    for (let from = 0; from < chunk.length;) {
      const left = chunk.length - from;
      const length = left > 1 && this.world.chance.below(4) === 0 ? 1 + this.world.chance.below(left - 1) : left;
      this.line.carry('data', chunk.subarray(from, from + length));
      from += length;
    }
    this.whenRoom(done);
  }

  /** Sends corked data at once, as Node does. */
  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: () => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), '', done);
  }

  /** Calls `done` when the connection can buffer more; a severed path stops the stream. */
  private whenRoom(done: () => void): void {
    if (this.line.bufferedAmount <= ROOM) return done();
    this.world.after(1, this.line.process, `${this.line.name} waits for room`, () => {
      if (!this.destroyed) this.whenRoom(done);
    });
  }

  override _final(done: () => void): void {
    this.finish();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.finish();
    this.line.close();
    done(error);
  }

  private finish(): void {
    if (!this.isFinished && !this.connecting) this.line.carry('fin');
    this.isFinished = true;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A simulated `net.Server`, with the methods that brokers use. */
export class WorldTcpServer extends EventEmitter {
  listening = false;
  private port = 0;
  private readonly sockets = new Set<WorldTcpSocket>();

  constructor(
    private readonly world: VirtualWorld,
    readonly process: Process,
  ) {
    super();
    process.ending.add(() => this.stop());
  }

  /** `net.createServer` with Node's arguments. */
  static create(...args: unknown[]): WorldTcpServer {
    const { world, process } = here()!;
    const server = new WorldTcpServer(world, process);
    const listener = args.find(isListener);
    if (listener) server.on('connection', listener);
    return server;
  }

  listen(...args: unknown[]): this {
    const [first] = args;
    const asked = Number((typeof first === 'object' ? fieldsOf(first)['port'] : first) ?? 0);
    const listeners = listenersOf(this.world);
    const at = (port: number) => `${this.process.id}:${port}`;
    this.port = asked;
    for (let free = 49_152; this.port === 0; free++) if (!listeners.has(at(free))) this.port = free;
    const isTaken = listeners.has(at(this.port));
    if (!isTaken) listeners.set(at(this.port), this);
    this.listening = !isTaken;
    const listener = args.at(-1);
    if (isListener(listener)) this.once('listening', listener);
    this.world.after(0.01, this.process, `listens at ${this.port}`, () =>
      isTaken
        ? this.emit('error', failure('listen', 'EADDRINUSE', `listen EADDRINUSE: address already in use :::${this.port}`))
        : this.emit('listening'),
    );
    return this;
  }

  address(): { readonly address: string; readonly family: string; readonly port: number } | null {
    return this.listening ? { address: '::', family: 'IPv6', port: this.port } : null;
  }

  welcome(socket: WorldTcpSocket): void {
    this.sockets.add(socket);
    socket.once('close', () => {
      this.sockets.delete(socket);
      this.closeIfIdle();
    });
    socket.accept();
    this.emit('connection', socket);
  }

  private stop(): void {
    const listeners = listenersOf(this.world);
    const at = `${this.process.id}:${this.port}`;
    if (listeners.get(at) === this) listeners.delete(at);
  }

  /** Accepts no more connections; emits `close` after the last connection has closed. */
  close(closed?: () => void): this {
    if (closed) this.once('close', closed);
    this.stop();
    this.listening = false;
    this.closeIfIdle();
    return this;
  }

  private closeIfIdle(): void {
    if (!this.listening && this.sockets.size === 0) this.world.after(0.01, this.process, 'is closed', () => this.emit('close'));
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
