/**
 * The playhead: the last line that has happened, and a place on the axis at or after it, so that messages move between lines.
 *
 * The axis is the trace's own time, or the plain count of lines: the only one of a counterexample, where time stands still.
 */
import type { MessageRow } from './messages.js';
import type { ReadTrace } from './recording.js';

export type Axis = 'time' | 'lines';

export interface Playhead {
  /** One less than the first kept line: nothing has happened yet. */
  readonly line: number;
  readonly x: number;
}

export const xOf = (recording: ReadTrace, axis: Axis, line: number): number =>
  axis === 'lines' || line < recording.first ? line : recording.at(line);

/** True if time passes in this trace. It does not in a counterexample, which is only a list of choices. */
export const isTimed = (recording: ReadTrace): boolean =>
  recording.header?.choices === undefined &&
  recording.end > recording.first &&
  recording.at(recording.end - 1) > recording.at(recording.first);

export const playheadAt = (recording: ReadTrace, axis: Axis, line: number): Playhead => {
  const kept = Math.min(Math.max(line, recording.first - 1), recording.end - 1);
  return { line: kept, x: kept < recording.first ? startOf(recording, axis) : xOf(recording, axis, kept) };
};

/** The beginning of the axis: just before the first line. */
const startOf = (recording: ReadTrace, axis: Axis): number =>
  recording.end === recording.first ? 0 : xOf(recording, axis, recording.first) - (axis === 'lines' ? 1 : 0);

export function advance(recording: ReadTrace, axis: Axis, { line, x }: Playhead, by: number): Playhead {
  const next = x + by;
  const reached = axis === 'lines' ? Math.floor(next) : recording.lastLineAt(next);
  const end = recording.end - 1;
  if (reached >= end && next >= xOf(recording, axis, end)) return playheadAt(recording, axis, end);
  return { line: Math.min(Math.max(line, reached), end), x: next };
}

/** The time between the shown moment and a gesture: the smallest time that the page shows. */
const DONE_AFTER = 0.01;

/**
 * The time of a gesture that is performed now, after the last shown line. It has to follow all lines of the same time, because it cannot
 * come between them; `unseen` of them are not shown yet.
 */
export function timeOfGesture(
  recording: ReadTrace,
  axis: Axis,
  { line, x }: Playhead,
): { readonly at: number; readonly unseen: number } {
  const seen = Math.max(line, recording.first - 1);
  const now = seen < recording.first ? 0 : recording.at(seen);
  const last = recording.lastLineAt(now);
  const next = last + 1 < recording.end ? recording.at(last + 1) : Infinity;
  const isBetween = axis === 'time' && isTimed(recording) && x > now && x < next;
  const shown = Number((isBetween ? x : now + DONE_AFTER).toFixed(2));
  const at = shown > now && shown < next ? shown : (now + Math.min(next, now + 2 * DONE_AFTER)) / 2;
  return { at, unseen: last - seen };
}

export type Stop = 'line' | 'delivery' | 'violation';

/** The next line of a kind in either direction, or the same line if there is none. */
export function nextStop(recording: ReadTrace, line: number, stop: Stop, direction: 1 | -1): number {
  if (stop === 'violation') {
    const places = recording.violations.map((violation) => recording.seenAt(violation));
    const next = direction === 1 ? places.find((place) => place > line) : places.findLast((place) => place < line);
    return next ?? line;
  }
  const isStop = (place: number) => stop === 'line' || recording.kindOf(place) === 'deliver';
  for (let place = line + direction; place >= recording.first && place < recording.end; place += direction) {
    if (isStop(place)) return place;
  }
  return direction === -1 && stop === 'line' ? recording.first - 1 : line;
}

/** The progress of a message, 0 to 1. A message that never arrives in the trace stays where its cost predicts. */
export function progress(recording: ReadTrace, axis: Axis, message: MessageRow, x: number): number {
  const from = xOf(recording, axis, Math.max(message.sent, recording.first));
  const to = message.ended >= 0 ? xOf(recording, axis, message.ended) : from + Math.max(message.cost, 1);
  return to <= from ? 0 : Math.min(Math.max((x - from) / (to - from), 0), 1);
}

/** Axis units per second at which a typical message takes about a second. */
export function naturalSpeed(recording: ReadTrace, axis: Axis): number {
  if (axis === 'lines') return 2;
  const { messages } = recording;
  const durations: number[] = [];
  for (let ordinal = messages.first; ordinal < Math.min(messages.end, messages.first + 200); ordinal++) {
    const { sent, ended } = messages.get(ordinal);
    if (ended >= 0 && sent >= recording.first) durations.push(recording.at(ended) - recording.at(sent));
  }
  const median = durations.sort((a, b) => a - b)[durations.length >> 1] ?? 1;
  return Math.max(median, 1e-9);
}
