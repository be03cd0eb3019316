/** Failures as files: the violation, the scenario that causes it, and the log; and their validation. */
import { entriesOf, isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import { FAILURE_VERSION, type RehearsalFailure, type RehearsalOutcome } from './report.js';
import { FAULTS, LIMIT_SETTINGS, SECONDS_MAX, type RehearsalFrame, type RehearsalScenario } from './scenario.js';
import type { RehearsalEvent } from './world.js';

/** Number of turns in the log of a file. */
const LOG_MAX = 400;
/** Number of events in the formatted text; the file contains all of them. */
const STORY_MAX = 30;
const LINE_MAX = 240;

export function failureOf(
  seed: number,
  scenario: RehearsalScenario,
  { violation, events, lines, roles }: RehearsalOutcome,
): RehearsalFailure | null {
  if (!violation) return null;
  return {
    rehearsal: FAILURE_VERSION,
    ...violation,
    seed,
    scenario,
    story: events,
    log: lines.slice(-LOG_MAX),
    ...(roles && { roles }),
  };
}

const lineOf = ({ at, type, ...rest }: RehearsalEvent): string => `${(at / 1_000).toFixed(3)} s  ${type} ${fieldsText(rest)}`;

export const fieldsText = (fields: Readonly<Record<string, unknown>>): string =>
  Object.entries(fields)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');

const cut = (line: string): string => (line.length > LINE_MAX ? `${line.slice(0, LINE_MAX)}…` : line);

/**
 * Formats a failure as text: the violation, the faults, and the events before it.
 *
 * @param failure a failure that `rehearse` has reported.
 * @returns several lines of text.
 * @experimental
 */
export function formatFailure({ judge, description, atMs, seed, scenario, story }: RehearsalFailure): string {
  const { peers, faults, seconds } = scenario;
  const failed = faults.map(({ what, who, atMs, lastsMs }) => `${what} ${who} at ${atMs} ms for ${lastsMs} ms`);
  return [
    `${judge}: ${description} (at ${(atMs / 1_000).toFixed(3)} of ${seconds} s)`,
    `  seed ${seed}; ${peers.length} peers; ${failed.length === 0 ? 'nothing failed' : failed.join('; ')}`,
    ...story.slice(-STORY_MAX).map((event) => `  ${cut(lineOf(event))}`),
  ].join('\n');
}

/**
 * Checks that a value is a failure of this version.
 *
 * @throws UsageError otherwise.
 */
export function checkFailure(value: unknown): RehearsalFailure {
  if (!isObject(value) || value['rehearsal'] === undefined || !isObject(value['scenario']))
    throw new UsageError('This is not a failure of a rehearsal. Pass the failure that `rehearse` has reported.');
  if (value['rehearsal'] !== FAILURE_VERSION)
    throw new UsageError(
      `The failure has version ${String(value['rehearsal'])}, and this release replays version ${FAILURE_VERSION}. Run the rehearsal again.`,
    );
  const { story = [], roles = { charts: {}, steps: [] } } = value;
  const areRoles = isObject(roles) && isObject(roles['charts']) && isListOf(roles['steps'], isObject);
  const wrong =
    wrongIn(value['scenario']) ??
    (isListOf(story, isObject) ? null : 'story is not a list of events') ??
    (areRoles ? null : 'roles does not contain steps and charts');
  if (wrong !== null)
    throw new UsageError(
      `The failure of the rehearsal was changed or truncated: ${wrong}. Pass it as \`rehearse\` has reported it.`,
    );
  return { ...value, story } as RehearsalFailure;
}

type Raw = Readonly<Record<string, unknown>>;

const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isListOf = <T>(value: unknown, is: (one: unknown) => one is T): value is T[] => Array.isArray(value) && value.every(is);
const isTime = (value: unknown): value is number => isNumber(value) && value >= 0;
const isLatency = (value: unknown): boolean => isListOf(value, isTime) && value.length === 2 && value[0]! <= value[1]!;

/** The first problem of a scenario, with its place; `null` if it is valid. */
function wrongIn(scenario: Raw): string | null {
  const { peers, services, clients, seconds, startsMs, skewsMs, faults, distances } = scenario;
  const notNames = (name: string) => `scenario.${name} is not a list of names`;
  if (!isListOf(peers, isText)) return notNames('peers');
  if (!isListOf(services, isText)) return notNames('services');
  if (!isListOf(clients, isText)) return notNames('clients');
  const ids: unknown[] = [...peers, ...services, ...clients];
  const isOf = (value: unknown): value is string => ids.includes(value);
  if (!(isNumber(seconds) && seconds > 0 && seconds <= SECONDS_MAX))
    return `scenario.seconds is not a number greater than 0 and at most ${SECONDS_MAX}`;
  if (ids.length !== new Set(ids).size || peers.length === 0) return 'scenario has no peers, or two processes with the same name';
  if (!isNumber(scenario['seed'])) return 'scenario.seed is not a number';
  const starting = peers.length + clients.length;
  if (!isListOf(startsMs, isTime) || startsMs.length !== starting)
    return `scenario.startsMs is not a list of ${starting} times of at least 0`;
  if (!isListOf(skewsMs, isNumber) || skewsMs.length !== starting) return `scenario.skewsMs is not a list of ${starting} times`;
  if (!isLatency(scenario['latencyMs'])) return 'scenario.latencyMs is not two times of at least 0, the smaller one first';
  const isDistance = (one: unknown): one is Raw => isObject(one) && isListOf(one['between'], isOf) && isLatency(one['latencyMs']);
  if (!isListOf(distances, isDistance)) return 'scenario.distances is not a list of pairs of processes with their latency';
  if (!LIMIT_SETTINGS.some((setting) => setting === scenario['limits']))
    return `scenario.limits is not one of ${LIMIT_SETTINGS.join(', ')}`;
  if (!isObject(scenario['knobs'])) return 'scenario.knobs is not an object';
  if (!isListOf(faults, isObject)) return 'scenario.faults is not a list';
  const wrong = faults.map((fault, i) => wrongFault(fault, `scenario.faults[${i}]`, isOf));
  return wrong.find((text) => text !== null) ?? null;
}

function wrongFault({ what, who, other, ...rest }: Raw, place: string, isOf: (id: unknown) => boolean): string | null {
  if (!FAULTS.some((fault) => fault === what))
    return `${place} is the unknown fault "${String(what)}". Use one of: ${FAULTS.join(', ')}`;
  const stranger = [who, ...(other === undefined ? [] : [other])].find((id) => !isOf(id));
  if (stranger !== undefined) return `${place} concerns "${String(stranger)}", which is not one of its processes`;
  const odd = ['atMs', 'lastsMs'].find((key) => !isTime(rest[key]));
  if (odd !== undefined) return `${place}.${odd} is ${JSON.stringify(rest[odd])}, not a time of at least 0`;
  return isNumber(rest['size']) ? null : `${place}.size is not a number`;
}

/**
 * Checks that a value is a failure of this rehearsal.
 *
 * @throws UsageError otherwise.
 */
export function checkReplay(
  value: unknown,
  { services, clients }: Pick<RehearsalFrame, 'services' | 'clients'>,
): RehearsalFailure {
  const failure = checkFailure(value);
  for (const [kind, here] of entriesOf({ services, clients })) {
    const there = failure.scenario[kind];
    if ([...there].sort().join() !== [...here].sort().join())
      throw new UsageError(
        `This is a failure of another rehearsal: its ${kind} are ${there.join(', ') || 'none'}, but this rehearsal has ${here.join(', ') || 'none'}. Use the rehearsal that reported it.`,
      );
  }
  return failure;
}
