/**
 * Options of `rehearse` and their validation: an invalid option is rejected before anything runs, with an error that names it.
 */
import { isIntegerOf, isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import type { RehearsalJudge } from './judges.js';
import type { Main } from './peer.js';
import type { RehearsalFailure } from './report.js';
import {
  FAULTS,
  LIMIT_SETTINGS,
  PEERS_MAX,
  SECONDS_MAX,
  type FaultKind,
  type LimitSetting,
  type RehearsalFrame,
} from './scenario.js';

/**
 * Options for `rehearse`: the processes, the faults, and the judges.
 *
 * @experimental
 */
export interface RehearseOptions {
  /**
   * Number of peers. From a list, each run draws one.
   *
   * @defaultValue 3
   */
  readonly peers?: number | readonly number[];
  /** Main functions of other processes by name, for example a hub. They fail like peers. @defaultValue none */
  readonly services?: Readonly<Record<string, Main>>;
  /**
   * Main functions of processes that no other process depends on, for example clients, each with a name. They start late and fail like
   * peers.
   *
   * @defaultValue none
   */
  readonly clients?: Readonly<Record<string, Main>>;
  /**
   * Number of runs.
   *
   * @defaultValue 100
   */
  readonly runs?: number;
  /**
   * Virtual seconds of a run. All faults have healed after 40% of them.
   *
   * @defaultValue 20
   */
  readonly seconds?: number;
  /**
   * Seed of the first run; each further run uses the next integer.
   *
   * @defaultValue 1
   */
  readonly seed?: number;
  /**
   * Kinds of faults that may occur.
   *
   * @defaultValue all kinds
   */
  readonly faults?: readonly FaultKind[];
  /** Values of which each run draws one as `peer.knobs`, for example small limits that a run reaches. @defaultValue none */
  readonly knobs?: Readonly<Record<string, readonly unknown[]>>;
  /**
   * Limits of Quiver's adapters, of which each run draws one.
   *
   * @defaultValue `['shipped']`
   */
  readonly limits?: readonly LimitSetting[];
  /**
   * Judges that check each run.
   *
   * @defaultValue `lockJudges()`
   */
  readonly judges?: readonly RehearsalJudge[];
  /**
   * Real seconds for shrinking a failure; 0 skips it.
   *
   * @defaultValue 60
   */
  readonly shrinkSeconds?: number;
  /**
   * Real seconds after which a turn that does not end is reported and this program is killed.
   *
   * @defaultValue 60
   */
  readonly turnSeconds?: number;
  /** A failure to run again, instead of new runs. */
  readonly replay?: RehearsalFailure;
}

/** Limit for one command or test: a week on one core at about 100 runs a minute. Use several with different seeds for more. */
export const RUNS_MAX = 1_000_000;

type Options = Readonly<Record<string, unknown>>;

const isSeconds = (value: unknown, isZeroRight: boolean): boolean =>
  typeof value === 'number' && Number.isFinite(value) && (value > 0 || (isZeroRight && value === 0));
const isFunction = (value: unknown): boolean => typeof value === 'function';
const areValues = (value: unknown, is: (one: unknown) => boolean): boolean => isObject(value) && Object.values(value).every(is);
const isJudge = (value: unknown): boolean => isObject(value) && typeof value['name'] === 'string' && isFunction(value['begin']);
const isList = (value: unknown, is: (one: unknown) => boolean = () => true): boolean => Array.isArray(value) && value.every(is);

const count = (most: number): string => most.toLocaleString('en');

/** For each option, its check, and what to pass instead. */
const KINDS: Readonly<Record<keyof RehearseOptions, readonly [is: (value: unknown) => boolean, give: string]>> = {
  peers: [(value) => typeof value === 'number' || isList(value), 'a number, or a list of numbers to draw from'],
  services: [(value) => areValues(value, isFunction), 'the main function of each by name, as in { hub: (peer) => … }'],
  clients: [(value) => areValues(value, isFunction), 'the main function of each by name, as in { c0: (peer) => … }'],
  runs: [
    (value) => isIntegerOf(value, 1, RUNS_MAX),
    `an integer from 1 to ${count(RUNS_MAX)}; for more runs, start again with another \`seed\``,
  ],
  seconds: [
    (value) => isSeconds(value, false) && Number(value) <= SECONDS_MAX,
    `a number greater than 0 and at most ${count(SECONDS_MAX)}, a day of virtual time`,
  ],
  seed: [(value) => Number.isSafeInteger(value), 'an integer'],
  faults: [isList, "a list, as in ['kill', 'pause']"],
  knobs: [
    (value) => areValues(value, (one) => isList(one) && (one as unknown[]).length > 0),
    'a list of values to draw from for each, as in { window: [2, 256] }',
  ],
  limits: [isList, `a list with some of: ${LIMIT_SETTINGS.join(', ')}`],
  judges: [(value) => isList(value, isJudge), 'a list of judges, as in [...lockJudges(), invariant(…)]'],
  shrinkSeconds: [(value) => isSeconds(value, true), 'a number of seconds, or 0 to skip shrinking'],
  turnSeconds: [(value) => isSeconds(value, false), 'a number of seconds greater than 0'],
  replay: [isObject, 'a failure that `rehearse` has reported'],
};

function show(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'function') return String(value).slice(0, 40);
  const text = JSON.stringify(value, (_, one: unknown) => (isFunction(one) ? String(one) : one)) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/**
 * Checks the type of each option.
 *
 * @throws UsageError for an unknown or invalid option.
 */
function checkKinds(options: Options): void {
  const known = Object.keys(KINDS);
  for (const [key, value] of Object.entries(options)) {
    const kind = KINDS[key as keyof RehearseOptions];
    if (!kind) throw new UsageError(`Unknown option "${key}" in rehearse. Use: ${known.join(', ')}.`);
    const [is, give] = kind;
    if (value !== undefined && !is(value))
      throw new UsageError(`Invalid option "${key}" in rehearse: ${show(value)}. Pass ${give}.`);
  }
}

/** The settings that all runs of a rehearsal share, checked and with defaults. */
export function frameOf(options: RehearseOptions): RehearsalFrame {
  checkKinds(options as Options);
  const { peers = 3, services = {}, clients = {}, seconds = 20, faults = FAULTS, knobs = {}, limits = ['shipped'] } = options;
  const counts = typeof peers === 'number' ? [peers] : peers;
  const odd = counts.find((count) => !isIntegerOf(count, 1, PEERS_MAX));
  if (odd !== undefined || counts.length === 0)
    throw new UsageError(`Invalid option "peers" in rehearse: ${odd ?? 'an empty list'}. Pass 1 to ${PEERS_MAX} peers.`);
  const unknown = faults.find((fault) => !FAULTS.includes(fault));
  if (unknown !== undefined) throw new UsageError(`Unknown fault "${unknown}" in rehearse. Use: ${FAULTS.join(', ')}.`);
  const names = [...Object.keys(services), ...Object.keys(clients)];
  const taken = names.find((name) => /^p\d+$/.test(name));
  if (taken !== undefined)
    throw new UsageError(`Invalid name "${taken}" of a service or client: peers have such names. Choose another name.`);
  const both = Object.keys(clients).find((name) => name in services);
  if (both !== undefined) throw new UsageError(`"${both}" is the name of a service and of a client. Use different names.`);
  const odder = limits.find((setting) => !LIMIT_SETTINGS.includes(setting));
  if (odder !== undefined || limits.length === 0)
    throw new UsageError(
      `Invalid option "limits" in rehearse: ${odder === undefined ? 'an empty list' : `"${odder}"`}. Pass a list with some of: ${LIMIT_SETTINGS.join(', ')}.`,
    );
  return { peers: counts, services: Object.keys(services), clients: Object.keys(clients), seconds, faults, knobs, limits };
}
