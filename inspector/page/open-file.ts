/** Opens a file on the page: a trace or a story. */
import { readStory } from '../stories/read-story.js';
import { reportLoadProblem, hasNoRuns, loadFile, showVerdict } from './load.js';
import { isServed } from './shell.js';
import { showStory } from './story/state.js';
import { thrownText } from '../../machines/errors.js';

/** The first key of a story; a trace begins with another one. */
const STORY = /^\s*\{\s*"story"\s*:/;
const START = 64;

export async function openFile(file: Blob): Promise<void> {
  const start = await file
    .slice(0, START)
    .text()
    .catch(() => '');
  if (!STORY.test(start)) {
    await loadFile(file);
    return showVerdict();
  }
  try {
    const story = readStory(await file.text());
    if (isServed) await showStory(story, 0);
    else hasNoRuns();
  } catch (error) {
    reportLoadProblem(`The story cannot be opened: ${thrownText(error)}.`);
  }
}
