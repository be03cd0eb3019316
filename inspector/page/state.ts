/** The state of the page as signals. Every view reads and selects here, so that all views stay linked. */
import { batch, computed, signal } from '@preact/signals';
import { lastAtMost } from '../model/columns.js';
import { follow, type Trail } from '../model/follow.js';
import { Moment } from '../model/moment.js';
import {
  advance,
  isTimed,
  naturalSpeed,
  nextStop,
  playheadAt,
  xOf,
  type Axis,
  type Playhead,
  type Stop,
} from '../model/playback.js';
import { ReadTrace } from '../model/recording.js';
import { verdictOf } from '../model/verdict.js';

/** A recording grows in place. A new holder notifies its readers. */
const held = signal({ recording: new ReadTrace() });
/** The trace on the page. The signal changes when another trace is opened. */
export const recording = computed(() => held.value.recording);
/** The trace on the page. Readers are notified of each part that arrives. */
export const growing = (): ReadTrace => held.value.recording;
export const hasGrown = (): void => void (held.value = { recording: held.value.recording });

export const isLoading = signal(true);
/** An error of the source of the trace, such as a server that does not respond. */
export const sourceProblem = signal<string | null>(null);

export const axis = signal<Axis>('time');
export const playhead = signal<Playhead>({ line: -1, x: 0 });
export const isPlaying = signal(false);
/** The playback speed, as a factor: 1 is the natural speed of the trace. */
export const speed = signal(1);

/** The number of the selected node, or -1 for none. */
export const selectedNode = signal(-1);
/** The selected link, by the numbers of its two nodes. */
export const selectedLink = signal<readonly [number, number] | null>(null);
export const selectedMessage = signal(-1);
export const trail = signal<Trail | null>(null);

export const currentLine = computed(() => playhead.value.line);
export const moment = computed(() => new Moment(growing(), currentLine.value));
export const naturalRate = computed(() => naturalSpeed(growing(), axis.value));
export const timed = computed(() => isTimed(growing()));
export const problem = computed(() => sourceProblem.value ?? growing().problem);
export const verdict = computed(() => verdictOf(growing()));
export const way = computed(() => {
  const isKept = selectedMessage.value >= growing().messages.first;
  return trail.value !== null && isKept ? follow(growing(), selectedMessage.value, trail.value) : [];
});

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 64, 256, 1024] as const;

/** Replaces the trace by another run of the same scenario. If it is shorter, the playhead moves to its end. */
export function replaced(next: ReadTrace): void {
  batch(() => {
    held.value = { recording: next };
    if (currentLine.value >= next.end) goTo(next.end - 1);
  });
}

export function opened(next: ReadTrace): void {
  batch(() => {
    held.value = { recording: next };
    isLoading.value = true;
    sourceProblem.value = null;
    axis.value = 'time';
    playhead.value = { line: -1, x: 0 };
    isPlaying.value = false;
    followsEnd.value = true;
    selectedNode.value = -1;
    selectedMessage.value = -1;
    selectedLink.value = null;
    trail.value = null;
  });
}

export function goTo(line: number): void {
  playhead.value = playheadAt(recording.value, axis.value, line);
}

/** True if the playhead stays at the end of a trace that is still being written. */
export const followsEnd = signal(true);

/** The lines at which playback stops, in ascending order. */
export const breakpoints = signal<readonly number[]>([]);

/** Where playing ends; `null` for the end of the trace. */
const stopAt = signal<number | null>(null);

export function pauseAt(line: number): void {
  isPlaying.value = false;
  stopAt.value = null;
  goTo(line);
  followsEnd.value = line >= recording.value.end - 1;
}

/** Stops playback at a breakpoint. A live program continues, and the page does not follow it until the viewer asks for it. */
export function stopAtBreakpoint(line: number): void {
  pauseAt(line);
  followsEnd.value = false;
}

export const step = (stop: Stop, direction: 1 | -1): void =>
  pauseAt(nextStop(recording.value, currentLine.value, stop, direction));

/** Plays to a later line, as fast as necessary to take no longer than a maximum time. */
export function playTo(line: number, secondsMax: number): void {
  const distance = xOf(recording.value, axis.value, line) - playhead.value.x;
  speed.value = SPEEDS.find((one) => one >= 0.5 && distance <= secondsMax * one * naturalRate.value) ?? SPEEDS.at(-1)!;
  play(true);
  stopAt.value = line;
}

export function play(on: boolean): void {
  followsEnd.value = false;
  stopAt.value = null;
  const atEnd = currentLine.value >= recording.value.end - 1;
  if (on && atEnd && !isLoading.value) goTo(recording.value.first - 1);
  isPlaying.value = on;
}

export function setAxis(next: Axis): void {
  axis.value = next;
  goTo(currentLine.value);
}

export function changeSpeed(direction: 1 | -1): void {
  const at = SPEEDS.findIndex((value) => value >= speed.value);
  speed.value = SPEEDS[Math.min(Math.max(at + direction, 0), SPEEDS.length - 1)]!;
}

/** Moves the playhead by the time of one frame. */
export function tick(seconds: number): void {
  const next = advance(recording.value, axis.value, playhead.value, seconds * speed.value * naturalRate.value);
  const reached = breakpoints.value[lastAtMost(breakpoints.value, currentLine.value) + 1];
  if (reached !== undefined && reached <= next.line) return stopAtBreakpoint(reached);
  if (stopAt.value !== null && next.line >= stopAt.value) return pauseAt(stopAt.value);
  playhead.value = next;
  if (next.line >= recording.value.end - 1 && !isLoading.value) isPlaying.value = false;
}

export function selectMessage(ordinal: number): void {
  selectedMessage.value = ordinal;
  trail.value = null;
}

/** Shows a line everywhere: the playhead goes there, and its node is selected. */
export function showLine(line: number): void {
  batch(() => {
    pauseAt(line);
    const node = recording.value.nodeOf(line);
    if (node >= 0) selectedNode.value = node;
  });
}
