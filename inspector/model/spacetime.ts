/** The space-time diagram as plain geometry: a lane for each node, time to the right, an arrow for each message. */
import { lastAtMost } from './columns.js';
import type { MessageRow } from './messages.js';
import { xOf, type Axis } from './playback.js';
import type { ReadTrace, Slot } from './recording.js';

export interface Window {
  readonly from: number;
  readonly to: number;
}

export interface Dot {
  readonly line: number;
  readonly x: number;
  readonly lane: number;
  readonly kind: string;
}

export interface Arrow {
  readonly message: MessageRow;
  readonly from: { readonly x: number; readonly lane: number };
  /** For a message in flight at the end of the trace: the point that it reached. */
  readonly to: { readonly x: number; readonly lane: number };
}

/** An interval in which a node is marked as a holder, or does not run. */
export interface Stretch {
  readonly lane: number;
  readonly kind: 'held' | 'down';
  readonly from: number;
  readonly to: number;
}

/** A role in one state, on the lane of its node. */
export type LaneSlice = Slice & { readonly lane: number };

export interface Diagram {
  readonly dots: readonly Dot[];
  readonly slices: readonly LaneSlice[];
  readonly stretches: readonly Stretch[];
  readonly arrows: readonly Arrow[];
  /** True when there was more in the window than is worth drawing. */
  readonly thinned: boolean;
}

export const DOTS_MAX = 3000;

/** The lines whose place on the axis is in the window. */
export function linesIn(recording: ReadTrace, axis: Axis, { from, to }: Window): readonly [first: number, end: number] {
  const before = axis === 'lines' ? Math.ceil(from) - 1 : lastLineBefore(recording, from);
  const last = axis === 'lines' ? Math.floor(to) : recording.lastLineAt(to);
  return [Math.max(before + 1, recording.first), Math.min(last + 1, recording.end)];
}

function lastLineBefore(recording: ReadTrace, at: number): number {
  let line = recording.lastLineAt(at);
  while (line >= recording.first && recording.at(line) >= at) line--;
  return line;
}

/** Computes the diagram. `laneOf` returns the lane of a node, -1 for one that is not shown. */
export function layOut(recording: ReadTrace, axis: Axis, window: Window, laneOf: (node: number) => number): Diagram {
  const [first, end] = linesIn(recording, axis, window);
  const stop = Math.min(end, first + DOTS_MAX);
  const dots: Dot[] = [];
  for (let line = first; line < stop; line++) {
    const lane = laneOf(recording.nodeOf(line));
    if (lane >= 0) dots.push({ line, x: xOf(recording, axis, line), lane, kind: recording.kindOf(line) });
  }
  const { messages } = recording;
  const ordinals = first > recording.first ? messages.inFlightAt(first - 1) : [];
  for (let ordinal = messages.firstSentFrom(first); ordinal < messages.firstSentFrom(stop); ordinal++) ordinals.push(ordinal);
  const arrows: Arrow[] = [];
  for (const ordinal of ordinals.slice(0, DOTS_MAX)) {
    const message = messages.get(ordinal);
    const [from, to] = [laneOf(message.from), laneOf(message.to)];
    if (from < 0 || to < 0) continue;
    const ended = message.ended >= 0 ? message.ended : recording.end - 1;
    arrows.push({
      message,
      from: { x: xOf(recording, axis, message.sent), lane: from },
      to: { x: xOf(recording, axis, ended), lane: to },
    });
  }
  const until = Math.min(stop < end ? xOf(recording, axis, stop - 1) : window.to, xOf(recording, axis, recording.end - 1));
  const stretches: Stretch[] = [];
  const slices: LaneSlice[] = [];
  for (let node = 0; node < recording.nodes.size; node++) {
    const lane = laneOf(node);
    if (lane < 0) continue;
    for (const stretch of stretchesOf(recording, axis, node, [first, stop, until])) stretches.push({ lane, ...stretch });
    for (const slice of slicesOf(recording, axis, node, [first, stop, until])) slices.push({ lane, ...slice });
  }
  return { dots, slices, stretches, arrows, thinned: stop < end };
}

/** The stretches of a node that touch the lines from `first` to before `stop`; an open one extends to `until`. */
function stretchesOf(
  recording: ReadTrace,
  axis: Axis,
  node: number,
  [first, stop, until]: readonly [number, number, number],
): Omit<Stretch, 'lane'>[] {
  const marked = recording.overlays[node]!;
  const marks = marked.slice(Math.max(lastAtMost(marked, first - 1), 0), lastAtMost(marked, stop - 1) + 1);
  const runs = recording.running[node]!;
  const changes = runs.slice(Math.max(lastAtMost(runs, 2 * first - 1), 0), lastAtMost(runs, 2 * stop - 1) + 1);
  const along = (kind: Stretch['kind'], turns: readonly (readonly [line: number, isOn: boolean])[]) => {
    const changed = turns.filter(([, isOn], i) => isOn !== (turns[i - 1]?.[1] ?? false));
    return changed.flatMap(([line, isOn], i) => {
      const next = changed[i + 1];
      const to = next ? xOf(recording, axis, next[0]) : until;
      return isOn ? [{ kind, from: xOf(recording, axis, Math.max(line, recording.first)), to }] : [];
    });
  };
  return [
    ...along(
      'held',
      marks.map((line) => [line, recording.step(line)?.overlay?.tone === 'held']),
    ),
    ...along(
      'down',
      changes.map((change) => [change >> 1, change % 2 === 0]),
    ),
  ];
}

/**
 * The nodes that act or receive a message in the visible part, in the order of the topology. All nodes, if there are few, but for actors
 * that have ended before.
 */
export function lanesIn(recording: ReadTrace, axis: Axis, window: Window, always: readonly number[], allUpTo: number): number[] {
  const { nodes, messages, programs, running } = recording;
  const shown = new Set(always);
  const [first, end] = linesIn(recording, axis, window);
  const hasEnded = (node: number) => {
    const changes = running[node] ?? [];
    const before = changes[lastAtMost(changes, 2 * first - 1)];
    return programs[node] !== undefined && before !== undefined && before % 2 === 0;
  };
  if (nodes.size <= allUpTo) return nodes.names.flatMap((_, node) => (hasEnded(node) && !shown.has(node) ? [] : [node]));
  for (let line = first; line < Math.min(end, first + DOTS_MAX); line++) {
    if (recording.nodeOf(line) >= 0) shown.add(recording.nodeOf(line));
  }
  for (const ordinal of messages.inFlightAt(end - 1).slice(0, DOTS_MAX)) {
    const { from, to } = messages.get(ordinal);
    shown.add(from).add(to);
  }
  return [...shown].sort((a, b) => a - b);
}

/**
 * The states of a node's roles as slices of its lane, one row for each role: from the line that brought it into a state to the line that
 * brought it into another. The states are the numbers of the tally, so that no line has to be parsed.
 */
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
