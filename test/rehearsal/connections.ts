/**
 * Connections of a world, on a TCP that behaves as badly as the real one.
 *
 * What is sent comes in order, late, and not at all while the way is severed: then it waits, as TCP sends it again. A process that is
 * killed resets its connections; with its machine it says nothing, and the other end is notified of it only by silence, or by a reset once the
 * machine is back and gets what it knows nothing of. To nobody who listens a connection is refused; to nobody who answers it takes
 * 20 seconds until it fails.
 *
 * What stands on them: WebSockets in whole frames (web-sockets.ts), and the sockets of `node:net` in bytes (sockets.ts).
 */
import type { Process, VirtualWorld } from './world.js';

/** 100 Mbit a second. */
const BYTES_PER_MS = 12_500;
const KNOCKS_MAX = 20;

/** Who listens: at a process, under a name of the port. */
export interface Listening {
  readonly process: Process;
}

const listening = new WeakMap<VirtualWorld, Map<string, Listening>>();

export function listenersOf(world: VirtualWorld): Map<string, Listening> {
  let listeners = listening.get(world);
  if (!listeners) listening.set(world, (listeners = new Map()));
  return listeners;
}

/** What becomes of an attempt to connect. */
interface Attempt<L> {
  /** True if nobody waits for it any more. */
  isOver(): boolean;
  failed(code: 'ECONNREFUSED' | 'ETIMEDOUT'): void;
  reached(listener: L): void;
}

/** A process knocks at another one's port, until it ends. */
export function knock<L extends Listening>(
  world: VirtualWorld,
  process: Process,
  host: string,
  port: string,
  attempt: Attempt<L>,
): void {
  const { wires } = world;
  const { life } = process;
  const isOver = () => process.life !== life || process.state === 'down' || attempt.isOver();
  const tryOnce = (tries: number): void =>
    void world.after(wires.delay(process.id, host), null, `${process.id} knocks at ${host}`, () => {
      if (isOver()) return;
      const there = world.processes.get(host);
      const isHeard = wires.isThrough(process.id, host) && wires.isThrough(host, process.id) && there?.state !== 'paused';
      const listener = listenersOf(world).get(`${host}:${port}`) as L | undefined;
      if (there && !isHeard) {
        if (tries === KNOCKS_MAX) attempt.failed('ETIMEDOUT');
        else world.after(1_000, null, 'once more', () => tryOnce(tries + 1));
      } else if (!listener) attempt.failed('ECONNREFUSED');
      else attempt.reached(listener);
    });
  tryOnce(0);
}

/** What uses one end of a connection; the kinds are its own, but for `reset`, which is TCP's. */
interface EndUser<D> {
  take(kind: string, data: D): void;
  /** A fault resets the connection. */
  reset(): void;
  /** Its process has ended. */
  ended(): void;
}

/** One end of a connection. */
export class ConnectionEnd<D extends { readonly length: number }> {
  other: ConnectionEnd<D> | undefined;
  /** What has been sent and has not arrived. */
  bufferedAmount = 0;
  isClosed = false;
  /** Its machine has no power: what it had not got rid of is lost, and a slow way may have kept much of it. */
  private isSilent = false;
  /** When the last of what was sent arrives: nothing overtakes. */
  private last = 0;
  private readonly stuck: [kind: string, data: D][] = [];

  constructor(
    readonly world: VirtualWorld,
    readonly process: Process,
    readonly peer: string,
    private readonly nothing: D,
    private readonly user: EndUser<D>,
  ) {
    process.resetting.add(this.reset);
    process.ending.add((isHostGone) => {
      this.isSilent = isHostGone;
      if (!isHostGone && !this.isClosed) this.carry('reset');
      this.isClosed = true;
      user.ended();
    });
  }

  private readonly reset = () => this.user.reset();

  get name(): string {
    return `${this.process.id}>${this.peer}`;
  }

  /** Whatever comes from now on is answered with a reset. */
  close(): void {
    this.isClosed = true;
    this.process.resetting.delete(this.reset);
  }

  soon(what: string, run: () => void): void {
    this.world.after(0.01, this.process, `${this.name} ${what}`, run);
  }

  carry(kind: string, data: D = this.nothing): void {
    const { world, process, peer } = this;
    this.bufferedAmount += data.length;
    const { wires } = world;
    const late = wires.delay(process.id, peer) + (data.length / BYTES_PER_MS) * wires.slownessOf(process.id, peer);
    this.last = Math.max(this.last + 0.001, world.now + late);
    world.after(this.last - world.now, null, `${this.name} ${kind} ${String(data)}`, () => this.pass(kind, data));
  }

  /** In order, even over a way that was severed: what comes behind something that is stuck is stuck, too. */
  private pass(kind: string, data: D): void {
    const { wires } = this.world;
    const [from, to] = [this.process.id, this.peer];
    if (this.isSilent && kind !== 'reset') return;
    if (this.stuck.length === 0 && wires.isThrough(from, to)) return this.arrive(kind, data);
    if (this.stuck.push([kind, data]) === 1) wires.whenThrough(from, to, () => this.passAgain());
  }

  private passAgain(): void {
    const { wires } = this.world;
    const [from, to] = [this.process.id, this.peer];
    if (!wires.isThrough(from, to)) return wires.whenThrough(from, to, () => this.passAgain());
    // All at once: what was sent since must not come between.
    for (const [kind, data] of this.stuck.splice(0)) if (!this.isSilent || kind === 'reset') this.arrive(kind, data);
  }

  private arrive(kind: string, data: D): void {
    this.bufferedAmount -= data.length;
    const { other, world } = this;
    if (!other) return;
    if (other.isClosed) {
      // The machine is back without this connection, or its process is gone: a reset. While it is off: silence.
      if (other.process.state !== 'down' && kind !== 'reset') other.carry('reset');
      return;
    }
    world.after(0, other.process, `${other.name} takes ${kind}`, () => {
      if (!other.isClosed) other.user.take(kind, data);
    });
  }
}
