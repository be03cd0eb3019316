/**
 * A chart of XState 5 as a machine of XState 4: the same config with guards, assigns and effects as version 4 calls them.
 *
 * What a chart asks of its host becomes an action object of the same type and parameters, as `pure` makes them; a notification becomes
 * one of the type `emit`. A chart whose actions only run (`enqueueActions`) has no such form and is refused.
 */
import { actions, assign, createMachine } from 'xstate';
import { configOf, type TransitionChoice, type StateConfig } from '../test/charts/config.js';

/** What of version 5 has no form in version 4. */
export class Unrenderable extends Error {}

export interface Effect4 {
  readonly type: string;
  readonly params: unknown;
}

type Args = { readonly context: unknown; readonly event: { readonly type: string } };
/** A named guard or action with its parameters, which may be computed from context and event. */
type Parameterized = { readonly type: string; readonly params?: unknown };
type Guard5 = ((args: Args, params: unknown) => boolean) & {
  readonly check?: { readonly name: string };
  readonly guards?: readonly unknown[];
  readonly stateValue?: unknown;
};
type Meta = { readonly state: { matches(value: unknown): boolean } };
type Guard4 = (context: unknown, event: Args['event'], meta: Meta) => boolean;

/** Charts are of the repository's XState, which is not this folder's. */
export type Chart5 = Parameters<typeof configOf>[0];

/** What a host would perform; version 4 asks for an implementation. */
const EFFECTS = ['send', 'arm', 'disarm', 'draw', 'store', 'tell', 'open', 'close', 'emit'];
const isEffect = (type: string): boolean => EFFECTS.includes(type);
const performed = EFFECTS.map((type) => [type, () => {}]);

export function to4(chart: Chart5, input: unknown, test?: StateTest): any {
  const { context } = chart.config as { context?: unknown };
  const rendering = new Rendering(chart, test);
  const machine: any = createMachine(
    {
      ...rendering.state(configOf(chart), chart.root),
      id: chart.id,
      predictableActionArguments: true,
      context: typeof context === 'function' ? (context as (args: unknown) => unknown)({ input }) : (context ?? {}),
    },
    { actions: Object.fromEntries(performed) },
  );
  // In version 4 an eventless transition has an empty event, in version 5 the one that led there.
  Object.defineProperty(machine, 'initialState', { value: machine.initialState });
  const transition = machine.transition.bind(machine);
  machine.transition = (state: unknown, event: any, ...more: unknown[]) => {
    const led = event.$$type === 'scxml' ? event.data : event;
    if (led.type !== '') rendering.event = led;
    return transition(state, event, ...more);
  };
  return machine;
}

/** Holds a state of a system under test against the chart's. */
export type StateTest = (sut: unknown, state: { readonly value: unknown; readonly context: unknown }) => void;

class Rendering {
  /** The event of the step under way. */
  event: Args['event'] = { type: 'xstate.init' };

  constructor(
    private readonly chart: Chart5,
    private readonly test: StateTest | undefined,
  ) {}

  state(config: StateConfig & { readonly id?: string; readonly type?: string }, node: Chart5['root']): any {
    const { id, initial, type, states, on, always, entry, exit } = config;
    const choices = (given: readonly TransitionChoice[]) => given.map((choice) => this.choice(choice, node));
    const inner = Object.entries(states ?? {});
    return {
      ...(id !== undefined && { id }),
      ...(initial !== undefined && { initial }),
      ...(type !== undefined && { type }),
      ...(this.test && { meta: { test: this.test } }),
      ...(entry && { entry: entry.map((action) => this.action(action)) }),
      ...(exit && { exit: exit.map((action) => this.action(action)) }),
      ...(always && { always: choices(always) }),
      ...(on && { on: Object.fromEntries(Object.entries(on).map(([event, given]) => [event, choices(given)])) }),
      ...(states && { states: Object.fromEntries(inner.map(([key, one]) => [key, this.state(one, node.states[key]!)])) }),
    };
  }

  /**
   * In version 5 a transition into its own source enters the target anew and leaves the source alone. Version 4 has the one or the
   * other: anew it is, where the source has nothing to do when it is left and entered.
   */
  private choice({ target, guard, actions: given, reenter }: TransitionChoice, source: Chart5['root']): any {
    const isInward = typeof target === 'string' && target.startsWith('.');
    const isQuiet = source.entry.length + source.exit.length === 0 && source.type !== 'parallel';
    return {
      ...(target !== undefined && { target, internal: isInward ? !isQuiet : !reenter }),
      ...(guard !== undefined && { cond: this.guard(guard) }),
      ...(given && { actions: given.map((action) => this.action(action)) }),
    };
  }

  private guard(given: unknown, params?: unknown): Guard4 {
    if (typeof given === 'string') return this.guard(this.named('guards', given), params);
    if (typeof given !== 'function') return this.guard((given as Parameterized).type, (given as Parameterized).params);
    const { check, guards = [], stateValue } = given as Guard5;
    const inner = guards.map((one) => this.guard(one));
    switch (check?.name) {
      case undefined:
        return (context) => (given as Guard5)({ context, event: this.event }, this.value(params, context));
      case 'checkAnd':
        return (...args) => inner.every((one) => one(...args));
      case 'checkOr':
        return (...args) => inner.some((one) => one(...args));
      case 'checkNot':
        return (...args) => !inner[0]!(...args);
      case 'checkStateIn':
        return (_, __, { state }) => state.matches(stateValue);
      default:
        throw new Unrenderable('it has a guard of a kind that is not known here');
    }
  }

  private action(given: unknown, params?: unknown): any {
    if (typeof given === 'string') return this.action(this.named('actions', given), params);
    if (typeof given === 'function') return this.builtin(given as never, params);
    const { type, params: own } = given as Parameterized;
    return isEffect(type) ? this.effect(type, own) : this.action(type, own);
  }

  private builtin(
    action: { readonly type?: string; readonly assignment?: unknown; readonly event?: unknown },
    params: unknown,
  ): any {
    switch (action.type) {
      case 'xstate.assign':
        return assign(this.assigner(action.assignment, params));
      case 'xstate.emit':
        return this.effect('emit', action.event, params);
      case 'xstate.raise':
        return actions.raise(((context: unknown) => this.value(action.event, context, params)) as any);
      default:
        throw new Unrenderable(`${action.type?.replace('xstate.', '') ?? 'an action'} decides while it runs what to do`);
    }
  }

  private assigner(assignment: unknown, params: unknown): any {
    if (typeof assignment === 'function') return (context: unknown) => this.value(assignment, context, params);
    const keys = Object.entries(assignment as Record<string, unknown>);
    return Object.fromEntries(keys.map(([key, value]) => [key, (context: unknown) => this.value(value, context, params)]));
  }

  private effect(type: string, given: unknown, params?: unknown): any {
    return actions.pure((context: unknown) => ({ type, params: this.value(given, context, params) }));
  }

  /** What a function of the chart gives; its parameters, if it has any, are computed first. */
  private value(given: unknown, context: unknown, params?: unknown): unknown {
    if (typeof given !== 'function') return given;
    return given({ context, event: this.event }, params === undefined ? undefined : this.value(params, context));
  }

  private named(kind: 'actions' | 'guards', name: string): unknown {
    return (this.chart.implementations[kind] as Record<string, unknown>)[name];
  }
}

/** What a step of version 4 asks for, notifications after all effects, as a host performs them. */
export function effectsOf(state: {
  readonly actions: readonly { readonly type: string; readonly params?: unknown }[];
}): Effect4[] {
  const all = state.actions.map(({ type, params }) => ({ type, params }));
  return [...all.filter(({ type }) => type !== 'emit'), ...all.filter(({ type }) => type === 'emit')];
}
