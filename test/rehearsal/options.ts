/** Options for `rehearse`, looked at before anything runs: what makes no sense is refused with an error that names it, and nothing is read in another way than it was meant. */
import { isIntegerOf, isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import type { RehearseOptions } from './rehearse.js';
import { FAULTS, LIMIT_SETTINGS, PEERS_MAX, SECONDS_MAX, type RehearsalFrame } from './scenario.js';

/** What one command or test may ask for: a week of a core, at some 100 a minute. More are several, each with seeds of its own. */
export const RUNS_MAX = 1_000_000;

type Options = Readonly<Record<string, unknown>>;

const isSeconds = (value: unknown, isZeroRight: boolean): boolean =>
  typeof value === 'number' && Number.isFinite(value) && (value > 0 || (isZeroRight && value === 0));
const isFunction = (value: unknown): boolean => typeof value === 'function';
const areValues = (value: unknown, is: (one: unknown) => boolean): boolean => isObject(value) && Object.values(value).every(is);
const isJudge = (value: unknown): boolean => isObject(value) && typeof value['name'] === 'string' && isFunction(value['begin']);
const isList = (value: unknown, is: (one: unknown) => boolean = () => true): boolean => Array.isArray(value) && value.every(is);

const count = (most: number): string => most.toLocaleString('en');

/** Of each option: whether it is one, and what to pass. */
const KINDS: Readonly<Record<keyof RehearseOptions, readonly [is: (value: unknown) => boolean, give: string]>> = {
  peers: [(value) => typeof value === 'number' || isList(value), 'how many, or a list of several to draw from'],
  services: [(value) => areValues(value, isFunction), 'the main of each under its name, as in { hub: (peer) => … }'],
  clients: [(value) => areValues(value, isFunction), 'the main of each under its name, as in { c0: (peer) => … }'],
  runs: [
    (value) => isIntegerOf(value, 1, RUNS_MAX),
    `an integer of at least 1, since no run judges nothing, and at most ${count(RUNS_MAX)}; others have seeds from another \`seed\` on`,
  ],
  seconds: [
    (value) => isSeconds(value, false) && (value as number) <= SECONDS_MAX,
    `more than 0 and at most ${count(SECONDS_MAX)}, a day of virtual time`,
  ],
  seed: [(value) => Number.isSafeInteger(value), 'an integer'],
  faults: [isList, "a list, as in ['kill', 'pause']"],
  knobs: [
    (value) => areValues(value, (one) => isList(one) && (one as unknown[]).length > 0),
    'a list of settings to draw from for each, as in { window: [2, 256] }',
  ],
  limits: [isList, `a list of some of ${LIMIT_SETTINGS.join(', ')}`],
  judges: [(value) => isList(value, isJudge), 'a list of judges, as in [...lockJudges(), invariant(…)]'],
  shrinkSeconds: [(value) => isSeconds(value, true), 'a number of seconds, or 0 for not at all'],
  turnSeconds: [(value) => isSeconds(value, false), 'a number of seconds of more than 0'],
  replay: [isObject, 'a failure that `rehearse` has reported'],
};

function show(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'function') return String(value).slice(0, 40);
  const text = JSON.stringify(value, (_, one: unknown) => (isFunction(one) ? String(one) : one)) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** @throws a `UsageError` for an option that nobody knows, and for one that is none. */
function checkKinds(options: Options): void {
  const known = Object.keys(KINDS);
  for (const [key, value] of Object.entries(options)) {
    const kind = KINDS[key as keyof RehearseOptions];
    if (!kind) throw new UsageError(`rehearse knows no option "${key}"; the options are ${known.join(', ')}`);
    const [is, give] = kind;
    if (value !== undefined && !is(value)) throw new UsageError(`rehearse: ${key} is ${show(value)}. Pass ${give}`);
  }
}

/** What all runs have in common. */
export function frameOf(options: RehearseOptions): RehearsalFrame {
  checkKinds(options as Options);
  const { peers = 3, services = {}, clients = {}, seconds = 20, faults = FAULTS, knobs = {}, limits = ['shipped'] } = options;
  const counts = typeof peers === 'number' ? [peers] : peers;
  const odd = counts.find((count) => !isIntegerOf(count, 1, PEERS_MAX));
  if (odd !== undefined || counts.length === 0)
    throw new UsageError(`a rehearsal of ${odd ?? 'no'} peers: give 1 to ${PEERS_MAX}`);
  const unknown = faults.find((fault) => !FAULTS.includes(fault));
  if (unknown !== undefined) throw new UsageError(`"${unknown}" is no fault; there are ${FAULTS.join(', ')}`);
  const names = [...Object.keys(services), ...Object.keys(clients)];
  const taken = names.find((name) => /^p\d+$/.test(name));
  if (taken !== undefined) throw new UsageError(`a service cannot be named "${taken}": peers are`);
  const both = Object.keys(clients).find((name) => name in services);
  if (both !== undefined) throw new UsageError(`"${both}" is a service and a client; give each a name of its own`);
  const odder = limits.find((setting) => !LIMIT_SETTINGS.includes(setting));
  if (odder !== undefined || limits.length === 0)
    throw new UsageError(`limits are ${odder === undefined ? 'none' : `"${odder}"`}; list some of ${LIMIT_SETTINGS.join(', ')}`);
  return { peers: counts, services: Object.keys(services), clients: Object.keys(clients), seconds, faults, knobs, limits };
}
