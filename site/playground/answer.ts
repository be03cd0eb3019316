/** Answers the inspector as the server of `quiver explore` does: JSON, or a trace; `null` for an unknown name. */
import { recordNearest } from '../../bin/recording.js';
import { answerAbout, answerTo } from '../../inspector/answers.js';
import { gesturesFor } from '../../inspector/gestures.js';
import { recordRun } from '../../network/record-run.js';
import type { Scenario } from '../../network/scenario/types.js';
import { storyShelf } from '../../papers/stories/shelf.js';
import type { ForInspector } from './messages.js';

export function answerFor(name: string, scenario: unknown, parse: (json: unknown) => Scenario): ForInspector {
  const found = answerTo(name, storyShelf()) ?? answerAbout(name, scenario, gesturesFor(parse, recordRun, recordNearest));
  return found && ('trace' in found ? { trace: [...found.trace].join('') } : { json: found.json });
}
