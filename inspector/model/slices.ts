/**
 * The states of a node's roles as slices of its lane, one row for each role: from the line that brought it into a state to the line that
 * brought it into another. The states are the numbers of the tally, so that no line has to be parsed.
 */
import { lastAtMost } from './columns.js';
import { xOf, type Axis } from './playback.js';
import type { ReadTrace, Slot } from './recording.js';

export interface Slice {
  readonly role: string;
  /** The number of its state in `tally.states`. */
  readonly state: number;
  /** The one of the `rows` of its lane that contains it. */
  readonly row: number;
  readonly rows: number;
  readonly from: number;
  readonly to: number;
}

/** The slices of a node that touch the lines from `first` to before `stop`; an open one extends to `until`. */
export function slicesOf(
  recording: ReadTrace,
  axis: Axis,
  node: number,
  span: readonly [first: number, stop: number, until: number],
): Slice[] {
  const byRole = (recording.slotsOf[node] ?? [])
    .map((slot) => runsOf(recording, axis, slot, span))
    .filter(({ length }) => length > 0);
  return byRole.flatMap((runs, row) => runs.map((run) => ({ ...run, row, rows: byRole.length })));
}

type Run = Omit<Slice, 'row' | 'rows'>;

function runsOf(
  recording: ReadTrace,
  axis: Axis,
  { role, lines, states }: Slot,
  [first, stop, until]: readonly [number, number, number],
): Run[] {
  const runs: Run[] = [];
  const last = lastAtMost(lines, stop - 1);
  let place = Math.max(lastAtMost(lines, first - 1), 0);
  while (place <= last) {
    const [state, since] = [states[place]!, lines[place]!];
    while (place <= last && states[place] === state) place++;
    const to = place <= last ? xOf(recording, axis, lines[place]!) : until;
    if (state >= 0) runs.push({ role, state, from: xOf(recording, axis, Math.max(since, recording.first)), to });
  }
  return runs;
}
