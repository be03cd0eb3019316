/**
 * Connections of a simulated world, with all the problems of real TCP.
 *
 * Data arrives in order and late. While the path is severed, data waits, because TCP retransmits it. A killed process resets its connections.
 * A machine without power sends nothing: the other end notices only the silence, or a reset when the machine is back and receives data for
 * an unknown connection. Connecting to a port without a listener is refused. Connecting to a machine that does not respond fails after 20
 * seconds.
 *
 * Two layers use these connections: WebSockets with whole frames (web-sockets.ts), and the sockets of `node:net` with bytes (sockets.ts).
 */
import type { Process, VirtualWorld } from './world.js';

/** 100 Mbit/s. */
const BYTES_PER_MS = 12_500;
const ATTEMPTS_MAX = 20;

/** A listener: a process that accepts connections on a named port. */
export interface Listening {
  readonly process: Process;
}

const listening = new WeakMap<VirtualWorld, Map<string, Listening>>();

export function listenersOf(world: VirtualWorld): Map<string, Listening> {
  let listeners = listening.get(world);
  if (!listeners) listening.set(world, (listeners = new Map()));
  return listeners;
}

/** The callbacks of an attempt to connect. */
interface Attempt<L> {
  /** True if the result is no longer needed. */
  isOver(): boolean;
  failed(code: 'ECONNREFUSED' | 'ETIMEDOUT'): void;
  reached(listener: L): void;
}

/** Connects to another process's port. It repeats attempts until one succeeds or is refused, or the process ends. */
export function connectTo<L extends Listening>(
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
      const isReachable = wires.isThrough(process.id, host) && wires.isThrough(host, process.id) && there?.state !== 'paused';
      const listener = listenersOf(world).get(`${host}:${port}`) as L | undefined;
      if (there && !isReachable) {
        if (tries === ATTEMPTS_MAX) attempt.failed('ETIMEDOUT');
        else world.after(1_000, null, 'again', () => tryOnce(tries + 1));
      } else if (!listener) attempt.failed('ECONNREFUSED');
      else attempt.reached(listener);
    });
  tryOnce(0);
}

/** The user of one end of a connection. It defines the kinds of data, except `reset`, which is TCP's. */
interface EndUser<D> {
  take(kind: string, data: D): void;
  /** Called when a fault resets the connection. */
  reset(): void;
  /** Called when the process of this end has ended. */
  ended(): void;
}

/** One end of a simulated connection between two processes. */
export class ConnectionEnd<D extends { readonly length: number }> {
  other: ConnectionEnd<D> | undefined;
  /** Number of bytes sent that have not arrived. */
  bufferedAmount = 0;
  isClosed = false;
  /** True after a loss of power: unsent data is lost, and a slow path may contain much of it. */
  private isSilent = false;
  /** Arrival time of the last data sent. Nothing arrives before it. */
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

  /** Closes this end. Data that arrives later is answered with a reset. */
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

  /** Keeps the order over a severed path: data behind waiting data waits, too. */
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
    // Deliver all waiting data at once, so that data sent later cannot come between.
    for (const [kind, data] of this.stuck.splice(0)) if (!this.isSilent || kind === 'reset') this.arrive(kind, data);
  }

  private arrive(kind: string, data: D): void {
    this.bufferedAmount -= data.length;
    const { other, world } = this;
    if (!other) return;
    if (other.isClosed) {
      // If the machine is back without this connection, or the process has ended, answer with a reset. While the machine is off,
      // stay silent.
      if (other.process.state !== 'down' && kind !== 'reset') other.carry('reset');
      return;
    }
    world.after(0, other.process, `${other.name} takes ${kind}`, () => {
      if (!other.isClosed) other.user.take(kind, data);
    });
  }
}
