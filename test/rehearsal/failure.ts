/** A failure as a file: what was broken, the scenario that breaks it, and the log of it. */
import { isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import type { RehearsalOutcome, RehearsalViolation } from './rehearse.js';
import type { RehearsalScenario } from './scenario.js';
import type { RehearsalEvent } from './world.js';

/** Of the file; one of another version is refused. */
export const FAILURE_VERSION = 4;

/**
 * What broke in a rehearsal, in the scenario that breaks it, as plain JSON: `rehearse` reports it, and takes it as `replay`.
 *
 * @experimental
 */
export interface RehearsalFailure extends RehearsalViolation {
  readonly rehearsal: typeof FAILURE_VERSION;
  /** Of the run that failed first; the scenario may have been made smaller since. */
  readonly seed: number;
  readonly scenario: RehearsalScenario;
  /** Starts, ends, faults, and what peers did with locks and the store. */
  readonly story: readonly RehearsalEvent[];
  /** The last turns before the violation. */
  readonly log: readonly string[];
}

const LOG_MAX = 400;
/** As much is told to a reader; the file has all. */
const STORY_MAX = 30;
const LINE_MAX = 240;

export function failureOf(
  seed: number,
  scenario: RehearsalScenario,
  { violation, happenings, lines }: RehearsalOutcome,
): RehearsalFailure | null {
  if (!violation) return null;
  return { rehearsal: FAILURE_VERSION, ...violation, seed, scenario, story: happenings, log: lines.slice(-LOG_MAX) };
}

const told = ({ at, type, ...rest }: RehearsalEvent): string => `${(at / 1_000).toFixed(3)} s  ${type} ${fieldsText(rest)}`;

export const fieldsText = (fields: Readonly<Record<string, unknown>>): string =>
  Object.entries(fields)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');

const cut = (line: string): string => (line.length > LINE_MAX ? `${line.slice(0, LINE_MAX)}…` : line);

/**
 * For a reader: what was broken, under what, and what happened before.
 *
 * @experimental
 */
export function tellFailure({ judge, says, atMs, seed, scenario, story }: RehearsalFailure): string {
  const { peers, faults, seconds } = scenario;
  const failed = faults.map(({ what, who, atMs, lastsMs }) => `${what} ${who} at ${atMs} ms for ${lastsMs} ms`);
  return [
    `${judge}: ${says} (at ${(atMs / 1_000).toFixed(3)} of ${seconds} s)`,
    `  seed ${seed}; ${peers.length} peers; ${failed.length === 0 ? 'nothing failed' : failed.join('; ')}`,
    ...story.slice(-STORY_MAX).map((happening) => `  ${cut(told(happening))}`),
  ].join('\n');
}

/** @throws a `UsageError` for what is no failure of this version. */
export function checkFailure(value: unknown): RehearsalFailure {
  if (!isObject(value) || value['rehearsal'] === undefined || !isObject(value['scenario']))
    throw new UsageError('this is no failure of a rehearsal; give what `rehearse` has reported');
  if (value['rehearsal'] !== FAILURE_VERSION)
    throw new UsageError(
      `a failure of version ${String(value['rehearsal'])}; this release repeats version ${FAILURE_VERSION}: rehearse anew`,
    );
  return value as unknown as RehearsalFailure;
}
