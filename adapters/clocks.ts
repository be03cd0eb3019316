/**
 * What peers say of their clocks before they are linked. A session is numbered by the clock at its start, and one of a day to come is taken for
 * invented (linked.ts): two peers whose clocks are so far apart do not link, and each can say why from what it has heard of the other.
 */
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

export class Clocks {
  /** When they began, by their clocks: of peers that are heard and not linked. */
  private readonly begun = new Map<NodeId, number>();

  /** `began` is when this peer did, by the clock here. */
  constructor(private readonly began: number) {}

  /** Below the link layer, which does not take it. */
  hear(peer: NodeId, said: Json): void {
    const message = isObject(said) ? said['message'] : null;
    const session = isObject(message) ? message['session'] : null;
    if (isTime(session)) this.begun.set(peer, Math.floor(session / SESSIONS_A_MS));
  }

  forget(peer: NodeId): void {
    this.begun.delete(peer);
  }

  /** Why a peer is not linked, if it is its clock, or may be. */
  reasonOf(peer: NodeId, now: number): string | null {
    const theirs = this.begun.get(peer);
    if (theirs === undefined) return null;
    if (theirs > now + AHEAD_MS_MAX)
      return `heard and refused, for its clock is more than a day ahead: it began at ${textOf(theirs)} by its clock, and here it is ${textOf(now)}; set both clocks right`;
    if (this.began <= theirs + AHEAD_MS_MAX) return null;
    return (
      `heard, and does not answer: it began at ${textOf(theirs)} by its clock, and this peer at ${textOf(this.began)} by the clock here; ` +
      'unless it has run for so long, the clocks are more than a day apart: set both right'
    );
  }
}
