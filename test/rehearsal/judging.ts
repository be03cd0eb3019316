/** Runs the user's judges. A judge that throws, or returns something other than a verdict, is reported as a mistake in the rehearsal. */
import { isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import type { RehearsalObserver, RehearsalJudge, RehearsalVerdict, Setting } from './judges.js';
import { errorText } from './world.js';

const isPromise = (value: unknown): value is Promise<unknown> => value instanceof Promise;
const isFunctionOrNone = (value: unknown): boolean => value === undefined || typeof value === 'function';

/**
 * Begins a judge for a run.
 *
 * @throws UsageError for a judge that fails, or whose result has wrong methods.
 */
export function beginning({ name, begin }: RehearsalJudge, setting: Setting): RehearsalObserver {
  let observer: unknown;
  try {
    observer = begin(setting);
  } catch (error) {
    throw new UsageError(`The judge "${name}" failed to begin: ${errorText(error)}. Fix the judge.`, { cause: error });
  }
  if (isPromise(observer)) observer.catch(() => {});
  if (!isObject(observer) || isPromise(observer) || ![observer['observe'], observer['end']].every(isFunctionOrNone))
    throw new UsageError(
      `"begin" of the judge "${name}" returned ${isPromise(observer) ? 'a promise' : shown(observer)}. Return an object with methods: { observe: (event) => null, end: (now) => null }`,
    );
  return observer;
}

/** The verdict of a judge. A judge that throws or returns a promise has no verdict. */
export function judged(
  { name }: RehearsalJudge,
  look: () => RehearsalVerdict,
  refuse: (misuse: UsageError) => void,
): RehearsalVerdict {
  try {
    const description: unknown = look();
    if (description === undefined || description === null || typeof description === 'string') return description;
    if (isPromise(description)) description.catch(() => {});
    const result = isPromise(description) ? 'a promise' : shown(description);
    refuse(
      new UsageError(
        `The judge "${name}" returned ${result}. Return a description of what is wrong, or nothing, without waiting.`,
      ),
    );
  } catch (error) {
    const isUsage = error instanceof UsageError;
    refuse(isUsage ? error : new UsageError(`The judge "${name}" failed: ${errorText(error)}. Fix the judge.`, { cause: error }));
  }
  return null;
}

const shown = (value: unknown): string => (isObject(value) ? 'an object' : String(value));
