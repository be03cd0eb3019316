/** The stories of a server. Their runs are made on request. */
import { UsageError } from '../../machines/errors.js';
import { textOf } from '../gestures.js';
import type { TraceHeader, TraceLine } from '../../network/trace.js';
import type { Story, StoryRun } from './story.js';

export interface Shelf {
  readonly stories: readonly Story[];
  /** The trace of one run. Throws a `UsageError` if there is no such run. */
  run(story: string, run: string): Iterable<string>;
}

type Run = (run: StoryRun) => Iterable<TraceHeader | TraceLine>;

export const shelfOf = (stories: readonly Story[], make: Run): Shelf => ({
  stories,
  run(story, run) {
    const found = stories.find(({ name }) => name === story)?.runs[run];
    if (!found) throw new UsageError(`Unknown run "${run}" of story "${story}". Open a story from the list on the page.`);
    return textOf(make(found));
  },
});
