/** A file that somebody opens on the page: a trace, or a story. */
import { readStory } from '../stories/read-story.js';
import { failed, loadFile } from './load.js';
import { tellStory } from './story/state.js';

/** The first key of a story; a trace begins with another one. */
const STORY = /^\s*\{\s*"story"\s*:/;
const START = 64;

export async function openFile(file: Blob): Promise<void> {
  const start = await file
    .slice(0, START)
    .text()
    .catch(() => '');
  if (!STORY.test(start)) return loadFile(file);
  try {
    await tellStory(readStory(await file.text()), 0);
  } catch (error) {
    failed(`The story cannot be told: ${(error as Error).message}.`);
  }
}
