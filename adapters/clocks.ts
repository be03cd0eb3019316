/**
 * What peers say of their clocks before they are linked. A session is numbered by the clock at its start, and one of a day to come is taken for
 * invented (linked.ts): two peers whose clocks are so far apart do not link, and each can say why from what it has heard of the other, directly or by
 * way of a third.
 */
import type { SchedulerLike } from 'rxjs';
import { isObject } from '../machines/checks.js';
import type { NodeId } from '../machines/effects.js';
import type { Json } from './transports/transport.js';

/** No clock goes so far ahead: a session that says so is invented, and nobody could ever begin a later one. */
const AHEAD_MS_MAX = 24 * 60 * 60 * 1_000;
export const SESSIONS_A_MS = 1_000;

/** Of one clock, all later than in its earlier runs, with room for chance. */
export const firstSession = (now: number): number => Math.floor(now) * SESSIONS_A_MS;
export const lastSession = (now: number): number => (now + AHEAD_MS_MAX) * SESSIONS_A_MS;

const isTime = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
/** Of Sweden: the year first, and all in digits. */
const inDigits = { dateStyle: 'short', timeStyle: 'medium', timeZone: 'UTC' } as const;
const textOf = (ms: number): string => `${new Intl.DateTimeFormat('sv-SE', inDigits).format(ms)} UTC`;

interface ClocksOptions {
  readonly clock: Pick<SchedulerLike, 'now'>;
  /** So long a peer is believed to be there still that was heard: that one is gone who is heard by way of others nobody tells. */
  readonly silenceMs: number;
  /** True if others may pass on what a peer says. */
  readonly relay: boolean;
  /** True if this peer waits for that one: of nobody else anything is kept. */
  readonly isMissed: (peer: NodeId) => boolean;
}

/** When a peer began, by its clock; by whom it was heard, where it was not heard directly, and when last, by the clock here. */
interface Heard {
  readonly began: number;
  readonly via: NodeId | null;
  readonly at: number;
}

export class Clocks {
  /** Of peers that are heard and not linked. */
  private readonly heard = new Map<NodeId, Heard>();

  /** When this peer began, by the clock here. */
  private readonly began: number;

  constructor(private readonly options: ClocksOptions) {
    this.began = options.clock.now();
  }

  /** Below the link layer, which does not take it: from the peer itself, or passed on. */
  hear(from: NodeId, said: Json): void {
    const message = isObject(said) ? said['message'] : null;
    if (!isObject(message)) return;
    if (message['type'] !== 'relayed') this.note(from, null, message);
    else if (this.options.relay) this.note(message['origin'], from, message['message']);
  }

  private note(peer: unknown, via: NodeId | null, said: unknown): void {
    const session = isObject(said) ? said['session'] : null;
    const { clock, isMissed } = this.options;
    if (typeof peer === 'string' && isMissed(peer) && isTime(session))
      this.heard.set(peer, { began: Math.floor(session / SESSIONS_A_MS), via, at: clock.now() });
  }

  forget(peer: NodeId): void {
    this.heard.delete(peer);
  }

  /** Why a peer is not linked, if it is its clock, or may be. */
  reasonOf(peer: NodeId): string | null {
    const heard = this.heard.get(peer);
    const now = this.options.clock.now();
    if (heard === undefined || now > heard.at + this.options.silenceMs) return null;
    const { began: theirs } = heard;
    const how = heard.via === null ? 'heard' : `heard by way of ${heard.via}`;
    if (theirs > now + AHEAD_MS_MAX)
      return `${how} and refused, for its clock is more than a day ahead: it began at ${textOf(theirs)} by its clock, and here it is ${textOf(now)}. Set both clocks right`;
    if (this.began <= theirs + AHEAD_MS_MAX) return null;
    return (
      `${how}, and does not answer: it began at ${textOf(theirs)} by its clock, and this peer at ${textOf(this.began)} by the clock here; ` +
      'unless it has run for so long, the clocks are more than a day apart: set both right'
    );
  }
}
