/** A failure as a file: what was broken, the scenario that breaks it, and the log of it. */
import { isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import type { RunRoles } from './role-steps.js';
import type { RehearsalOutcome, RehearsalViolation } from './rehearse.js';
import { FAULTS, LIMIT_SETTINGS, SECONDS_MAX, type RehearsalFrame, type RehearsalScenario } from './scenario.js';
import type { RehearsalEvent } from './world.js';

/** Of the file; one of another version is refused. */
export const FAILURE_VERSION = 1;

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
  /** What the charts of this package's nodes did, and the charts. */
  readonly roles?: RunRoles;
}

const LOG_MAX = 400;
/** As much is told to a reader; the file has all. */
const STORY_MAX = 30;
const LINE_MAX = 240;

export function failureOf(
  seed: number,
  scenario: RehearsalScenario,
  { violation, happenings, lines, roles }: RehearsalOutcome,
): RehearsalFailure | null {
  if (!violation) return null;
  return {
    rehearsal: FAILURE_VERSION,
    ...violation,
    seed,
    scenario,
    story: happenings,
    log: lines.slice(-LOG_MAX),
    ...(roles && { roles }),
  };
}

const told = ({ at, type, ...rest }: RehearsalEvent): string => `${(at / 1_000).toFixed(3)} s  ${type} ${fieldsText(rest)}`;

export const fieldsText = (fields: Readonly<Record<string, unknown>>): string =>
  Object.entries(fields)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');

const cut = (line: string): string => (line.length > LINE_MAX ? `${line.slice(0, LINE_MAX)}…` : line);

/**
 * For a reader: what was broken, under what, and what happened before; of what `rehearse` has found.
 *
 * @experimental
 */
export function tellFailure({ judge, description, atMs, seed, scenario, story }: RehearsalFailure): string {
  const { peers, faults, seconds } = scenario;
  const failed = faults.map(({ what, who, atMs, lastsMs }) => `${what} ${who} at ${atMs} ms for ${lastsMs} ms`);
  return [
    `${judge}: ${description} (at ${(atMs / 1_000).toFixed(3)} of ${seconds} s)`,
    `  seed ${seed}; ${peers.length} peers; ${failed.length === 0 ? 'nothing failed' : failed.join('; ')}`,
    ...story.slice(-STORY_MAX).map((happening) => `  ${cut(told(happening))}`),
  ].join('\n');
}

/** @throws a `UsageError` for what is not a failure of this version. */
export function checkFailure(value: unknown): RehearsalFailure {
  if (!isObject(value) || value['rehearsal'] === undefined || !isObject(value['scenario']))
    throw new UsageError('this is no failure of a rehearsal; give what `rehearse` has reported');
  if (value['rehearsal'] !== FAILURE_VERSION)
    throw new UsageError(
      `a failure of version ${String(value['rehearsal'])}; this release repeats version ${FAILURE_VERSION}: rehearse anew`,
    );
  const { story = [], roles = { charts: {}, steps: [] } } = value;
  const areRoles = isObject(roles) && isObject(roles['charts']) && isListOf(roles['steps'], isObject);
  const wrong =
    wrongIn(value['scenario']) ??
    (isListOf(story, isObject) ? null : 'story is no list of happenings') ??
    (areRoles ? null : 'roles are no steps and charts');
  if (wrong !== null)
    throw new UsageError(`a failure of a rehearsal that was changed, or cut: ${wrong}; give it as \`rehearse\` has reported it`);
  return { ...value, story } as unknown as RehearsalFailure;
}

type Raw = Readonly<Record<string, unknown>>;

const isNumber = (value: unknown): boolean => Number.isFinite(value);
const isText = (value: unknown): boolean => typeof value === 'string';
const isListOf = (value: unknown, is: (one: unknown) => boolean): value is unknown[] => Array.isArray(value) && value.every(is);
const isTime = (value: unknown): boolean => isNumber(value) && (value as number) >= 0;
const isLatency = (value: unknown): boolean =>
  isListOf(value, isTime) && value.length === 2 && (value[0] as number) <= (value[1] as number);

/** What is not a scenario in this, in the place where it stands. */
function wrongIn(scenario: Raw): string | null {
  const { peers, services, clients, startsMs, skewsMs, faults, distances } = scenario;
  const lists = { peers, services, clients };
  const odd = Object.entries(lists).find(([, names]) => !isListOf(names, isText));
  if (odd) return `scenario.${odd[0]} is no list of names`;
  const ids = Object.values(lists).flat() as readonly string[];
  const isOf = (value: unknown) => ids.includes(value as string);
  const seconds = scenario['seconds'] as number;
  if (!(isNumber(seconds) && seconds > 0 && seconds <= SECONDS_MAX))
    return `scenario.seconds is no time of more than 0 and at most ${SECONDS_MAX}`;
  if (ids.length !== new Set(ids).size || (peers as unknown[]).length === 0)
    return 'scenario has no peers, or two processes of one name';
  if (!isNumber(scenario['seed'])) return 'scenario.seed is no number';
  const starting = (peers as unknown[]).length + (clients as unknown[]).length;
  if (!isListOf(startsMs, isTime) || startsMs.length !== starting)
    return `scenario.startsMs is no list of ${starting} times from 0 on`;
  if (!isListOf(skewsMs, isNumber) || skewsMs.length !== starting) return `scenario.skewsMs is no list of ${starting} times`;
  if (!isLatency(scenario['latencyMs'])) return 'scenario.latencyMs is not two times from 0 on, the smaller one first';
  const isDistance = (one: unknown) => isObject(one) && isListOf(one['between'], isOf) && isLatency(one['latencyMs']);
  if (!isListOf(distances, isDistance)) return 'scenario.distances is no list of two processes each, and their latency';
  if (!LIMIT_SETTINGS.includes(scenario['limits'] as never)) return `scenario.limits is none of ${LIMIT_SETTINGS.join(', ')}`;
  if (!isObject(scenario['knobs'])) return 'scenario.knobs are none';
  if (!isListOf(faults, isObject)) return 'scenario.faults is no list';
  const wrong = (faults as unknown as Raw[]).map((fault, i) => wrongFault(fault, `scenario.faults[${i}]`, isOf));
  return wrong.find((text) => text !== null) ?? null;
}

function wrongFault({ what, who, other, ...rest }: Raw, place: string, isOf: (id: unknown) => boolean): string | null {
  if (!FAULTS.includes(what as never)) return `${place} is "${String(what)}", which is no fault; there are ${FAULTS.join(', ')}`;
  const stranger = [who, ...(other === undefined ? [] : [other])].find((id) => !isOf(id));
  if (stranger !== undefined) return `${place} concerns "${String(stranger)}", who is not among its processes`;
  const odd = ['atMs', 'lastsMs'].find((key) => !isTime(rest[key]));
  if (odd !== undefined) return `${place}.${odd} is ${JSON.stringify(rest[odd])}, and no time from 0 on`;
  return isNumber(rest['size']) ? null : `${place}.size is no number`;
}

/** @throws a `UsageError` for what is not a failure of this rehearsal. */
export function checkReplay(
  value: unknown,
  { services, clients }: Pick<RehearsalFrame, 'services' | 'clients'>,
): RehearsalFailure {
  const failure = checkFailure(value);
  for (const [kind, here] of Object.entries({ services, clients })) {
    const there = failure.scenario[kind as 'services' | 'clients'];
    if ([...there].sort().join() !== [...here].sort().join())
      throw new UsageError(
        `this is a failure of another rehearsal: its ${kind} are ${there.join(', ') || 'none'}, and here they are ${here.join(', ') || 'none'}`,
      );
  }
  return failure;
}
