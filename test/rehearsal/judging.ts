/** Judges as a run asks them: one that cannot judge, or says what is not a verdict, is a mistake of the rehearsal and not of the application. */
import { isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import type { RehearsalHearing, RehearsalJudge, RehearsalVerdict, Setting } from './judges.js';
import { errorText } from './world.js';

const isPromise = (value: unknown): value is Promise<unknown> => value instanceof Promise;
const isFunctionOrNone = (value: unknown): boolean => value === undefined || typeof value === 'function';

/** @throws a `UsageError` for one that cannot begin, and one that could hear nothing. */
export function beginning({ name, begin }: RehearsalJudge, setting: Setting): RehearsalHearing {
  let hearing: unknown;
  try {
    hearing = begin(setting);
  } catch (error) {
    throw new UsageError(`the judge "${name}" cannot begin: ${errorText(error)}; mend the judge`, { cause: error });
  }
  if (isPromise(hearing)) hearing.catch(() => {});
  if (!isObject(hearing) || isPromise(hearing) || ![hearing['hear'], hearing['end']].every(isFunctionOrNone))
    throw new UsageError(
      `the judge "${name}" begins with ${isPromise(hearing) ? 'a promise' : shown(hearing)}. Pass what hears at once, as in { hear: (happening) => null, end: (now) => null }`,
    );
  return hearing as RehearsalHearing;
}

/** What it says; one that breaks cannot say whether anything is wrong, nor can one that says it later. */
export function judged(
  { name }: RehearsalJudge,
  look: () => RehearsalVerdict,
  refuse: (misuse: UsageError) => void,
): RehearsalVerdict {
  try {
    const description: unknown = look();
    if (description === undefined || description === null || typeof description === 'string')
      return description as RehearsalVerdict;
    if (isPromise(description)) description.catch(() => {});
    const said = isPromise(description) ? 'a promise, and the run goes on meanwhile' : shown(description);
    refuse(
      new UsageError(`the judge "${name}" answers ${said}; look at what is there, and return at once what is wrong, or nothing`),
    );
  } catch (error) {
    const isTold = error instanceof UsageError;
    refuse(
      isTold ? error : new UsageError(`the judge "${name}" cannot judge: ${errorText(error)}; mend the judge`, { cause: error }),
    );
  }
  return null;
}

const shown = (value: unknown): string => (isObject(value) ? 'an object' : String(value));
