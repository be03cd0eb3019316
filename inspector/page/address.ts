/**
 * What the page shows is in its address: a trace, a step of a story, the list of stories, or else the trace that the server has. A page
 * that is one file shows the trace that it holds, and asks nobody for anything.
 */
import { failed, loadFromServer, openTrace } from './load.js';
import { traceInAddress, traceInPage } from './share.js';
import { addressOf, askForStories, openList, openStory, story } from './story/state.js';

export function followAddress(): void {
  addEventListener('hashchange', () => void follow());
  void follow();
}

async function follow(): Promise<void> {
  const { hash } = location;
  // The story says itself where it has come to.
  if (hash === addressOf.value) return;
  const inPage = traceInPage();
  if (inPage) return openTrace(inPage);
  await askForStories();
  if (hash === '#stories') return openList();
  const [, name, step] = /^#story=([\w-]+)(?:\/(\d+))?$/.exec(hash) ?? [];
  if (name !== undefined) return openStory(name, Number(step ?? 1) - 1);
  story.value = null;
  try {
    const inAddress = traceInAddress();
    await (inAddress ? openTrace(inAddress) : loadFromServer());
  } catch {
    failed(
      'The trace in this address is damaged: a part of the link is missing or was changed on its way. Copy the whole of it, or ask for the trace’s file.',
    );
  }
}
