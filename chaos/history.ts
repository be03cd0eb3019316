/**
 * What happened in a round, as it was written down while it happened: one file, to which all processes append a line at a time, so that
 * the order of the lines is an order of the events that no process disagrees with.
 *
 * A peer writes a grant down after it was given and before it uses it. A process that is killed in between has been granted something
 * that stands nowhere, which makes the checks below weaker by that and never wrong.
 */
import type { LockMode } from '../adapters/locks/locks.js';

export type HistoryLine =
  /** A process of that peer begins; the earlier one is gone. */
  | { readonly what: 'started'; readonly peer: string }
  | {
      readonly what: 'granted' | 'released' | 'lost';
      readonly peer: string;
      readonly lock: string;
      readonly fence: number;
      /** Alone, unless it says that it reads. */
      readonly mode?: LockMode;
    }
  /** All processes have been killed, and begin again. */
  | { readonly what: 'restarted' }
  /** It reaches no majority, or was left out by it. */
  | { readonly what: 'apart'; readonly peer: string }
  /** A permit; none any more. */
  | { readonly what: 'taken' | 'refused'; readonly peer: string }
  /** While it was changing what all share. */
  | { readonly what: 'interrupted'; readonly peer: string }
  /** It was told that nobody knows any more what was given out. */
  | { readonly what: 'forgotten'; readonly peer: string }
  | { readonly what: 'named'; readonly peer: string; readonly name: number }
  | { readonly what: 'follows'; readonly peer: string; readonly leader: string }
  /** It was answered what it asked after it had heard that all faults are over. */
  | { readonly what: 'served'; readonly peer: string }
  /** Something that can only be seen from inside the peer went wrong there. */
  | { readonly what: 'failed'; readonly peer: string; readonly error: string }
  /** Of the round itself: a fault in words, the last fault is over, everybody has been served since, and nobody asks any more. */
  | { readonly what: 'fault'; readonly says: string }
  | { readonly what: 'healed' | 'settled' | 'ended' };

export type History = readonly HistoryLine[];

export type LineOf<W extends HistoryLine['what']> = Extract<HistoryLine, { readonly what: W }>;

export const lines = <W extends HistoryLine['what']>(history: History, ...what: readonly W[]): LineOf<W>[] =>
  history.filter((line): line is LineOf<W> => (what as readonly string[]).includes(line.what));

/** From the first line of that kind on; nothing when there is none. */
export function after(history: History, what: HistoryLine['what']): History {
  const at = history.findIndex((line) => line.what === what);
  return at < 0 ? [] : history.slice(at + 1);
}

/** Up to the first line of that kind; everything when there is none. */
export function before(history: History, what: HistoryLine['what']): History {
  const at = history.findIndex((line) => line.what === what);
  return at < 0 ? history : history.slice(0, at);
}
