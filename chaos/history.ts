/**
 * What happened in a round, as it was written down while it happened: one file, to which all processes append a line at a time, so that
 * the order of the lines is an order of the events that no process disagrees with. It is told in the words of rehearsals, so that the
 * same judges hear it.
 *
 * A peer writes a grant down after it was given and before it uses it. A process that is killed in between has been granted something
 * that stands nowhere, which makes the judgment weaker by that and never wrong.
 *
 * | type | by | |
 * |---|---|---|
 * | `start`, `end` | the peer, once it is connected; the round | a process begins (`life` counts them), and is gone |
 * | `fault`, `healed` | the round | what fails, as in rehearsals; of a process that was not let run, by itself |
 * | `members` | the round | `lists`: of which voters a majority counts from now on, of both while a change is decided |
 * | `ask`, `settle`, `grant`, `release`, `lost` | the peer | of a lock, with `fence` and `mode` |
 * | `note` | the peer | `what`: `took`, `named` and `leader`, for judges; `refused` (no permit left), `interrupted` (while it changed what all share), `forgotten` (nobody knows any more what was given out), `unstored` (its disk takes nothing), `hosted` (a client, through `host`), `served` (what was asked after the last fault) |
 * | `uncaught` | the round | a process that failed, or does not end |
 * | `restarted` | the round | all processes were gone at once, and begin again |
 * | `phase` | the round | `healed`: the last fault is over; `settled`: everybody has been served since; `ended`: nobody asks any more |
 */
import { appendFileSync } from 'node:fs';
import type { ReportEvent } from '../test/rehearsal/watched.js';
import type { RehearsalEvent } from '../test/rehearsal/world.js';

export type HistoryLine = RehearsalEvent;
export type History = readonly HistoryLine[];

/** Writes down what happens now, or has happened at `at`. */
export const writerTo =
  (file: string): ReportEvent =>
  (type, fields) =>
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), type, ...fields })}\n`);

/** How often a process looks whether it runs, and what is too long: a detector of half a second is not to be wrong for it. */
const LOOK_MS = 25;
const STALL_MS = 200;

/** A process that was not let run for a while, by a busy machine or a signal, says so when it is. Gives what ends that. */
export function tellStalls(write: ReportEvent, what: 'pause' | 'cold', who: string): () => void {
  let last = Date.now();
  const looking = setInterval(() => {
    const now = Date.now();
    const fault = { what, who };
    if (now - last > STALL_MS) {
      write('fault', { at: last, isStall: true, fault });
      write('healed', { fault });
    }
    last = now;
  }, LOOK_MS).unref();
  return () => clearInterval(looking);
}

/** A stall is told once it is over, and heard where it began. */
export function asHeard(history: History): History {
  const stalls = history.filter(({ isStall }) => isStall).sort((a, b) => a.at - b.at);
  const heard: HistoryLine[] = [];
  for (const line of history.filter(({ isStall }) => !isStall)) {
    while (stalls.length > 0 && stalls[0]!.at <= line.at) heard.push(stalls.shift()!);
    heard.push(line);
  }
  return [...heard, ...stalls];
}

export const lines = (history: History, type: string): History => history.filter((line) => line.type === type);
export const notes = (history: History, what: string): History => lines(history, 'note').filter((line) => line['what'] === what);

/** Up to the beginning of that phase, and from it on: everything and nothing, when there is none. */
export function aroundPhase(history: History, phase: string): readonly [before: History, after: History] {
  const at = history.findIndex((line) => line['phase'] === phase);
  return at < 0 ? [history, []] : [history.slice(0, at), history.slice(at + 1)];
}
