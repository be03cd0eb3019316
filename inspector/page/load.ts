/** Reading traces: from the server that serves the page, from a file that is dropped on it, or the run made again after a gesture. */
import { computed, signal } from '@preact/signals';
import { lastAlive, startOf } from '../model/place.js';
import { ReadTrace } from '../model/recording.js';
import { askForOffer } from './reach.js';
import { askServer } from './served.js';
import { isServed } from './shell.js';
import {
  axis,
  currentLine,
  followsEnd,
  goTo,
  growing,
  hasGrown,
  isLoading,
  opened,
  recording,
  replaced,
  selectedNode,
  showLine,
  sourceProblem,
  timed,
  verdict,
} from './state.js';
import { tab } from './tab.js';
import { thrownText } from '../../machines/errors.js';

/** For so long it reads without a break. */
const BREAK_MS = 40;
/** The first lines are shown soon; the longer the trace, the less often the views follow, so that reading goes ahead. */
const SHOW_MS = 100;
const SHOW_MAX_MS = 1600;

/** Lets the page draw and process keys. Unlike a timeout, it returns immediately. */
const breathe = (): Promise<unknown> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', resolve, { once: true });
    port1.start();
    port2.postMessage(null);
  });

const NO_RUNS =
  'The story cannot be opened here: quiver explore makes its runs, and this page has no server for that. Start quiver explore, and open the story on its page. The current view stays.';

/** Reports that this page has no server to make the runs of a story. */
export function hasNoRuns(): false {
  sourceProblem.value = NO_RUNS;
  return false;
}

/** Loads a trace from the server. Reports a failure and returns false. With a `request`, the server makes a run for a story. */
export async function loadFromServer(path = './trace', request?: RequestInit): Promise<boolean> {
  const next = new ReadTrace();
  try {
    const response = await askServer(path, request);
    if (response.status === 404 && request) return hasNoRuns();
    if (response.status === 422) return reportLoadProblem(await response.text());
    if (!response.ok || !response.body) throw new Error(`the server responded with status ${response.status}`);
    await openTrace(response.body, next);
  } catch (error) {
    if (!isOfPrograms(next))
      return reportLoadProblem(
        recording.value.header?.live
          ? 'The observed program has ended. The page shows what it did.'
          : `No trace came from the server: ${thrownText(error)}. Is it still running? A trace file can be dropped on this page.`,
      );
    isLoading.value = false;
  }
  if (isOfPrograms(next)) void awaitServer(next);
  return true;
}

const isOfPrograms = ({ header }: ReadTrace): boolean => header?.live === true && header.protocol === 'programs';

/** The state of the server: it responds, it has stopped, or another server is at its address. */
export const server = signal<'here' | 'away' | 'back'>('here');
/** The first pause in milliseconds before the page looks for its server again, and the longest. */
const AGAIN_MS = 1000;
const AGAIN_MAX_MS = 10_000;
/** The name of the node to select when the trace of the next server comes. */
let nodeBefore: string | undefined;

/** Waits until the server of programs is there again. A page that followed them goes on with it. */
async function awaitServer(last: ReadTrace): Promise<void> {
  if (recording.value !== last) return;
  server.value = 'away';
  for (let pause = AGAIN_MS; ; pause = Math.min(2 * pause, AGAIN_MAX_MS)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (recording.value !== last) return;
    const isThere = await askServer('./index.html', { method: 'HEAD' }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (recording.value !== last) return;
    if (!isThere) continue;
    if (followsEnd.value) return followServer();
    server.value = 'back';
    return;
  }
}

/** Connects again to the server at the address, which may have been restarted. */
export function followServer(): void {
  nodeBefore = recording.value.nodes.names[selectedNode.value];
  void loadFromServer();
}

/** The number of lines of the live trace, as the server reported it last, and when the page asked. */
const written = signal(0);
let askedAt = -Infinity;
const BETWEEN_ASKS_MS = 1000;
/** A page that is less behind keeps up. */
const BEHIND_MIN = 200;

/** The number of lines of the live trace that have not reached the page; 0 if it keeps up. */
export const behind = computed(() => {
  const lines = isLoading.value && growing().header?.live ? written.value - growing().next : 0;
  return lines < BEHIND_MIN ? 0 : lines;
});

/** Asks from time to time while lines arrive, so that a page at rest asks nothing. */
async function askHowFar(): Promise<void> {
  if (!isServed || performance.now() - askedAt < BETWEEN_ASKS_MS) return;
  askedAt = performance.now();
  try {
    const response = await askServer('./written');
    if (response.ok) written.value = Number(await response.json());
  } catch {
    // The end of the trace reports that the server has stopped.
  }
}

export async function loadFile(file: Blob): Promise<void> {
  try {
    await openTrace(file.stream());
  } catch (error) {
    reportLoadProblem(`The file could not be read: ${thrownText(error)}.`);
  }
}

export function reportLoadProblem(why: string): false {
  isLoading.value = false;
  sourceProblem.value = why;
  return false;
}

/** Moves to the violation of a counterexample and shows its causes. */
export function showVerdict(): void {
  const line = verdict.value.violated[0]?.line ?? null;
  if (!recording.value.header?.choices || line === null) return;
  showLine(line);
  tab.value = 'why';
}

export async function openTrace(stream: ReadableStream<Uint8Array>, next = new ReadTrace()): Promise<void> {
  opened(next);
  server.value = 'here';
  await read(stream, next, arrived);
  // A recorded live run accepts no gestures.
  if (isServed && recording.value === next && !next.header?.live) await askForOffer(reload);
}

/**
 * Replaces the run by the one repeated with gestures. Both are equal up to the playhead, so the new one is shown when it has reached it.
 */
export async function reload(stream: ReadableStream<Uint8Array>): Promise<void> {
  const next = new ReadTrace();
  const line = currentLine.value;
  await read(stream, next, (isWhole) => {
    if (recording.value === next) hasGrown();
    else if (isWhole || next.end > line + 1) replaced(next);
  });
}

async function read(stream: ReadableStream<Uint8Array>, into: ReadTrace, show: (isWhole: boolean) => void): Promise<void> {
  isLoading.value = true;
  written.value = 0;
  const before = recording.value;
  const reader = stream.getReader();
  // A stream of texts between the two would take longer than the decoding.
  const decoder = new TextDecoder();
  // Shows the lines that have arrived soon, whether more follow or not.
  let due: ReturnType<typeof setTimeout> | undefined;
  let pause = SHOW_MS;
  const showSoon = () =>
    (due ??= setTimeout(() => {
      due = undefined;
      if (!into.header?.live) pause = Math.min(2 * pause, SHOW_MAX_MS);
      show(false);
    }, pause));
  let rested = performance.now();
  try {
    for (let piece = await reader.read(); !piece.done && into.problem === null; piece = await reader.read()) {
      if (recording.value !== into && recording.value !== before) return void reader.cancel();
      into.push(decoder.decode(piece.value, { stream: true }));
      showSoon();
      if (into.header?.live) void askHowFar();
      if (performance.now() - rested < BREAK_MS) continue;
      await breathe();
      rested = performance.now();
    }
  } finally {
    clearTimeout(due);
  }
  if (into.problem !== null) void reader.cancel();
  into.push(decoder.decode());
  into.close();
  isLoading.value = false;
  show(true);
}

/** At the first sight of a trace: after the nodes have started, with the node that acts next in view. */
function arrived(): void {
  const isNew = selectedNode.value < 0 && recording.value.end > 0;
  hasGrown();
  if (!timed.value && !isLoading.value && axis.value === 'time') axis.value = 'lines';
  // Where the playhead was is forgotten.
  if (!isNew && currentLine.value < recording.value.first - 1) goTo(recording.value.first);
  const isLive = recording.value.header?.live === true;
  if (isLive && followsEnd.value) goTo(recording.value.end - 1);
  if (!isNew) return;
  const { end } = recording.value;
  if (isLive) {
    const before = nodeBefore === undefined ? -1 : recording.value.nodes.find(nodeBefore);
    nodeBefore = undefined;
    return void (selectedNode.value = before >= 0 ? before : lastAlive(recording.value));
  }
  const line = startOf(recording.value);
  goTo(line);
  selectedNode.value = line + 1 < end ? Math.max(recording.value.nodeOf(line + 1), 0) : 0;
}
