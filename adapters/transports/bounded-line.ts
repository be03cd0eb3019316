/**
 * A WebSocket in Node as a line, with bounds on everything that the other end decides.
 *
 * Who sends faster than the limits is read more slowly: its socket is left alone for a while, and what it sends waits at its own end.
 * So a flood delays the peer that makes it, and costs the others no more than the limits say. Who does not take what is sent to it, or
 * does not answer, is parted with.
 */
import type { Subscription } from 'rxjs';
import type { WebSocket } from 'ws';
import type { PlatformEnvironment } from '../environment.js';
import { BACKLOG_BYTES_MAX } from './backlog.js';
import type { Line, LineListener } from './hub.js';
import { Rate } from './rate.js';
import { SILENT_BEATS_MAX } from './through-hub.js';
import { socketLine } from './web-socket.js';

export interface LineLimits {
  /** What one connection may send; saved up for one second at most. */
  readonly framesPerSecond: number;
  readonly bytesPerSecond: number;
  /** A peer that has not taken so much of what was sent to it is parted with. */
  readonly backlogBytes: number;
}

export const LINE_LIMITS: LineLimits = { framesPerSecond: 5_000, bytesPerSecond: 2 ** 25, backlogBytes: BACKLOG_BYTES_MAX };

/** A holder of a seat that somebody else wants has so long to answer. */
const ANSWER_MS_MAX = 1_000;
/** So long is a socket left alone. */
const REST_MS = 20;

export class BoundedLine implements Line {
  private readonly line: Line;
  private readonly frames: Rate;
  private readonly bytes: Rate;
  /** What had been read from the socket before it was left alone. */
  private readonly held: string[] = [];
  private resting: Subscription | undefined;
  /** Beats since something was heard: they are counted, not the time, because clocks can be set. */
  private silence = 0;

  constructor(
    private readonly socket: WebSocket,
    private readonly limits: LineLimits,
    private readonly environment: PlatformEnvironment,
  ) {
    const { clock } = environment;
    this.line = socketLine(socket, environment);
    this.frames = new Rate(limits.framesPerSecond, clock);
    this.bytes = new Rate(limits.bytesPerSecond, clock);
    socket.on('pong', () => (this.silence = 0));
    socket.on('close', () => this.resting?.unsubscribe());
  }

  send(text: string): void {
    if (this.socket.bufferedAmount > this.limits.backlogBytes) this.socket.terminate();
    else this.line.send(text);
  }

  async close(): Promise<void> {
    await this.line.close();
  }

  terminate(): void {
    this.socket.terminate();
  }

  listen({ frame, closed }: LineListener): void {
    this.line.listen({ frame: (text) => this.take(text, frame), closed });
  }

  answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (is: boolean) => {
        timer.unsubscribe();
        for (const event of ['pong', 'message']) this.socket.off(event, yes);
        this.socket.off('close', no);
        resolve(is);
      };
      const [yes, no] = [() => end(true), () => end(false)];
      const timer: Subscription = this.environment.clock.schedule(no, ANSWER_MS_MAX);
      for (const event of ['pong', 'message']) this.socket.once(event, yes);
      this.socket.once('close', no);
      if (this.socket.readyState === this.socket.OPEN) this.socket.ping();
      else no();
    });
  }

  /** Asks whether the other end is there, and parts with one that has been silent for too long. */
  beat(): void {
    // Nothing is heard from a socket that is left alone.
    if (this.resting === undefined && this.silence++ >= SILENT_BEATS_MAX) this.socket.terminate();
    else if (this.socket.readyState === this.socket.OPEN) this.socket.ping();
  }

  private take(text: unknown, frame: (text: unknown) => void): void {
    this.silence = 0;
    if (typeof text !== 'string' || this.resting === undefined) {
      if (typeof text !== 'string' || this.isWithin(text)) return frame(text);
      this.rest(frame);
    }
    this.held.push(text as string);
  }

  private isWithin(text: string): boolean {
    return this.frames.allows() && this.bytes.allows(text.length);
  }

  private rest(frame: (text: unknown) => void): void {
    this.socket.pause();
    this.resting = this.environment.clock.schedule(() => {
      while (this.held.length > 0 && this.isWithin(this.held[0]!)) frame(this.held.shift());
      this.resting = undefined;
      if (this.held.length > 0) this.rest(frame);
      else this.socket.resume();
    }, REST_MS);
  }
}
