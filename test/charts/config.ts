/**
 * A chart as a config that can be changed and built again. Every shorthand is written out (a transition is a list of choices, an action a
 * list of actions), with the same implementations.
 */
import { createMachine, type AnyStateMachine, type AnyStateNode } from 'xstate';
import { invokeName } from '../../network/chart-definition.js';
import { entriesOf, fieldsOf, isObject } from '../../machines/checks.js';

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
  /** The transition of an `xstate.route` to this state. XState takes one, and only for a state with an id. */
  route?: TransitionChoice[];
  id?: string;
  entry?: unknown[];
  exit?: unknown[];
}

export interface ChartConfig extends StateConfig {
  options?: { maxIterations?: number };
}

/**
 * One choice of one state for one event. The event is `always` for an eventless transition, `after 1000` for a delay, `charge done`,
 * `charge error` or `charge snapshot` for an invoked actor, and `done` for a finished inner state.
 */
export interface Rule {
  readonly id: string;
  readonly state: string;
  readonly event: string;
  /** True if the event comes from outside, and not from time, from an actor or from the chart itself. */
  readonly isOutside: boolean;
  readonly index: number;
  /** All choices of this state for this event, the rule's own at its index. */
  readonly choices: TransitionChoice[];
  readonly choice: TransitionChoice;
  /** The target of a route: `#id`. */
  readonly route?: string;
}

export const ALWAYS = 'always';
/** The event that leads to a state that has a `route`: `{ type: 'xstate.route', to: '#id' }`. */
export const ROUTE = 'xstate.route';
const ROOT = '(root)';

export const stateName = (path: readonly string[]): string => (path.length === 0 ? ROOT : path.join('.'));

/** The name of a transition: its state, its event and, beyond the first choice, the place among the choices. */
export const transitionName = (state: string, event: string, index: number): string =>
  `${state}: ${event}${index === 0 ? '' : ` #${index + 1}`}`;

export function configOf(machine: AnyStateMachine): ChartConfig {
  return writtenOut(machine.config);
}

export function chartOf(config: ChartConfig, original: AnyStateMachine): AnyStateMachine {
  return createMachine(withSingleRoutes(config) as never, original.implementations as never) as AnyStateMachine;
}

/** XState takes a route that is one choice and no list. */
function withSingleRoutes(config: StateConfig): unknown {
  const { route, states, ...rest } = config;
  return { ...rest, ...(route?.[0] && { route: route[0] }), ...(states && { states: mapped(states, withSingleRoutes) }) };
}

/** Every transition of a chart, outer states first, in the order of the config. */
export function* rulesOf(config: StateConfig, path: readonly string[] = []): Generator<Rule> {
  const state = stateName(path);
  for (const [event, choices, isOutside] of eventsOf(config)) {
    for (const [index, choice] of choices.entries())
      yield { id: transitionName(state, event, index), state, event, isOutside, index, choices, choice };
  }
  if (path.length === 0) yield* routesIn(config);
  for (const [key, inner] of Object.entries(config.states ?? {})) yield* rulesOf(inner, [...path, key]);
}

/** The routes to the states inside, which XState makes transitions of the root. */
function* routesIn({ states = {} }: StateConfig): Generator<Rule> {
  for (const inner of Object.values(states)) {
    const { id, route = [] } = inner;
    for (const choice of id ? route : [])
      yield { id: routeName(id!), state: ROOT, event: ROUTE, isOutside: true, index: 0, choices: route, choice, route: `#${id}` };
    yield* routesIn(inner);
  }
}

const routeName = (id: string): string => transitionName(ROOT, `${ROUTE} #${id}`, 0);

function* eventsOf({
  on,
  always,
  after,
  invoke,
  onDone,
}: StateConfig): Generator<readonly [string, TransitionChoice[], boolean]> {
  for (const [event, choices] of Object.entries(on ?? {})) yield [event, choices, isExternalEvent(event)];
  if (always) yield [ALWAYS, always, false];
  for (const [delay, choices] of Object.entries(after ?? {})) yield [`after ${delay}`, choices, false];
  for (const [i, invoked] of (invoke ?? []).entries()) {
    const name = invokeName(invoke!, i);
    for (const [key, what] of entriesOf(INVOKE_EVENTS)) {
      const choices = invoked[key];
      if (choices) yield [`${name} ${what}`, choices, false];
    }
  }
  if (onDone) yield [DONE, onDone, false];
}

/** XState's own events come from time, from actors and from the chart itself; routes alone come from outside. */
export const isExternalEvent = (event: string): boolean => event === ROUTE || !event.startsWith('xstate.');

export const DONE = 'done';
const INVOKE_EVENTS = { onDone: 'done', onError: 'error', onSnapshot: 'snapshot' } as const;

/** The name in rules for an event type of XState in this state, such as `after 1000`. */
export function ruleEventName(node: AnyStateNode, type: string): string {
  if (type === '') return ALWAYS;
  if (type === `xstate.done.state.${node.id}` && node.config.onDone) return DONE;
  const delay = type.startsWith('xstate.after.') && type.slice('xstate.after.'.length, -1 - node.id.length);
  if (delay && node.after.some(({ eventType }) => eventType === type)) return `after ${delay}`;
  const [, what, id] = /^xstate\.(?:(done|error)\.actor|snapshot)\.(.*)$/s.exec(type) ?? [];
  const key = what === 'done' ? 'onDone' : what === 'error' ? 'onError' : 'onSnapshot';
  // The handler of an invoked actor replaces one in "on" for the same event, and a later invoked actor of the same id an earlier one.
  const handles = (one: AnyStateNode['invoke'][number]) => one.id === id && one[key] !== undefined;
  const index = node.invoke.findLastIndex(handles);
  if (index < 0) return type;
  const invoked = [node.config.invoke as unknown].flat() as { readonly id?: string; readonly src: unknown }[];
  return `${invokeName(invoked, index)} ${what ?? 'snapshot'}`;
}

/** The name of a transition that XState has taken, by its position among the transitions for the event. */
export function nameOfTaken(node: AnyStateNode, type: string, index: number): string {
  const taken = (type === '' ? node.always : node.transitions.get(type))?.[index];
  const { id, route } = taken?.target?.[0]?.config ?? {};
  if (type === ROUTE && node.parent === undefined && id && route) return routeName(id);
  return transitionName(stateName(node.path), ruleEventName(node, type), index);
}

/** All states of a chart with their paths, the root first. */
export function* statesOf(config: StateConfig, path: readonly string[] = []): Generator<readonly [string, StateConfig]> {
  yield [stateName(path), config];
  for (const [key, inner] of Object.entries(config.states ?? {})) yield* statesOf(inner, [...path, key]);
}

function writtenOut(config: unknown): ChartConfig {
  const { states, on, always, after, invoke, onDone, route, entry, exit, ...rest } = fieldsOf(config);
  return {
    ...rest,
    ...(entry !== undefined && { entry: listOf(entry) }),
    ...(exit !== undefined && { exit: listOf(exit) }),
    ...(isObject(on) && { on: mapped(on, choicesOf) }),
    ...(always !== undefined && { always: choicesOf(always) }),
    ...(isObject(after) && { after: mapped(after, choicesOf) }),
    ...(invoke !== undefined && { invoke: listOf(invoke).map(fieldsOf).map(invokeWrittenOut) }),
    ...(onDone !== undefined && { onDone: choicesOf(onDone) }),
    ...(isObject(route) && { route: choicesOf(route) }),
    ...(isObject(states) && { states: mapped(states, writtenOut) }),
  };
}

function invokeWrittenOut({ onDone, onError, onSnapshot, src, ...rest }: Readonly<Record<string, unknown>>): InvokeConfig {
  return {
    src,
    ...rest,
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

const mapped = <V, T>(record: Readonly<Record<string, V>>, change: (value: V) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
