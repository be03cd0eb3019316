/** The stories that a server has, and their runs, made when they are asked for. */
import { UsageError } from '../../machines/errors.js';
import { textOf } from '../gestures.js';
import type { TraceHeader, TraceLine } from '../../network/trace.js';
import type { Story, StoryRun } from './story.js';

export interface Shelf {
  readonly stories: readonly Story[];
  /** The trace of one run. Throws a `UsageError` for a run that there is not. */
  run(story: string, run: string): Iterable<string>;
}

type Run = (run: StoryRun) => Iterable<TraceHeader | TraceLine>;

export const shelfOf = (stories: readonly Story[], make: Run): Shelf => ({
  stories,
  run(story, run) {
    const found = stories.find(({ name }) => name === story)?.runs[run];
    if (!found) throw new UsageError(`there is no run "${run}" of a story "${story}"`);
    return textOf(make(found));
  },
});
