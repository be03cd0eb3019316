/**
 * Starts the page: it is shown, plays, and follows its address, which contains a trace, a step of a story, the list of stories or, by
 * default, the trace of the server. A single-file page shows the trace that it contains, and makes no requests.
 */
import { effect } from '@preact/signals';
import { render } from 'preact';
import { App } from './app.js';
import { baseOf, writeViewAddress, openedAt, returnTo } from './address.js';
import { reportLoadProblem, loadFromServer, openTrace, showVerdict } from './load.js';
import { traceInAddress, traceInPage } from './share.js';
import { isPlaying, tick } from './state.js';
import { addressOf, askForStories, openList, openStory, story } from './story/state.js';

/** After a pause of the whole page (a hidden tab) it goes on where it was, without a leap. */
const FRAME_SECONDS_MAX = 0.1;

/** Moves the playhead, frame by frame, while the page plays. */
function startPlayer(): void {
  let last = 0;
  const frame = (now: number): void => {
    if (!isPlaying.peek()) return;
    tick(Math.min((now - last) / 1000, FRAME_SECONDS_MAX));
    last = now;
    requestAnimationFrame(frame);
  };
  effect(() => {
    if (!isPlaying.value) return;
    last = performance.now();
    requestAnimationFrame(frame);
  });
}

/** The last address, without the view. */
let shown: string | null = null;

async function follow(): Promise<void> {
  const { hash } = location;
  const base = baseOf(hash);
  // The story knows where it is.
  if (`#${base}` === addressOf.value) return;
  if (base === shown && !story.value) return returnTo(hash);
  shown = base;
  openedAt(hash);
  const isWithoutView = hash === `#${base}` || hash === '';
  const inPage = traceInPage();
  if (inPage) {
    await openTrace(inPage);
    if (isWithoutView) showVerdict();
    return;
  }
  await askForStories();
  if (base === 'stories') return openList();
  const [, name, step] = /^story=([\w-]+)(?:\/(\d+))?$/.exec(base) ?? [];
  if (name !== undefined) return openStory(name, Number(step ?? 1) - 1);
  story.value = null;
  try {
    const inAddress = traceInAddress();
    await (inAddress ? openTrace(inAddress) : loadFromServer());
    if (isWithoutView) showVerdict();
  } catch {
    reportLoadProblem(
      'The trace in this address is damaged: a part of the link is missing or was changed on its way. Copy the whole of it, or ask for the trace’s file.',
    );
  }
}

render(<App />, document.getElementById('app')!);
startPlayer();
writeViewAddress();
addEventListener('hashchange', () => void follow());
void follow();
