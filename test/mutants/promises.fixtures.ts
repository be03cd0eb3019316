/**
 * Judges mutants only by promises: they are not compared with recorded paths, walks or counts of states. A mutant is killed if it violates
 * a property that the protocol satisfies in the same system or scenario. It is also killed if a property throws an error, if a chart
 * violates its contract, or if a command waits forever that the protocol completes.
 *
 * A mutant with the same answers to all questions of these searches and runs is not judged: there it is the same chart. A chart is
 * deterministic, and a node behaves the same with a mutant as with the chart if every start, every step, and every test whether an event is
 * taken has the same result. The graph of states and transitions is then the same, and no property can distinguish the two.
 */
import fc from 'fast-check';
import { ProtocolError, UsageError } from '../../machines/errors.js';
import type { Property, PropertyResult, Protocol, SystemSample, RoleView } from '../../machines/protocol.js';
import { parseScenario } from '../../network/scenario/parse.js';
import type { Scenario } from '../../network/scenario/types.js';
import { Simulation } from '../../network/simulation.js';
import { Coverage } from '../coverage/coverage.js';
import { guardItem, type Item } from '../coverage/items.js';
import { checkScenario } from '../explore/scenario.js';
import { scenarioOf } from '../swarm/scenario.js';
import { scenarioShapes, soundSystems } from '../swarm/shape.js';
import { onCharts, onProtocol, systemsOf, type System } from '../system/systems.js';
import type { Mutant } from './chart-mutants.js';
import type { Judge } from './mutants.js';
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { Effect, Message } from '../../machines/effects.js';
import { byXState } from '../../network/world/kernel.js';
import { begin, macrostep, restore, takesEvent, type Stepped } from '../../network/world/remembering.js';
import { jsonKey } from '../explore/json.js';

/** An additional system that is searched only for mutants: larger than those of the protocol, or with other faults. */
export interface FurtherSystem extends SystemSample {
  /** The most states that the checker visits. With 0, only simulations run. */
  readonly states: number;
  /** Further promises of this system, in addition to those of the protocol. */
  readonly promises?: readonly Property[];
}

export interface PromiseOptions {
  /** The most states of a system that the checker visits. */
  readonly states: number;
  /** How many scenarios of the swarm are run on each mutant. */
  readonly runs: number;
  /** Draws the scenarios. */
  readonly seed?: number;
  /** Further systems, for mutants that survive the systems of the protocol and the swarm. */
  readonly further?: readonly FurtherSystem[];
}

/** The checker and the swarm, which look for broken promises, and the detection of mutants that are the same chart. */
export interface PromiseJudging {
  readonly judges: readonly Judge[];
  /** The reason why no judge can distinguish the mutant from the chart: it always does the same, or its rule is never evaluated. */
  sameness(mutant: Mutant): typeof SAME | typeof UNASKED | undefined;
}

export const SAME = 'does what the chart does in every step of these systems and scenarios';
export const UNASKED = 'no step of these systems and scenarios comes to it';

/** The names of the broken promises. */
type Broken = ReadonlySet<string>;

interface Search {
  readonly system: System;
  readonly states: number;
  readonly promises: readonly Property[];
}

const isChecked = ({ states }: Search): boolean => states > 0;

/** The name under which both judges of the additional systems appear in reports. */
export const FURTHER = 'further';
const CONTRACT = 'keeps its contract';

export function promiseJudging(protocol: Protocol, { states, runs, seed = 1, further = [] }: PromiseOptions): PromiseJudging {
  const own = systemsOf(protocol).map((system): Search => ({ system, states, promises: [] }));
  const others = further.map(({ states, promises = [], ...sample }): Search => {
    return { system: onProtocol({ protocol: protocol.name, ...sample }, protocol), states, promises };
  });
  const scenarios = [...own.map(({ system }) => system.scenario), ...scenariosOf(protocol, runs, seed)];
  const inTime = (scenario: Scenario, charts: Protocol) => brokenBy({ ...scenario, protocol: charts });
  const goThroughAll = (charts: Protocol): void => {
    for (const search of [...own, ...others.filter(isChecked)]) brokenIn(search, charts);
    for (const scenario of scenarios) inTime(scenario, charts);
    for (const { system, promises } of others) inTime(system.scenario, promising(charts, promises));
  };
  const taken = new TakenSteps(protocol);
  taken.during(goThroughAll);
  const coverage = new Coverage(protocol);
  coverage.during(goThroughAll);
  return {
    judges: [
      judge('checker', own, brokenIn, protocol),
      judge('swarm', scenarios, inTime, protocol),
      judge(FURTHER, others, ({ system, promises }, charts) => inTime(system.scenario, promising(charts, promises)), protocol),
      judge(FURTHER, others.filter(isChecked), brokenIn, protocol),
    ],
    sameness: (mutant) => {
      if (!taken.areSameOn(mutant.chart, mutant.machine)) return undefined;
      const counts = coverage.of(mutant.chart);
      return itemsOf(mutant).every((item) => counts.get(item) === 0) ? UNASKED : SAME;
    },
  };
}

/** The items that must be covered for a mutation to matter. */
function itemsOf({ operator, place }: Mutant): readonly Item[] {
  const rule = place.split(', ')[0]!;
  if (operator === 'drop guard') return [guardItem(rule, false)];
  if (operator === 'negate guard') return [guardItem(rule, true), guardItem(rule, false)];
  return [`transition ${rule}`];
}

/** Asks for all that is broken with the mutant and not with the protocol itself. */
function judge<T>(name: string, places: readonly T[], broken: (place: T, charts: Protocol) => Broken, protocol: Protocol): Judge {
  const known = places.map((place) => ({ place, own: undefined as Broken | undefined }));
  return {
    name,
    kills: (mutated) =>
      known.some((one) => {
        const own = (one.own ??= broken(one.place, protocol));
        return [...broken(one.place, mutated)].some((name) => !own.has(name));
      }),
  };
}

const promising = (charts: Protocol, promises: readonly Property[]): Protocol => ({
  ...charts,
  properties: (instance) => [...charts.properties(instance), ...promises],
});

const brokenIn = ({ system, states, promises }: Search, charts: Protocol): Broken =>
  unlessItThrows(() => {
    const scenario = onCharts(system, promising(charts, promises));
    return namesOfBroken(checkScenario(scenario, { bounds: { states } }).properties);
  });

/** Includes properties of kind `sometimes` that were never observed: if the protocol shows it, a mutant has to show it, too. */
const namesOfBroken = (properties: readonly PropertyResult[]): readonly string[] =>
  properties.filter(({ kind, holds }) => holds === false || (kind === 'sometimes' && holds !== true)).map(({ name }) => name);

/** Scenarios of the swarm, except those that the protocol rejects. */
function scenariosOf(protocol: Protocol, runs: number, seed: number): readonly Scenario[] {
  const systems = soundSystems(protocol);
  return fc.sample(scenarioShapes(systems), { numRuns: runs, seed }).flatMap((shape): Scenario[] => {
    try {
      return [parseScenario(scenarioOf(protocol, systems, shape), { [protocol.name]: protocol })];
    } catch (error) {
      if (error instanceof UsageError) return [];
      throw error;
    }
  });
}

/** A small network without rest after this many steps never rests. */
const STEPS_MAX = 4000;

function brokenBy(scenario: Scenario): Broken {
  const simulation = new Simulation(scenario, { host: 'snapshots' });
  return unlessItThrows(() => {
    simulation.start();
    let steps = 0;
    while (simulation.advance()) if (++steps === STEPS_MAX) return ['comes to rest'];
    const waits = simulation.network.world.environment.hasWaiting ? ['every command is taken'] : [];
    return [...namesOfBroken(simulation.finish().properties), ...waits];
  });
}

/** A mutant may break the contract of charts, or reach states for which a property was not written. Any other error is one of the judges. */
function unlessItThrows(broken: () => readonly string[]): Broken {
  try {
    return new Set(broken());
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return new Set([CONTRACT]);
  }
}

/** To start, to take an event in a state, or whether one is taken there. */
type Question =
  | { readonly kind: 'start'; readonly input: unknown }
  | { readonly kind: 'step' | 'accept'; readonly value: RoleView['value']; readonly context: unknown; readonly event: Message };

interface Asked {
  readonly question: Question;
  /** The chart's own answer, computed for the first mutant. */
  answer?: string;
}

/** The questions that runs have put to the charts of one protocol. */
class TakenSteps {
  private readonly asked = new Map<string, Map<string, Asked>>();

  constructor(private readonly protocol: Protocol) {}

  /** Records the questions of `run` to a protocol that behaves like the original. */
  during<T>(run: (protocol: Protocol) => T): T {
    const charts = Object.entries(this.protocol.charts).map(([name, chart]) => [name, this.listening(name, chart)]);
    return byXState(() => run({ ...this.protocol, charts: Object.fromEntries(charts) }));
  }

  /** The number of different questions to a chart. */
  count(chart: string): number {
    return this.asked.get(chart)?.size ?? 0;
  }

  /** True if a mutant of the chart has the same answers to all of them. */
  areSameOn(chart: string, mutant: AnyStateMachine): boolean {
    const original = this.protocol.charts[chart]!;
    for (const asked of this.asked.get(chart)?.values() ?? []) {
      asked.answer ??= this.answer(original, asked.question);
      if (asked.answer !== this.answer(mutant, asked.question)) return false;
    }
    return true;
  }

  private listening(name: string, chart: AnyStateMachine): AnyStateMachine {
    const known = this.asked.get(name) ?? new Map<string, Asked>();
    this.asked.set(name, known);
    const note = (question: Question): void => {
      const key = jsonKey(question, `what chart ${name} is asked`);
      if (!known.has(key)) known.set(key, { question });
    };
    const noteEvent = (kind: 'step' | 'accept', { value, context }: AnyMachineSnapshot, event: Message): void =>
      note({ kind, value, context, event });
    const copy: AnyStateMachine = chart.provide({});
    const { getInitialSnapshot, transition, getTransitionData } = copy;
    copy.getInitialSnapshot = (scope, input) => {
      note({ kind: 'start', input });
      return getInitialSnapshot.call(copy, scope, input);
    };
    copy.transition = (snapshot, event, scope) => {
      noteEvent('step', snapshot, event);
      return transition.call(copy, snapshot, event, scope);
    };
    copy.getTransitionData = (snapshot, event) => {
      noteEvent('accept', snapshot, event);
      return getTransitionData.call(copy, snapshot, event);
    };
    return copy;
  }

  private answer(machine: AnyStateMachine, question: Question): string {
    try {
      if (question.kind === 'start') return this.textOf(begin(machine, question.input));
      const { kind, event } = question;
      const snapshot = restore(machine, question);
      return kind === 'accept' ? `${takesEvent(machine, snapshot, event)}` : this.textOf(macrostep(machine, snapshot, event));
    } catch {
      return 'throws';
    }
  }

  private textOf({ snapshot: { value, context }, effects }: Stepped): string {
    return jsonKey([value, context, ...this.asPerformed(effects)], 'the answer of a chart');
  }

  /**
   * The effects of a step in a node: messages, timers, events within the node after the step, and notifications, each in its order. An
   * opened role may cause all of them immediately.
   */
  private asPerformed(effects: readonly Effect[]): readonly (readonly Effect[])[] {
    const isWired = this.protocol.wiring !== undefined;
    const within = ['tell', 'draw', 'store', 'close', ...(isWired ? ['send', 'emit'] : [])];
    const kinds = [['send'], ['arm', 'disarm', 'close'], within, ['emit']];
    return kinds.map((kind) => effects.filter(({ type }) => type === 'open' || kind.includes(type)));
  }
}
