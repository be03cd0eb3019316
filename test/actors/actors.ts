/**
 * Checks ordinary machines that communicate. Their messages are in flight until they arrive, so everything that works on protocols works on
 * them, above all the checker: it explores every order of messages, timers and events.
 *
 * Within one process, XState delivers immediately and in one order. Across a worker, a frame or a socket it does not, and no test in one
 * process shows it.
 */
import { matchesState, type AnyStateMachine, type StateValue } from 'xstate';
import { fieldsOf, isObject } from '../../machines/checks.js';
import { defineProtocol } from '../../machines/define.js';
import type { Message } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { Configuration, Flight, Property, Protocol, SystemSample, Topology } from '../../machines/protocol.js';
import { noNodeIsStuck } from '../../machines/stuck.js';
import { begin } from '../../network/world/remembering.js';
import { unknownWord } from '../../network/scenario/read.js';
import { chartOf, configOf, ROUTE, statesOf, type InvokeConfig } from '../charts/config.js';
import type { Bounds } from '../explore/bounds.js';
import { explore, type ExploreOptions } from '../explore/explore.js';
import type { Exploration } from '../explore/examine.js';
import { isMachine } from '../machine/references.js';
import { asChart, nameOfInvoked, reference, ROLE, type ActorReference, type ActorHierarchy } from './translate.js';

/** An actor between two steps, as properties see it. */
export interface ActorView<C = any> {
  readonly value: StateValue;
  readonly context: C;
  matches(value: StateValue): boolean;
}

export type ActorViews = Readonly<Record<string, ActorView>>;

type Predicate = (actors: ActorViews, inFlight: readonly Flight[]) => boolean;

type ActorInput = string | number | boolean | object | null | ((args: { ref(actor: string): ActorReference }) => unknown);

/**
 * The input, external events and results of the actors that `checkActors` examines.
 *
 * @experimental
 */
export interface ActorsDescription {
  readonly name?: string;
  /** The input of each actor; a function gets `ref`, by which one actor refers to another. One that another invokes gets it from there. */
  readonly input?: Readonly<Record<string, ActorInput>>;
  /**
   * External events for each actor, by type: `{ shop: { ORDER: [{ article: 'pen' }] } }`.
   *
   * @defaultValue none
   */
  readonly events?: Readonly<Record<string, Readonly<Record<string, readonly object[]>>>>;
  /** Predicates that hold in every state, each with a name. */
  readonly always?: Readonly<Record<string, Predicate>>;
  /** Predicates that hold eventually on every fair path from a state in which `when` holds, each with a name. */
  readonly eventually?: Readonly<Record<string, { readonly when: Predicate; readonly holds: Predicate }>>;
}

/** Options for `checkActors`. By default, `bounds` limit the search to 10,000 states; beyond, the verdict is `unknown`. */
export interface ActorsQuestion
  extends
    ActorsDescription,
    Pick<ExploreOptions, 'order' | 'faults' | 'bounds' | 'goal' | 'search' | 'reduce' | 'now' | 'onProgress'> {
  /**
   * External events at any moment, those of one actor in this order. They do not have to be in `events`.
   *
   * @defaultValue each of `events` any number of times, whenever the chart accepts it
   */
  readonly script?: readonly { readonly actor: string; readonly event: Message }[];
}

/** The known options. */
const ASKED: readonly string[] = [
  'name',
  'input',
  'events',
  'always',
  'eventually',
  'script',
  'order',
  'faults',
  'bounds',
  'goal',
  'search',
  'reduce',
  'now',
  'onProgress',
] satisfies (keyof ActorsQuestion)[];

/**
 * Checks ordinary machines that communicate with `sendTo` and `sendParent`, in every order of messages, timers and events.
 *
 * A machine that the root of another machine invokes is included. All others are listed, and refer to each other by their input. In
 * addition to the given properties, the checker verifies that no actor waits forever for a message.
 *
 * @param actors the machines by name.
 * @param question the inputs, the events from outside, the properties and the bounds of the search.
 * @returns the verdict, with the shortest counterexample.
 * @throws UsageError if the checker cannot take a part of a machine. It names the part and a remedy.
 * @example
 * ```ts
 * import { sendTo, setup, type AnyActorRef } from 'xstate';
 * import { checkActors } from 'xstate-quiver/check';
 *
 * const server = setup({ types: { events: {} as { type: 'ask'; from: AnyActorRef } } }).createMachine({
 *   on: { ask: { actions: sendTo(({ event }) => event.from, { type: 'answer' }) } },
 * });
 * const client = setup({ types: { input: {} as { server: AnyActorRef }, context: {} as { server: AnyActorRef } } }).createMachine({
 *   context: ({ input }) => input,
 *   initial: 'idle',
 *   states: {
 *     idle: {
 *       on: { ASK: { target: 'waiting', actions: sendTo(({ context }) => context.server, ({ self }) => ({ type: 'ask', from: self })) } },
 *     },
 *     waiting: { on: { answer: 'idle' } },
 *   },
 * });
 * const { verdict, counterexample } = checkActors(
 *   { client, server },
 *   { input: { client: ({ ref }) => ({ server: ref('server') }) }, events: { client: { ASK: [{}] } } },
 * );
 * console.log(verdict, counterexample?.steps);
 * ```
 * @experimental
 */
export function checkActors(actors: Readonly<Record<string, AnyStateMachine>>, question: ActorsQuestion = {}): Exploration {
  const { name: _name, input: _input, events: _events, always: _always, eventually: _eventually, script, ...rest } = question;
  const unknown = Object.keys(question).find((key) => !ASKED.includes(key));
  if (unknown !== undefined) throw unknownWord(`checkActors has no option ${unknown}`, unknown, ASKED);
  const odd = Object.keys(question.bounds ?? {}).find((key) => !BOUNDS.includes(key));
  if (odd !== undefined) throw unknownWord(`bounds.${odd} is not known`, odd, BOUNDS);
  refuseUnknownActors(question, localActorGroup(actors).machines);
  const asked = script
    ? [...eventsOf(question), ...script.map((one, place) => scripted(actors, one, place))]
    : eventsOf(question);
  const protocol = defineActors(actors, { ...question, events: byActor(asked) });
  const commands = script
    ? script.map(({ actor, event }) => ({ do: 'command' as const, node: actor, name: nameOfEvent(event), fields: {} }))
    : { unlimited: asked.map(({ actor, event }) => ({ node: actor, command: nameOfEvent(event) })) };
  const bounds = { states: STATES_MAX, ...question.bounds };
  return explore(protocol, { ...rest, bounds, topology: topologyOf(Object.keys(protocol.charts)), commands });
}

/** Messages of ordinary machines can pile up without end; a system of two or three that does not has fewer states than this. */
const STATES_MAX = 10_000;
const BOUNDS: readonly string[] = ['states', 'depth', 'seconds', 'megabytes', 'parts'] satisfies (keyof Bounds)[];

type Asked = ReturnType<typeof eventsOf>[number];

/** An event of a script, if an actor of this name takes it. */
function scripted(actors: Readonly<Record<string, AnyStateMachine>>, one: Partial<Asked>, place: number): Asked {
  const { machines } = localActorGroup(actors);
  const { actor, event } = one;
  if (typeof actor !== 'string' || typeof event?.type !== 'string')
    throw new UsageError(`script[${place}] is ${JSON.stringify(one)}. Pass { actor: '…', event: { type: '…' } }.`);
  const names = Object.keys(machines);
  if (!names.includes(actor)) throw unknownWord(`script[${place}] names ${actor}, which is none of the actors`, actor, names);
  refuseEvent(`script[${place}] sends ${event.type}`, actor, event.type, machines[actor]!);
  return { actor, event };
}

function refuseEvent(place: string, actor: string, type: string, { events }: AnyStateMachine): void {
  const known: readonly string[] = events;
  if (!known.includes(type) && !known.some((one) => one.includes('*')))
    throw unknownWord(`${place}: actor ${actor} has no transition for it`, type, known);
}

/** Each event once, as a description has them. */
function byActor(asked: readonly Asked[]): NonNullable<ActorsDescription['events']> {
  const events: Record<string, Record<string, object[]>> = {};
  const seen = new Set<string>();
  for (const { actor, event } of asked) {
    const { type, ...payload } = event;
    if (seen.size < seen.add(`${actor} ${nameOfEvent(event)}`).size) ((events[actor] ??= {})[type] ??= []).push(payload);
  }
  return events;
}

/**
 * The same actors as a protocol, for the `quiver` command and everything else that works on protocols: a module that exports it is taken by
 * `--protocol FILE`. Its nodes are the actors, by their names.
 *
 * @param given the machines by name.
 * @param actorsDescription the inputs, events and properties, as in `checkActors`.
 * @returns the protocol.
 * @throws UsageError as `checkActors` does.
 * @experimental
 */
export function defineActors(
  given: Readonly<Record<string, AnyStateMachine>>,
  actorsDescription: ActorsDescription = {},
): Protocol {
  const { machines, invoked } = localActorGroup(given);
  const names = Object.keys(machines);
  refuseUnknownActors(actorsDescription, machines);
  const group: ActorHierarchy = { names, parentOf: (name) => invoked.get(name)?.parent };
  const charts = Object.fromEntries(names.map((name) => [name, asChart(name, machines[name]!, group)]));
  const inputs = new Map<string, unknown>();
  const inputOf = (name: string): unknown => {
    if (!inputs.has(name)) inputs.set(name, findInput(name));
    return inputs.get(name);
  };
  const findInput = (name: string): unknown => {
    const own = actorsDescription.input?.[name];
    if (own !== undefined) return typeof own === 'function' ? own({ ref: reference }) : own;
    const by = invoked.get(name);
    const { input } = fieldsOf(by?.config);
    if (typeof input !== 'function') return input;
    const { states: _states, initial: _initial, ...root } = configOf(charts[by!.parent]!);
    const { snapshot } = begin(chartOf(root, charts[by!.parent]!), inputOf(by!.parent));
    return input({ context: snapshot.context, event: { type: 'xstate.init' }, self: reference(by!.parent) });
  };
  const commands = eventsOf(actorsDescription).map(
    ({ event }) => [nameOfEvent(event), { event: () => event, waits: true }] as const,
  );
  return defineProtocol(
    {
      name: actorsDescription.name ?? names.join(' and '),
      charts,
      network: { reach: 'routed', order: 'fifo' },
      roles: (node) => {
        if (node in charts) return [{ role: ROLE, chart: node, input: inputOf(node) }];
        throw new UsageError(
          `The topology contains the node "${node}", which is not an actor. Its nodes can be ${names.join(', ')}.`,
        );
      },
      route: () => ROLE,
      accepts: (message) => typeof fieldsOf(message)['type'] === 'string',
      commands: Object.fromEntries(commands),
    },
    { properties: () => propertiesOf(charts, actorsDescription), systems: [systemOf(names, actorsDescription)] },
  );
}

interface Invoked {
  readonly parent: string;
  readonly config: InvokeConfig;
}

/** The machines given, those that their roots invoke, and who invokes whom. */
function localActorGroup(given: Readonly<Record<string, AnyStateMachine>>) {
  const machines: Record<string, AnyStateMachine> = { ...given };
  const invoked = new Map<string, Invoked>();
  for (const parent of Object.keys(machines)) meet(parent);
  return { machines, invoked };

  function meet(parent: string): void {
    const machine = machines[parent]!;
    if (!isMachine(machine)) throw new UsageError(`actor ${parent} is not a machine. Pass the result of createMachine.`);
    for (const config of configOf(machine).invoke ?? []) {
      const name = nameOfInvoked(config);
      const logic = typeof config.src === 'string' ? machine.implementations.actors[config.src] : config.src;
      if (name === undefined || !isMachine(logic)) continue;
      const other = invoked.get(name);
      if (other)
        throw new UsageError(
          `${other.parent} and ${parent} both invoke an actor ${name}. Use a different id for each invocation.`,
        );
      invoked.set(name, { parent, config });
      const isNew = !(name in machines);
      machines[name] ??= logic;
      if (isNew) meet(name);
    }
  }
}

function refuseUnknownActors(
  { input = {}, events = {}, always = {}, eventually = {} }: ActorsDescription,
  machines: Readonly<Record<string, AnyStateMachine>>,
): void {
  const names = Object.keys(machines);
  const stranger = [...Object.keys(input), ...Object.keys(events)].find((name) => !names.includes(name));
  if (stranger !== undefined)
    throw new UsageError(`input or events name "${stranger}", which is not an actor. The actors are ${names.join(', ')}.`);
  for (const [name, types] of Object.entries(events)) {
    for (const [type, samples] of Object.entries(types)) {
      refuseEvent(`events.${name}.${type}`, name, type, machines[name]!);
      if (!Array.isArray(samples))
        throw new UsageError(`events.${name}.${type} is not a list. Pass a list of payloads, as in [{}].`);
      const odd = samples.findIndex((payload) => !isObject(payload));
      if (odd >= 0)
        throw new UsageError(
          `events.${name}.${type}[${odd}] is ${JSON.stringify(samples[odd])}. Pass the payload as an object, { … }.`,
        );
    }
  }
  for (const [rule, holds] of Object.entries(always)) refuseNoFunction(`always[${JSON.stringify(rule)}]`, holds);
  for (const [rule, promise] of Object.entries(eventually))
    for (const key of ['when', 'holds'] as const) refuseNoFunction(`eventually[${JSON.stringify(rule)}].${key}`, promise?.[key]);
}

function refuseNoFunction(place: string, given: unknown): void {
  if (typeof given !== 'function')
    throw new UsageError(
      `${place} is ${given === undefined ? 'missing' : 'not a function'}. Pass (actors, inFlight) => boolean.`,
    );
}

const topologyOf = (nodes: readonly string[]): Topology => ({
  nodes,
  links: nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v, 1] as const)),
});

function eventsOf({ events = {} }: ActorsDescription): readonly { readonly actor: string; readonly event: Message }[] {
  return Object.entries(events).flatMap(([actor, types]) =>
    Object.entries(types).flatMap(([type, samples]) => samples.map((payload) => ({ actor, event: { ...payload, type } }))),
  );
}

/** The name of an external event in a scenario: its type, and its payload if there is one. */
function nameOfEvent({ type, ...payload }: Message): string {
  return Object.keys(payload).length === 0 ? type : `${type} ${JSON.stringify(payload)}`;
}

/** Each event from outside once. */
const systemOf = (names: readonly string[], actorsDescription: ActorsDescription): SystemSample => ({
  topology: { ...topologyOf(names) },
  events: eventsOf(actorsDescription).map(({ actor, event }) => ({ at: 0, node: actor, do: nameOfEvent(event) })),
});

function propertiesOf(
  charts: Readonly<Record<string, AnyStateMachine>>,
  actorsDescription: ActorsDescription,
): readonly Property[] {
  const { always = {}, eventually = {} } = actorsDescription;
  const [first] = Object.keys(charts);
  const asked = (predicate: Predicate) => (c: Configuration) => predicate(viewsOf(c), c.flights);
  const description = 'defined by the caller of checkActors';
  const stuck = Object.entries(charts).map(([name, chart]) => [name, stuckProperty(name, chart, actorsDescription)] as const);
  const about = new Map(stuck);
  return [
    ...Object.entries(always).map(([name, holds]): Property => ({ name, description, kind: 'always', holds: asked(holds) })),
    ...Object.entries(eventually).map(([name, { when, holds }]): Property => ({
      name,
      description,
      kind: 'eventually',
      // It is one promise, and not one of each actor.
      when: (c, node) => node === first && asked(when)(c),
      holds: (c) => asked(holds)(c),
    })),
    { ...stuck[0]![1], when: (c, node) => about.get(node)!.when(c, node), holds: (c, node) => about.get(node)!.holds(c, node) },
  ];
}

/** Whatever the world outside does not send to an actor, and no `after` of the state brings, has to come from others. */
function stuckProperty(name: string, chart: AnyStateMachine, { events = {} }: ActorsDescription) {
  const own = Object.keys(events[name] ?? {});
  const waiting = own.includes(ROUTE) ? chart : withoutRoutes(chart);
  const types = waiting.events.filter((type) => !own.includes(type) && !type.startsWith('xstate.after.'));
  const messages = Object.fromEntries(types.map((type) => [type, {}]));
  return noNodeIsStuck({ charts: { [name]: waiting }, messages } as never) as Extract<Property, { kind: 'eventually' }>;
}

/** No actor sends a route: one that is not among the events neither leads out of a state nor is waited for. */
function withoutRoutes(chart: AnyStateMachine): AnyStateMachine {
  const config = configOf(chart);
  for (const [, state] of statesOf(config)) delete state.route;
  return chartOf(config, chart);
}

function viewsOf(c: Configuration): ActorViews {
  return Object.fromEntries(
    [...c.nodes].map(([name, { [ROLE]: role }]) => {
      const { value, context } = role!;
      return [name, { value, context, matches: (wanted: StateValue) => matchesState(wanted, value) }];
    }),
  );
}
