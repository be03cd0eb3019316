/**
 * A WebSocket in Node as a line, with limits on everything that the other end controls.
 *
 * If the other end sends faster than the limits, its socket is paused for a while and its frames wait at its own end. So a flood delays
 * only the peer that causes it. An end that does not read what is sent to it, or does not answer, is disconnected.
 */
import type { Socket } from 'node:net';
import { Subscription } from 'rxjs';
import type { WebSocket } from 'ws';
import type { NodeId } from '../../machines/effects.js';
import type { PlatformEnvironment } from '../environment.js';
import { BACKLOG_BYTES_MAX } from './backlog.js';
import type { Line, LineListener } from './hub.js';
import { later } from './later.js';
import { Rate } from './rate.js';
import { SILENT_BEATS_MAX } from './through-hub.js';
import { socketLine } from './web-socket.js';

export interface LineLimits {
  /** Rate limits of one connection, for frames to all receivers together. Up to ten seconds of unused rate accumulate. */
  readonly framesPerSecond: number;
  readonly bytesPerSecond: number;
  /** Limit of bytes sent to a peer that it has not read yet. Above it, the peer is disconnected. */
  readonly backlogBytes: number;
}

/**
 * Peers need far less in practice: the link layer packs its messages into one frame for each peer, ten times a second if idle. Reading a
 * megabyte of JSON takes 10 to 60 ms, so these limits allow a stranger at most a tenth of a core.
 */
export const LINE_LIMITS: LineLimits = { framesPerSecond: 2_000, bytesPerSecond: 2 ** 21, backlogBytes: BACKLOG_BYTES_MAX };
const SAVED_SECONDS = 10;

/**
 * Limit of the bytes that all connections of a listener have not read. With a separate limit for each, a hundred connections could fill the
 * memory of the process. Above the limit, the connection with the most unread bytes is closed. Written bytes are added up, and the sockets'
 * buffers are measured only when that sum reaches the limit.
 */
export class SharedBacklog {
  private readonly sockets = new Set<WebSocket>();
  private written = 0;

  constructor(
    private readonly bytesMax: number,
    /** Called each time the limit is reached. */
    private readonly full: (bytesMax: number) => void,
  ) {}

  watch(socket: WebSocket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
  }

  wrote(bytes: number): void {
    this.written += bytes;
    if (this.written <= this.bytesMax) return;
    const open = [...this.sockets].filter((socket) => socket.readyState === socket.OPEN);
    this.written = open.reduce((sum, { bufferedAmount }) => sum + bufferedAmount, 0);
    if (this.written <= this.bytesMax) return;
    this.full(this.bytesMax);
    const slowest = open.reduce((most, socket) => (socket.bufferedAmount > most.bufferedAmount ? socket : most));
    this.written -= slowest.bufferedAmount;
    slowest.terminate();
  }
}

/**
 * If another peer wants a seat, its holder has a second to answer. Looks are counted instead of time, because this process may be paused.
 */
const CHECKS_MAX = 10;
const CHECK_MS = 100;
/** Milliseconds for which a socket is paused. */
const REST_MS = 20;

/** The code of a WebSocket that ended without a close frame. */
const ABNORMAL_CLOSURE = 1006;
const RESETS = ['ECONNRESET', 'EPIPE'];

/** The rate limit that a connection has exceeded. */
export type LineRate = 'framesPerSecond' | 'bytesPerSecond';

export class BoundedLine implements Line {
  peer?: NodeId;
  private readonly line: Line;
  private readonly frames: Rate;
  private readonly bytes: Rate;
  private frame: LineListener['frame'] = () => {};
  /** Frames that were read before the socket was paused. */
  private readonly held: string[] = [];
  private resting: Subscription | undefined;
  /** Beats since the last frame. Beats are counted instead of time, because clocks can be set. */
  private silence = 0;
  /** Number of frames received. A frame sent before a ping does not answer it, but extends the deadline of the sender. */
  private received = 0;
  /** Number of pings that asked for an answer. Each ping contains it, to recognize the answer to an earlier one. */
  private asked = 0;
  /** One ping at a time for any number of callers: `ws` closes a socket with more than 60 unanswered pings. */
  private question: Promise<boolean> | undefined;
  private nextQuestion: Promise<boolean> | undefined;
  /** Port of an incoming connection's other end, and whether the system of that end has closed the connection. */
  private from: number | undefined;
  private hasEnded = false;
  private code = 0;

  constructor(
    private readonly socket: WebSocket,
    private readonly limits: LineLimits,
    private readonly environment: PlatformEnvironment,
    /** Called whenever the other end exceeds a limit. */
    private readonly tooFast: (limit: LineRate, peer: NodeId | undefined) => void,
    private readonly backlog: SharedBacklog,
  ) {
    const { clock } = environment;
    backlog.watch(socket);
    this.line = socketLine(socket, environment);
    this.frames = new Rate(limits.framesPerSecond, clock, SAVED_SECONDS);
    this.bytes = new Rate(limits.bytesPerSecond, clock, SAVED_SECONDS);
    socket.on('pong', (data) => {
      this.silence = 0;
      this.pay(data);
    });
    socket.on('ping', (data) => this.pay(data));
    socket.on('close', (code: number) => {
      this.code = code;
      this.resting?.unsubscribe();
    });
  }

  send(text: string): void {
    const { socket } = this;
    if (socket.bufferedAmount > this.limits.backlogBytes) return socket.terminate();
    // Waiting texts are stored as bytes outside of the heap: there, one character beyond Latin-1 doubles the size of a text.
    if (socket.bufferedAmount > 0 && socket.readyState === socket.OPEN) socket.send(Buffer.from(text), { binary: false });
    else this.line.send(text);
    this.backlog.wrote(Buffer.byteLength(text));
  }

  async close(): Promise<void> {
    await this.line.close();
  }

  terminate(): void {
    this.socket.terminate();
  }

  listen({ frame, closed }: LineListener): void {
    this.frame = frame;
    this.line.listen({ frame: (text) => this.take(text), closed });
  }

  /** Observes how an incoming connection ends. */
  follow(connection: Socket): void {
    this.from = connection.remotePort;
    const end = () => (this.hasEnded = true);
    connection.once('end', end);
    connection.once('error', ({ code = '' }: NodeJS.ErrnoException) => RESETS.includes(code) && end());
  }

  /** True without a proxy: the connection comes from the port that the other end states in its hello. */
  isDirect(port: number | undefined): boolean {
    return port !== undefined && port === this.from;
  }

  /**
   * True if the process at the other end has probably crashed. Its system then closes its connections, and resets those with unread data. A
   * running process sends a close frame first. A failed network, and a disconnection by this end, are silent.
   */
  hasCrashed(port: number | undefined): boolean {
    return this.isDirect(port) && this.hasEnded && this.code === ABNORMAL_CLOSURE;
  }

  answers(): Promise<boolean> {
    if (!this.question) return (this.question = this.ask().finally(() => (this.question = undefined)));
    // The pending answer may come from an end that has closed since.
    return (this.nextQuestion ??= this.question.then((is) => {
      this.nextQuestion = undefined;
      return is && this.answers();
    }));
  }

  /** Disconnects an end that has been silent for too long, and pings one that has sent nothing since the last beat. */
  beat(): void {
    // A paused socket delivers nothing.
    if (this.resting !== undefined) return;
    if (this.silence++ >= SILENT_BEATS_MAX) this.socket.terminate();
    else if (this.silence > 1 && this.socket.readyState === this.socket.OPEN) this.ping();
  }

  private ping(): void {
    this.socket.ping(String(this.asked));
  }

  private ask(): Promise<boolean> {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN) return Promise.resolve(false);
    return new Promise((resolve) => {
      const checkTimer = new Subscription();
      const end = (is: boolean) => {
        checkTimer.unsubscribe();
        socket.off('pong', yes).off('close', no);
        resolve(is);
      };
      const yes = (data: Buffer) => {
        if (String(data) === String(this.asked)) end(true);
      };
      const no = () => end(false);
      const look = (left: number, before: number) => {
        const { received } = this;
        // A paused socket delivers nothing, and an answer may be queued behind other frames.
        const isSpeaking = this.resting !== undefined || received !== before;
        if (left === 0 && !isSpeaking) return no();
        later(checkTimer, this.environment.clock, () => look(isSpeaking ? CHECKS_MAX : left - 1, received), CHECK_MS);
      };
      socket.on('pong', yes).on('close', no);
      this.asked++;
      this.ping();
      look(CHECKS_MAX, this.received);
    });
  }

  /** Pauses the socket until the promise has settled. Meanwhile frames wait at the other end. */
  pauseUntil(until: Promise<unknown>): void {
    this.socket.pause();
    this.resting?.unsubscribe();
    const resting = (this.resting = new Subscription());
    void until.finally(() => resting.closed || this.readOn());
  }

  private take(text: unknown): void {
    this.silence = 0;
    this.received++;
    if (typeof text !== 'string' || this.resting === undefined) {
      if (typeof text !== 'string' || this.isWithin(text)) return this.frame(text);
      this.rest();
    }
    this.held.push(text);
  }

  private isWithin(text: string): boolean {
    return this.frames.allows() && this.bytes.allows(Buffer.byteLength(text));
  }

  /** Charges a ping or pong afterward: `ws` has already answered or dropped it before the socket could be paused. */
  private pay(data: Buffer): void {
    this.frames.charge();
    this.bytes.charge(data.length);
    if (this.resting === undefined && this.isInDebt) this.rest();
  }

  private get isInDebt(): boolean {
    return this.frames.isSpent || this.bytes.isSpent;
  }

  private rest(): void {
    this.tooFast(this.frames.isSpent ? 'framesPerSecond' : 'bytesPerSecond', this.peer);
    this.socket.pause();
    this.resting = this.environment.clock.schedule(() => this.readOn(), REST_MS);
  }

  private readOn(): void {
    const { resting } = this;
    while (this.resting === resting && this.held.length > 0 && this.isWithin(this.held[0]!)) this.frame(this.held.shift());
    // The frame's listener may have paused the socket.
    if (this.resting !== resting) return;
    this.resting = undefined;
    if (this.held.length > 0 || this.isInDebt) this.rest();
    else this.socket.resume();
  }
}
