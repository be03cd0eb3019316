/**
 * Start times of peers before they are linked.
 *
 * The number of a session is the time of its start. One that is more than a day ahead is rejected as forged (linked.ts), so peers whose
 * clocks differ by more do not link. Each of them finds the reason in the frames of the other, received directly or through a third peer.
 */
import type { SchedulerLike } from 'rxjs';
import { isObject } from '../machines/checks.js';
import { isCount } from '../machines/shapes.js';
import type { NodeId } from '../machines/effects.js';
import type { Json } from './transports/transport.js';

/** Limit on how far a clock may be ahead. A session beyond it is forged, and no later one could ever begin. */
const AHEAD_MS_MAX = 24 * 60 * 60 * 1_000;
export const SESSIONS_A_MS = 1_000;
/** The latest time that a date can have. A forged frame may contain a later one. */
const LAST_DATE_MS = 8.64e15;

/** Sessions of one clock, each later than those of earlier runs, with room for a random part. */
export const firstSession = (now: number): number => Math.floor(now) * SESSIONS_A_MS;
export const lastSession = (now: number): number => (now + AHEAD_MS_MAX) * SESSIONS_A_MS;

/** Swedish format: digits only, with the year first. */
const inDigits = { dateStyle: 'short', timeStyle: 'medium', timeZone: 'UTC' } as const;
const textOf = (ms: number): string =>
  ms > LAST_DATE_MS ? 'beyond all dates' : `${new Intl.DateTimeFormat('sv-SE', inDigits).format(ms)} UTC`;

const aheadText = (began: number, now: number): string =>
  `refused because its clock is more than a day ahead: it started at ${textOf(began)} by its clock, and here it is ${textOf(now)}. Correct both clocks`;

/** Why a session is refused; `null` if the clock of its sender is not the reason. */
export const refusalOf = (session: number, now: number): string | null =>
  session > lastSession(now) ? `is ${aheadText(Math.floor(session / SESSIONS_A_MS), now)}` : null;

interface ClocksOptions {
  readonly clock: Pick<SchedulerLike, 'now'>;
  /** Milliseconds after its last frame for which a peer counts as present. Its end is not reported if others relay its frames. */
  readonly silenceMs: number;
  /** True if peers relay frames of others. */
  readonly relay: boolean;
  /** True if this peer waits for that one. Nothing is recorded for other peers. */
  readonly isMissed: (peer: NodeId) => boolean;
}

/** Start of a peer by its own clock, the relay of its last frame, and the time of that frame by the clock here. */
interface Sighting {
  readonly began: number;
  readonly via: NodeId | null;
  readonly at: number;
}

export class Clocks {
  /** Peers whose frames arrive but that are not linked. */
  private readonly sightings = new Map<NodeId, Sighting>();

  /** Start of this peer by its own clock. */
  private readonly began: number;

  constructor(private readonly options: ClocksOptions) {
    this.began = options.clock.now();
  }

  /** Reads a frame below the link layer, from the peer itself or relayed. */
  take(from: NodeId, frame: Json): void {
    const message = isObject(frame) ? frame['message'] : null;
    if (!isObject(message)) return;
    if (message['type'] !== 'relayed') this.note(from, null, message);
    else if (this.options.relay) this.note(message['origin'], from, message['message']);
  }

  private note(peer: unknown, via: NodeId | null, frame: unknown): void {
    const session = isObject(frame) ? frame['session'] : null;
    const { clock, isMissed } = this.options;
    if (typeof peer === 'string' && isMissed(peer) && isCount(session))
      this.sightings.set(peer, { began: Math.floor(session / SESSIONS_A_MS), via, at: clock.now() });
  }

  forget(peer: NodeId): void {
    this.sightings.delete(peer);
  }

  /** Explains why a peer is not linked if its clock is, or may be, the reason. */
  reasonOf(peer: NodeId): string | null {
    const sighting = this.sightings.get(peer);
    const now = this.options.clock.now();
    if (sighting === undefined || now > sighting.at + this.options.silenceMs) return null;
    const { began: theirs } = sighting;
    const how = sighting.via === null ? 'connected' : `connected through ${sighting.via}`;
    if (theirs > now + AHEAD_MS_MAX) return `${how}, but ${aheadText(theirs, now)}`;
    if (this.began <= theirs + AHEAD_MS_MAX) return null;
    return (
      `${how}, but does not answer: it started at ${textOf(theirs)} by its clock, and this peer at ${textOf(this.began)} by its own. ` +
      'Correct both clocks, unless it ran that long'
    );
  }
}
