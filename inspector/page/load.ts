/** Where traces come from: the server that serves the page, or a file that is dropped on it. */
import { Recording } from '../model/recording.js';
import { axis, goTo, hasGrown, isLoading, opened, recording, selectedNode, sourceProblem, timed } from './state.js';

/** For so long it reads without a break; the views follow less often, so that reading goes ahead. */
const BREAK_MS = 20;
const SHOW_MS = 150;

export async function loadFromServer(): Promise<void> {
  try {
    const response = await fetch('./trace');
    if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`);
    await read(response.body);
  } catch (error) {
    failed(
      `No trace came from the server: ${(error as Error).message}. Is it still running? A trace file can be dropped on this page.`,
    );
  }
}

export async function loadFile(file: Blob): Promise<void> {
  try {
    await read(file.stream());
  } catch (error) {
    failed(`The file could not be read: ${(error as Error).message}.`);
  }
}

function failed(why: string): void {
  isLoading.value = false;
  sourceProblem.value = why;
}

async function read(stream: ReadableStream<Uint8Array>): Promise<void> {
  const next = new Recording();
  opened(next);
  const reader = stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let [rested, shown] = [performance.now(), -Infinity];
  for (let piece = await reader.read(); !piece.done && next.problem === null; piece = await reader.read()) {
    if (recording.value !== next) return void reader.cancel();
    next.push(piece.value);
    if (performance.now() - rested < BREAK_MS) continue;
    if (performance.now() - shown > SHOW_MS) {
      arrived();
      shown = performance.now();
    }
    await new Promise((resolve) => setTimeout(resolve));
    rested = performance.now();
  }
  if (next.problem !== null) void reader.cancel();
  next.close();
  isLoading.value = false;
  arrived();
}

/** At the first sight of a trace: after the nodes have started, with the node that acts next in view. */
function arrived(): void {
  const isNew = selectedNode.value < 0 && recording.value.end > 0;
  hasGrown();
  if (!timed.value && !isLoading.value && axis.value === 'time') axis.value = 'lines';
  if (!isNew) return;
  const { end, first } = recording.value;
  let line = first;
  while (line + 1 < end && recording.value.kindOf(line + 1) === 'start') line++;
  goTo(line);
  selectedNode.value = Math.max(recording.value.nodeOf(Math.min(line + 1, end - 1)), 0);
}
