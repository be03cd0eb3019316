/** Takes a path on live actors or snapshots, and reports the first step at which the chart does not do what the path expects. */
import type { RoleView } from '../../machines/protocol.js';
import type { Host } from '../../network/world/hosts.js';
import { sameJson } from '../explore/json.js';
import type { Effect, Message } from '../../machines/effects.js';
import type { Expected, Path } from './paths.js';
import { thrownText } from '../../machines/errors.js';

export interface Difference {
  /** The steps that went as expected. */
  readonly after: readonly Message[];
  /** The event at which they differ; absent when the first state does. */
  readonly event?: Message;
  readonly expected: Expected;
  /** The actual behavior of the chart, or the message of its error. */
  readonly actual: Expected | string;
}

export function walk(path: Path, host: Host): Difference | null {
  const { chart, input, first, steps } = path;
  let role: ReturnType<Host['start']>['role'] | undefined;
  const compare = (expected: Expected, run: () => Expected, at: number): Difference | null => {
    const actual = attempt(run);
    if (typeof actual === 'object' && sameAs(expected, actual)) return null;
    const after = steps.slice(0, Math.max(at, 0)).map(({ event }) => event);
    return { after, ...(at >= 0 && { event: steps[at]!.event }), expected, actual };
  };
  const begin = () => {
    const started = host.start(chart, input);
    role = started.role;
    return seen(role.view(), started.effects);
  };
  try {
    let difference = compare(first, begin, -1);
    for (let i = 0; i < steps.length && !difference; i++) {
      const { event, expected } = steps[i]!;
      difference = compare(expected, () => seenAfter(role!, event), i);
    }
    return difference;
  } finally {
    role?.stop();
  }
}

/** A difference as one line of text: the step, the expected value and the actual one. */
export function describeDifference({ after, event, expected, actual }: Difference): string {
  const where = event
    ? `after ${after.length === 0 ? 'the start' : after.map((event) => JSON.stringify(event)).join(', ')}: ${JSON.stringify(event)}`
    : 'at the start';
  return `${where} has the result ${typeof actual === 'string' ? actual : JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`;
}

const seen = ({ value, context }: RoleView, effects: readonly Effect[]): Expected => ({ value, context, effects });

function seenAfter(role: ReturnType<Host['start']>['role'], event: Message): Expected {
  const effects = role.send(event);
  return seen(role.view(), effects);
}

function attempt(run: () => Expected): Expected | string {
  try {
    return run();
  } catch (error) {
    return thrownText(error);
  }
}

/** True if a value equals a recorded one. A value that is not plain JSON equals none. */
export const sameAs = (expected: Expected, actual: Expected): boolean =>
  sameJson(expected.value, actual.value) &&
  sameJson(expected.context, actual.context) &&
  sameJson(expected.effects, actual.effects);
