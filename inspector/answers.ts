/**
 * What the page asks for by name, and what it is answered: by the server on loopback, or, on the site, by a worker beside the page.
 *
 * `trace`, `stories` and `story/NAME/RUN` are asked for; `offer`, `meters` and `run` are asked about a scenario, `nearest` about the
 * header of a counterexample, `branch` about one and the commands that are given in it.
 */
import { UsageError } from '../machines/errors.js';
import type { Gestures } from './gestures.js';
import type { Shelf } from './stories/shelf.js';

/** A value to send as JSON, or a trace to send as it is made; `null` for a name that nobody asks for. */
export type Answered = { readonly json: unknown } | { readonly trace: Iterable<string> } | null;

/** Throws a `UsageError` for a story or a run that there is not. */
export function answerTo(name: string, shelf: Shelf | null): Answered {
  if (name === 'stories') return { json: shelf?.stories ?? [] };
  if (!name.startsWith('story/') || !shelf) return null;
  const [, story = '', run = ''] = name.split('/').map(decodeURIComponent);
  return { trace: shelf.run(story, run) };
}

/** Throws a `UsageError` for a run of what is no scenario; what may be done in one that is not known is nothing. */
export function answerAbout(name: string, scenario: unknown, gestures: Gestures | null): Answered {
  switch (name) {
    case 'offer':
      return { json: orNull(() => gestures?.offer(scenario)) };
    case 'meters':
      return { json: orNull(() => gestures?.meters(scenario)) };
    case 'run':
      return gestures && { trace: gestures.run(scenario) };
    case 'nearest':
      return gestures?.nearest ? { trace: gestures.nearest(scenario) } : null;
    case 'branch':
      return gestures?.branch ? { trace: gestures.branch(scenario) } : null;
    default:
      return null;
  }
}

/** Traces of other people's protocols can still be looked at. */
function orNull<T>(ask: () => T | undefined): T | null {
  try {
    return ask() ?? null;
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}
