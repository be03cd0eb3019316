/**
 * A chart taken apart, to be put together again with a change: its config with every shorthand written out (a transition is a list
 * of choices, an action a list of actions), and the same implementations.
 */
import { createMachine, type AnyStateMachine, type AnyStateNode } from 'xstate';
import { invokeName } from '../../network/chart-definition.js';

export interface TransitionChoice {
  target?: string | readonly string[];
  guard?: unknown;
  actions?: unknown[];
  reenter?: boolean;
}

/** An actor that runs while its state is active. */
export interface InvokeConfig {
  readonly id?: string;
  readonly src: unknown;
  onDone?: TransitionChoice[];
  onError?: TransitionChoice[];
  onSnapshot?: TransitionChoice[];
}

export interface StateConfig {
  type?: string;
  initial?: string;
  output?: unknown;
  states?: Record<string, StateConfig>;
  on?: Record<string, TransitionChoice[]>;
  always?: TransitionChoice[];
  after?: Record<string, TransitionChoice[]>;
  invoke?: InvokeConfig[];
  onDone?: TransitionChoice[];
  entry?: unknown[];
  exit?: unknown[];
}

export interface ChartConfig extends StateConfig {
  options?: { maxIterations?: number };
}

/**
 * One choice of one state for one event; an eventless one has the event `always`, one that time brings `after 1000`, one that an actor
 * brings `charge done`, `charge error` or `charge snapshot`, one that a finished inner state brings `done`.
 */
export interface Rule {
  readonly id: string;
  readonly state: string;
  readonly event: string;
  /** Whether the event comes from outside, and not from time, from an actor or from the chart itself. */
  readonly isOutside: boolean;
  readonly index: number;
  /** All choices of this state for this event, the rule's own at its index. */
  readonly choices: TransitionChoice[];
  readonly choice: TransitionChoice;
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
  for (const [event, choices, isOutside] of eventsOf(config)) {
    for (const [index, choice] of choices.entries())
      yield { id: transitionName(state, event, index), state, event, isOutside, index, choices, choice };
  }
  for (const [key, inner] of Object.entries(config.states ?? {})) yield* rulesOf(inner, [...path, key]);
}

function* eventsOf({
  on,
  always,
  after,
  invoke,
  onDone,
}: StateConfig): Generator<readonly [string, TransitionChoice[], boolean]> {
  for (const [event, choices] of Object.entries(on ?? {})) yield [event, choices, !event.startsWith('xstate.')];
  if (always) yield [ALWAYS, always, false];
  for (const [delay, choices] of Object.entries(after ?? {})) yield [`after ${delay}`, choices, false];
  for (const [i, invoked] of (invoke ?? []).entries()) {
    const name = invokeName(invoke!, i);
    for (const [key, what] of Object.entries(INVOKE_EVENTS)) {
      const choices = invoked[key as keyof typeof INVOKE_EVENTS];
      if (choices) yield [`${name} ${what}`, choices, false];
    }
  }
  if (onDone) yield [DONE, onDone, false];
}

const DONE = 'done';
const INVOKE_EVENTS = { onDone: 'done', onError: 'error', onSnapshot: 'snapshot' } as const;

/** How rules call an event that XState knows by this type in this state. */
export function eventName(node: AnyStateNode, type: string): string {
  if (type === '') return ALWAYS;
  if (type === `xstate.done.state.${node.id}`) return DONE;
  if (type.startsWith('xstate.after.')) return `after ${type.slice('xstate.after.'.length, -1 - node.id.length)}`;
  const [, what, id] = /^xstate\.(?:(done|error)\.actor|snapshot)\.(.*)$/s.exec(type) ?? [];
  const index = id === undefined ? -1 : node.invoke.findIndex((one) => one.id === id);
  if (index < 0) return type;
  const invoked = [node.config.invoke as unknown].flat() as { readonly id?: string; readonly src: unknown }[];
  return `${invokeName(invoked, index)} ${what ?? 'snapshot'}`;
}

/** Every state of a chart with its place, the root first. */
export function* statesOf(config: StateConfig, path: readonly string[] = []): Generator<readonly [string, StateConfig]> {
  yield [stateName(path), config];
  for (const [key, inner] of Object.entries(config.states ?? {})) yield* statesOf(inner, [...path, key]);
}

function writtenOut(config: Readonly<Record<string, any>>): ChartConfig {
  const { states, on, always, after, invoke, onDone, entry, exit, ...rest } = config;
  return {
    ...rest,
    ...(entry !== undefined && { entry: listOf(entry) }),
    ...(exit !== undefined && { exit: listOf(exit) }),
    ...(on && { on: mapped(on, choicesOf) }),
    ...(always !== undefined && { always: choicesOf(always) }),
    ...(after && { after: mapped(after, choicesOf) }),
    ...(invoke !== undefined && { invoke: (listOf(invoke) as Record<string, unknown>[]).map(invokeWrittenOut) }),
    ...(onDone !== undefined && { onDone: choicesOf(onDone) }),
    ...(states && { states: mapped(states, writtenOut) }),
  };
}

function invokeWrittenOut({ onDone, onError, onSnapshot, ...rest }: Readonly<Record<string, unknown>>): InvokeConfig {
  return {
    ...(rest as { readonly src: unknown }),
    ...(onDone !== undefined && { onDone: choicesOf(onDone) }),
    ...(onError !== undefined && { onError: choicesOf(onError) }),
    ...(onSnapshot !== undefined && { onSnapshot: choicesOf(onSnapshot) }),
  };
}

function choicesOf(given: unknown): TransitionChoice[] {
  return listOf(given).map((choice) => {
    if (typeof choice === 'string') return { target: choice };
    // An event that a state forbids its outer states to take.
    if (choice === undefined) return {};
    const { actions, ...rest } = choice as TransitionChoice;
    return { ...rest, ...(actions !== undefined && { actions: listOf(actions) }) };
  });
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? [...value] : [value]);

const mapped = <T>(record: Readonly<Record<string, any>>, change: (value: any) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
