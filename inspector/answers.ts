/**
 * Answers the requests of the page, by their names: in the server on loopback or, on the site, in a worker next to the page.
 *
 * `trace`, `stories` and `story/NAME/RUN` have no argument. The argument of `offer`, `meters` and `run` is a scenario, that of `nearest`
 * the header of a counterexample, and that of `branch` such a header with the commands to add.
 */
import { UsageError } from '../machines/errors.js';
import type { Gestures } from './gestures.js';
import type { Shelf } from './stories/shelf.js';

/** A value to send as JSON, a trace to send while it is made, or `null` for an unknown request. */
export type Answered = { readonly json: unknown } | { readonly trace: Iterable<string> } | null;

/** Answers a request without an argument. Throws a `UsageError` for an unknown story or run. */
export function answerTo(name: string, shelf: Shelf | null): Answered {
  if (name === 'stories') return { json: shelf?.stories ?? [] };
  if (!name.startsWith('story/') || !shelf) return null;
  const [, story = '', run = ''] = name.split('/').map(decodeURIComponent);
  return { trace: shelf.run(story, run) };
}

/** Answers a request about a scenario. Throws a `UsageError` for an invalid scenario. Without `gestures`, the offer is empty. */
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

/** Returns null for an unknown protocol, so that its traces can still be displayed. */
function orNull<T>(ask: () => T | undefined): T | null {
  try {
    return ask() ?? null;
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}
