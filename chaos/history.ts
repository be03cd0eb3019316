/**
 * History of a round, written while it happens. All processes append lines to one file, so the order of lines is an order of events that no
 * process contradicts. It uses the entries of rehearsals, so the same judges read it.
 *
 * A peer writes a grant after it receives it and before it uses it. A process killed in between leaves no entry, which makes the judgment
 * weaker but never wrong.
 *
 * | type | by | |
 * |---|---|---|
 * | `start`, `end` | the connected peer; the round | a process begins (`life` counts them), and has ended |
 * | `fault`, `healed` | the round | faults as in rehearsals; a stalled process reports itself |
 * | `members` | the round | `lists`: the voters of a majority from now on; both lists while a change is decided |
 * | `ask`, `settle`, `grant`, `release`, `lost` | the peer | of a lock, with `fence` and `mode` |
 * | `note` | the peer | `what`: `took`, `named` and `leader`, for judges; `refused` (no permit left), `interrupted` (during a change of
 * shared data), `forgotten` (the record of given permits is lost), `unstored` (its disk rejects writes), `hosted` (a client, through
 * `host`), `served` (requests after the last fault) |
 * | `uncaught` | the round | a process that failed, or does not end |
 * | `restarted` | the round | all processes stopped at once, and start again |
 * | `phase` | the round | `healed`: the last fault is over; `settled`: every peer has been served since; `ended`: no more requests |
 */
import { appendFileSync } from 'node:fs';
import type { ReportEvent } from '../test/rehearsal/watched.js';
import type { RehearsalEvent } from '../test/rehearsal/world.js';

export type HistoryLine = RehearsalEvent;
export type History = readonly HistoryLine[];

/** Records an event that happens now, or has happened at `at`. */
export const writerTo =
  (file: string): ReportEvent =>
  (type, fields) =>
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), type, ...fields })}\n`);

/** Interval of the stall checks, and the threshold: below the half second after which a failure detector would be wrong. */
const CHECK_MS = 25;
const STALL_MS = 200;

/** Reports when this process was stalled, by a busy machine or a signal. Returns a function that stops it. */
export function reportStalls(write: ReportEvent, what: 'pause' | 'cold', who: string): () => void {
  let last = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    const fault = { what, who };
    if (now - last > STALL_MS) {
      write('fault', { at: last, isStall: true, fault });
      write('healed', { fault });
    }
    last = now;
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
}

/** Moves the report of each stall, written after it, to the beginning of the stall. */
export function inOrder(history: History): History {
  const stalls = history.filter(({ isStall }) => isStall).sort((a, b) => a.at - b.at);
  const received: HistoryLine[] = [];
  for (const line of history.filter(({ isStall }) => !isStall)) {
    while (stalls.length > 0 && stalls[0]!.at <= line.at) received.push(stalls.shift()!);
    received.push(line);
  }
  return [...received, ...stalls];
}

export const lines = (history: History, type: string): History => history.filter((line) => line.type === type);
export const notes = (history: History, what: string): History => lines(history, 'note').filter((line) => line['what'] === what);

/** The entries before the beginning of that phase, and those after it. Without that phase: all, and none. */
export function aroundPhase(history: History, phase: string): readonly [before: History, after: History] {
  const at = history.findIndex((line) => line['phase'] === phase);
  return at < 0 ? [history, []] : [history.slice(0, at), history.slice(at + 1)];
}
