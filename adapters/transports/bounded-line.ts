/**
 * A WebSocket in Node as a line, with bounds on everything that the other end decides.
 *
 * Who sends faster than the limits is read more slowly: its socket is left alone for a while, and what it sends waits at its own end.
 * So a flood delays the peer that makes it, and costs the others no more than the limits say. Who does not take what is sent to it, or
 * does not answer, is parted with.
 */
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
  /** What one connection may send, at a hub to all together; what it does not send is saved up for ten seconds. */
  readonly framesPerSecond: number;
  readonly bytesPerSecond: number;
  /** A peer that has not taken so much of what was sent to it is parted with. */
  readonly backlogBytes: number;
}

/**
 * Peers that work need far less: the link layer packs what it has into one frame for each peer, ten times a second if it has nothing. To
 * read a megabyte of JSON costs 10 to 60 milliseconds, so that so many bytes of a stranger cost a tenth of a core at most.
 */
export const LINE_LIMITS: LineLimits = { framesPerSecond: 2_000, bytesPerSecond: 2 ** 21, backlogBytes: BACKLOG_BYTES_MAX };
const SAVED_SECONDS = 10;

/**
 * What all connections of one place have not taken, together: a bound for each would let a hundred of them fill the memory of the process.
 * Whoever has left most of it is parted with. What is written is added up, and what was taken meanwhile is looked at only when the sum says
 * that it is too much.
 */
export class SharedBacklog {
  private readonly sockets = new Set<WebSocket>();
  private written = 0;

  constructor(
    private readonly bytesMax: number,
    /** Notified of each bound that is reached. */
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

/** A holder of a seat that somebody else wants has a second to answer: looks are counted, not the time, because this process may stand still. */
const LOOKS_MAX = 10;
const LOOK_MS = 100;
/** So long is a socket left alone. */
const REST_MS = 20;

/** Which of its limits a line is beyond. */
export type LineRate = 'framesPerSecond' | 'bytesPerSecond';

export class BoundedLine implements Line {
  peer?: NodeId;
  private readonly line: Line;
  private readonly frames: Rate;
  private readonly bytes: Rate;
  private frame: LineListener['frame'] = () => {};
  /** What had been read from the socket before it was left alone. */
  private readonly held: string[] = [];
  private resting: Subscription | undefined;
  /** Beats since something was heard: they are counted, not the time, because clocks can be set. */
  private silence = 0;
  /** Frames that came: what was said before a question is not an answer to it, but whoever speaks is given more time. */
  private heard = 0;
  /** How often it was asked whether the other end is there. Every ping says it: who answers no more may have answered an earlier one. */
  private asked = 0;
  /** One at a time, however many want to know: a `ws` that has more than 60 pings to answer closes its socket. */
  private question: Promise<boolean> | undefined;
  private nextQuestion: Promise<boolean> | undefined;

  constructor(
    private readonly socket: WebSocket,
    private readonly limits: LineLimits,
    private readonly environment: PlatformEnvironment,
    /** Told whenever it sends faster than the limits. */
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
    socket.on('close', () => this.resting?.unsubscribe());
  }

  send(text: string): void {
    const { socket } = this;
    if (socket.bufferedAmount > this.limits.backlogBytes) return socket.terminate();
    // What has to wait does so as bytes, outside of the heap: one letter beyond Latin-1 doubles a text there.
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

  answers(): Promise<boolean> {
    if (!this.question) return (this.question = this.ask().finally(() => (this.question = undefined)));
    // The answer to a question that has been asked may be on its way from an end that has gone since.
    return (this.nextQuestion ??= this.question.then((is) => {
      this.nextQuestion = undefined;
      return is && this.answers();
    }));
  }

  /** Parts with an end that has been silent for too long, and asks one that has not spoken since the last beat whether it is there. */
  beat(): void {
    // Nothing is heard from a socket that is left alone.
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
      const looking = new Subscription();
      const end = (is: boolean) => {
        looking.unsubscribe();
        socket.off('pong', yes).off('close', no);
        resolve(is);
      };
      const yes = (data: Buffer) => {
        if (String(data) === String(this.asked)) end(true);
      };
      const no = () => end(false);
      const look = (left: number, before: number) => {
        const { heard } = this;
        // Nothing is heard from a socket that is left alone, and an answer may stand behind much else.
        const isSpeaking = this.resting !== undefined || heard !== before;
        if (left === 0 && !isSpeaking) return no();
        later(looking, this.environment.clock, () => look(isSpeaking ? LOOKS_MAX : left - 1, heard), LOOK_MS);
      };
      socket.on('pong', yes).on('close', no);
      this.asked++;
      this.ping();
      look(LOOKS_MAX, this.heard);
    });
  }

  /** Reads no further until the promise has settled: what the other end says meanwhile waits there. */
  leaveAlone(until: Promise<unknown>): void {
    this.socket.pause();
    this.resting?.unsubscribe();
    const resting = (this.resting = new Subscription());
    void until.finally(() => resting.closed || this.readOn());
  }

  private take(text: unknown): void {
    this.silence = 0;
    this.heard++;
    if (typeof text !== 'string' || this.resting === undefined) {
      if (typeof text !== 'string' || this.isWithin(text)) return this.frame(text);
      this.rest();
    }
    this.held.push(text as string);
  }

  private isWithin(text: string): boolean {
    return this.frames.allows() && this.bytes.allows(Buffer.byteLength(text));
  }

  /** A ping was answered and a pong dropped before anybody could leave the socket alone: they are paid for afterward. */
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
    // What was heard may have had it left alone.
    if (this.resting !== resting) return;
    this.resting = undefined;
    if (this.held.length > 0 || this.isInDebt) this.rest();
    else this.socket.resume();
  }
}
