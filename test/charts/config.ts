/**
 * A chart taken apart, to be put together again with a change: its config with every shorthand written out (a transition is a list
 * of choices, an action a list of actions), and the same implementations.
 */
import { createMachine, type AnyStateMachine } from 'xstate';

export interface Choice {
  target?: string | readonly string[];
  guard?: unknown;
  actions?: unknown[];
  reenter?: boolean;
}

export interface StateConfig {
  initial?: string;
  states?: Record<string, StateConfig>;
  on?: Record<string, Choice[]>;
  always?: Choice[];
  entry?: unknown[];
  exit?: unknown[];
}

export interface ChartConfig extends StateConfig {
  options?: { maxIterations?: number };
}

/** One choice of one state for one event; an eventless one has the event `always`. */
export interface Rule {
  readonly id: string;
  readonly state: string;
  readonly event: string;
  readonly index: number;
  /** All choices of this state for this event, the rule's own at its index. */
  readonly choices: Choice[];
  readonly choice: Choice;
}

export const ALWAYS = 'always';
const ROOT = '(root)';

export const stateName = (path: readonly string[]): string => (path.length === 0 ? ROOT : path.join('.'));

/** The name of a transition: its state, its event and, beyond the first choice, the place among the choices. */
export const transitionName = (state: string, event: string, index: number): string =>
  `${state}: ${event}${index === 0 ? '' : ` #${index + 1}`}`;

export function configOf(machine: AnyStateMachine): ChartConfig {
  return writtenOut(machine.config as Record<string, unknown>);
}

export function chartOf(config: ChartConfig, original: AnyStateMachine): AnyStateMachine {
  return createMachine(config as never, original.implementations as never) as AnyStateMachine;
}

/** Every transition of a chart, outer states first, in the order of the config. */
export function* rulesOf(config: StateConfig, path: readonly string[] = []): Generator<Rule> {
  const state = stateName(path);
  const events = [...Object.entries(config.on ?? {}), ...(config.always ? [[ALWAYS, config.always] as const] : [])];
  for (const [event, choices] of events) {
    for (const [index, choice] of choices.entries())
      yield { id: transitionName(state, event, index), state, event, index, choices, choice };
  }
  for (const [key, inner] of Object.entries(config.states ?? {})) yield* rulesOf(inner, [...path, key]);
}

/** Every state of a chart with its place, the root first. */
export function* statesOf(config: StateConfig, path: readonly string[] = []): Generator<readonly [string, StateConfig]> {
  yield [stateName(path), config];
  for (const [key, inner] of Object.entries(config.states ?? {})) yield* statesOf(inner, [...path, key]);
}

function writtenOut(config: Readonly<Record<string, any>>): ChartConfig {
  const { states, on, always, entry, exit, ...rest } = config;
  return {
    ...rest,
    ...(entry !== undefined && { entry: listOf(entry) }),
    ...(exit !== undefined && { exit: listOf(exit) }),
    ...(on && { on: mapped(on, choicesOf) }),
    ...(always !== undefined && { always: choicesOf(always) }),
    ...(states && { states: mapped(states, writtenOut) }),
  };
}

function choicesOf(given: unknown): Choice[] {
  return listOf(given).map((choice) => {
    if (typeof choice === 'string') return { target: choice };
    const { actions, ...rest } = choice as Choice;
    return { ...rest, ...(actions !== undefined && { actions: listOf(actions) }) };
  });
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? [...value] : [value]);

const mapped = <T>(record: Readonly<Record<string, any>>, change: (value: any) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
