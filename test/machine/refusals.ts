/**
 * Rejects meaningless options with an error that names them: a typo would silently skip a test while all others pass.
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { fieldsOf, isObject } from '../../machines/checks.js';
import type { Message } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { unknownWord } from '../../network/scenario/read.js';
import { machineKinds } from './coverage.js';
import { refuseMisnamedImplementations, takes, typesOf } from './misnamed.js';
import { modes, type MachineTests, type ServiceSamples, type MachineStep } from './options.js';
import { refuseNoMachine } from './references.js';
import { matches } from './sut.js';

const KNOWN: Readonly<Record<keyof MachineTests, true>> = {
  input: true,
  events: true,
  starts: true,
  mode: true,
  services: true,
  children: true,
  delays: true,
  provide: true,
  distinguish: true,
  filter: true,
  toState: true,
  limits: true,
  pairs: true,
  each: true,
  seed: true,
  performActions: true,
  sut: true,
  cleanup: true,
  exec: true,
  states: true,
  invariants: true,
  temporal: true,
  reference: true,
  restore: true,
  thresholds: true,
  reasons: true,
};

const SERVICE: Readonly<Record<keyof ServiceSamples, true>> = {
  done: true,
  fails: true,
  sends: true,
  next: true,
  completes: true,
};
const LIMITS = ['states', 'searchSteps', 'actors', 'timers', 'walks', 'steps', 'testMs'];
const PROVIDED = ['actions', 'guards', 'actors', 'delays'];
/** The required and the optional keys of each kind of temporal property. */
const BOUNDS = ['within', 'withinMs'];
const TEMPORAL: readonly (readonly [reported: readonly string[], others: readonly string[]])[] = [
  [['always'], ['when', ...BOUNDS]],
  [['never'], ['when', ...BOUNDS]],
  [['sometimes'], []],
  [['when', 'eventually'], BOUNDS],
  [['when', 'holds', 'until'], BOUNDS],
];
const STEPS = ['event', 'timer', 'done', 'fails', 'sends', 'next', 'completes', 'settles', 'start'];

const isFunction = (value: unknown): boolean => typeof value === 'function';

/** Throws a `UsageError` for the first meaningless option. */
export function refuseMeaningless(machine: AnyStateMachine, tests: MachineTests): void {
  refuseNoMachine(machine);
  const unknown = Object.keys(tests).find((key) => !Object.hasOwn(KNOWN, key));
  if (unknown !== undefined) throw new UsageError(`Unknown option tests.${unknown}. Known: ${Object.keys(KNOWN).join(', ')}`);
  if (tests.each !== undefined && (tests.each as string) !== 'path')
    throw new UsageError(`tests.each is ${JSON.stringify(tests.each)}. Pass 'path', or omit it.`);
  const untaken = Object.keys(tests.events ?? {}).find((type) => !takes(machine, type));
  if (untaken !== undefined) throw new UsageError(`events.${untaken}: ${takesWhat(machine)}`);
  refuseStarts(tests);
  refuseKeys('limits', tests.limits, LIMITS);
  for (const [name, limit] of Object.entries(tests.limits ?? {}))
    if (!(typeof limit === 'number' && limit >= 0))
      throw new UsageError(`limits.${name} is ${String(limit)}. Pass a number, at least 0.`);
  refuseKeys('thresholds', tests.thresholds, [...machineKinds, 'configuration']);
  refuseKeys('provide', tests.provide, PROVIDED);
  refuseMisnamedImplementations(machine, tests);
  for (const option of ['services', 'children', 'exec', 'states', 'reasons'] as const)
    if (tests[option] !== undefined && !isObject(tests[option]))
      throw new UsageError(`${option} is ${JSON.stringify(tests[option])}. Pass an object with names as keys.`);
  for (const [name, samples] of Object.entries(tests.services ?? {}))
    if (samples !== 'real') refuseKeys(`services.${name}`, samples, Object.keys(SERVICE));
  for (const [name, samples] of Object.entries(tests.children ?? {}))
    if (!isObject(samples)) throw new UsageError(`children.${name} is ${JSON.stringify(samples)}. Pass samples by event type.`);
  for (const option of ['exec', 'states'] as const)
    for (const [name, act] of Object.entries(tests[option] ?? {}))
      if (!isFunction(act)) throw new UsageError(`${option}[${JSON.stringify(name)}] is not a function. Pass (sut, it) => …`);
  for (const [name, holds] of Object.entries(tests.invariants ?? {}))
    if (!isFunction(holds)) throw new UsageError(`invariants.${name} is not a function. Pass (snapshot) => boolean.`);
  for (const [name, property] of Object.entries(tests.temporal ?? {})) refuseProperty(name, property);
  const names = namesOf(machine.root);
  const nowhere = Object.keys(tests.states ?? {}).find((pattern) => !names.some((name) => matches(pattern, name)));
  if (nowhere !== undefined) throw unknownWord(`states.${nowhere}: machine ${machine.id} has no such state`, nowhere, names);
  refuseMode(tests);
  const empty = Object.entries(tests.reasons ?? {}).find(([, why]) => typeof why !== 'string' || why.trim() === '');
  if (empty) throw new UsageError(`reasons[${JSON.stringify(empty[0])}] is empty. Explain why the item cannot be covered.`);
}

/** Throws a `UsageError` for an invalid step, and for an event without a transition, because it would test nothing. */
export function refuseSteps(machine: AnyStateMachine, steps: readonly MachineStep[]): void {
  for (const [i, step] of steps.entries()) {
    if (!isObject(step) || STEPS.filter((kind) => kind in step).length === 0)
      throw new UsageError(`step ${i} is ${JSON.stringify(step)}. A step contains one of ${STEPS.join(', ')}.`);
    if ('start' in step && i > 0) throw new UsageError(`step ${i} starts the machine. Only the first step can.`);
    if (!('event' in step) || 'to' in step || 'sends' in step) continue;
    const { type } = (step as { readonly event: Message }).event;
    if (!takes(machine, type)) throw new UsageError(`step ${i} sends ${type}: ${takesWhat(machine)}`);
  }
}

function refuseStarts({ starts, input }: MachineTests): void {
  if (starts === undefined) return;
  if (!Array.isArray(starts) || starts.length === 0)
    throw new UsageError(`starts is ${JSON.stringify(starts)}. Pass a list, [{ input: … }, { snapshot: … }].`);
  if (input !== undefined) throw new UsageError('input and starts are both defined. Put the input into starts: { input: … }.');
  const odd = starts.findIndex(
    (start) => !isObject(start) || Object.keys(start).length !== 1 || !('input' in start || 'snapshot' in start),
  );
  if (odd >= 0) throw new UsageError(`starts[${odd}] is ${JSON.stringify(starts[odd])}. Pass { input: … } or { snapshot: … }.`);
}

/** Throws a `UsageError` for options that need live actors, if the mode is `pure`. */
function refuseMode(tests: MachineTests): void {
  const { mode = 'live', services = {} } = tests;
  if (!modes.includes(mode)) throw unknownWord(`mode is ${JSON.stringify(mode)}`, String(mode), modes);
  if (mode === 'live') return;
  const needed = (['children', 'restore', 'performActions'] as const).find((option) => tests[option]);
  const real = Object.keys(services).find((name) => services[name] === 'real');
  const what = needed ?? (real === undefined ? undefined : `services.${real}: 'real'`);
  if (what !== undefined) throw new UsageError(`${what} needs live actors. Omit it, or omit mode: 'pure'.`);
}

function refuseKeys(place: string, given: unknown, known: readonly string[]): void {
  if (given === undefined) return;
  if (!isObject(given))
    throw new UsageError(`${place} is ${JSON.stringify(given)}. Pass an object with some of ${known.join(', ')}.`);
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) throw unknownWord(`${place}.${unknown} is not known`, unknown, known);
}

function refuseProperty(name: string, property: unknown): void {
  const keys = isObject(property) ? Object.keys(property) : [];
  const kind = TEMPORAL.find(
    ([needed, others]) =>
      needed.every((key) => keys.includes(key)) && keys.every((key) => needed.includes(key) || others.includes(key)),
  );
  if (!kind)
    throw new UsageError(
      `temporal.${name} contains ${keys.join(', ') || 'nothing'}. A property is always or never (optionally with when), sometimes, when + eventually, or when + holds + until. All except sometimes may have within or withinMs.`,
    );
  if (BOUNDS.every((bound) => keys.includes(bound)))
    throw new UsageError(`temporal.${name} has both within and withinMs. Use one of them, or two properties.`);
  for (const [key, value] of Object.entries(fieldsOf(property))) {
    const isBound = BOUNDS.includes(key);
    if (!isBound && !isFunction(value))
      throw new UsageError(`temporal.${name}.${key} is not a function. Pass (snapshot) => boolean.`);
    if (isBound && !(typeof value === 'number' && value >= 0))
      throw new UsageError(`temporal.${name}.${key} is ${String(value)}. Pass a number, at least 0.`);
  }
}

const takesWhat = (machine: AnyStateMachine): string =>
  `machine ${machine.id} has no transition for it; it takes ${typesOf(machine).join(', ') || 'none'}`;

const namesOf = (node: AnyStateNode): readonly string[] =>
  Object.values(node.states).flatMap((inner) => [inner.path.join('.'), ...namesOf(inner)]);
