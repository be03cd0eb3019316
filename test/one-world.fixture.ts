/** A run in time held against the world without time: every step that the clock makes is a choice that is offered, and leads where `apply` does. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { UsageError } from '../machines/errors.js';
import { protocols } from '../machines/index.js';
import { parseScenario } from '../network/scenario/parse.js';
import { Random } from '../network/random.js';
import { Simulation } from '../network/simulation.js';
import { createMetric } from '../network/topology/metric.js';
import type { Scenario } from '../network/scenario/types.js';
import type { Configuration, NodeView, Protocol } from '../machines/protocol.js';
import type { Choice } from '../network/world/choice.js';
import { apply, beginWorld, enabled, recordingWitness, untimed } from '../network/world/enabled.js';
import { createHost } from '../network/world/hosts.js';
import type { WorldFrame } from '../network/world/environment.js';
import { fusible } from '../network/world/script.js';
import { World } from '../network/world/world.js';
import { everyDraw } from './explore/draws.js';
import { attempted, type Question } from './explore/examine.js';
import { nothingKnown } from './explore/restart.js';
import type { Model } from './explore/model.js';
import type { Search } from './explore/search.js';
import { NO_PARENT } from './explore/store.js';
import { questionOf } from './explore/scenario.js';
import { scenarioOf } from './swarm/scenario.js';
import { scenarioShapes, soundSystems } from './swarm/shape.js';
import { systemsOf } from './system/systems.js';

export interface Compared {
  readonly steps: number;
  /** The first difference, in a sentence. */
  readonly difference: string | null;
}

/** Runs as the swarm draws them. A corruption draws from its own source, and is left out. */
export function scenariosOf(protocol: Protocol, count: number, seed: number): Scenario[] {
  const systems = soundSystems(protocol);
  const drawn = fc.sample(scenarioShapes(systems), { numRuns: 8 * count, seed });
  const parsed = drawn.flatMap((shape) => {
    try {
      return [parseScenario(scenarioOf(protocol, systems, shape), protocols)];
    } catch (error) {
      if (error instanceof UsageError) return [];
      throw error;
    }
  });
  return parsed.filter(({ events }) => events.every(({ do: what }) => what !== 'corrupt')).slice(0, count);
}

/** Everything of a world that decides what can come, as a text; which of two equal messages is which does not. */
export function worldText(world: World): string {
  const nodes = [...world.configuration.nodes].map(([id, view]) => {
    const { armed, reactions } = world.pendingOf(id);
    return [id, view, armed.map(({ role, timer }) => `${role} ${timer}`).sort(), reactions.toSorted()];
  });
  const flights = world.flights.all.map(({ from, to, message }) => JSON.stringify([from, to, message])).sort();
  return JSON.stringify([nodes, flights, world.environment.key([...world.nodes.keys()])]);
}

const STEPS_MAX = 4000;

export function compareWithWorld(scenario: Scenario): Compared {
  const simulation = new Simulation(scenario, { host: 'snapshots', watch: false });
  const { world } = simulation.network;
  let difference: string | null = null;
  let steps = 0;
  // That a timer is not early is an assumption about delays, which a run that holds messages up does not keep.
  const frame = { ...world.frame, protocol: { ...scenario.protocol, mayFire: () => true } };
  const fork = () => new World(frame, createHost('snapshots', scenario.protocol), untimed([]), recordingWitness([]), world);

  /** Lets the clock make a choice, and makes the same ones without it. */
  const held = (choices: (before: World) => readonly Choice[], run: () => unknown): void => {
    if (difference !== null) return void run();
    const before = fork();
    const drawn: number[] = [];
    const lost: number[] = [];
    const doubled: number[] = [];
    const listening = [
      simulation.network.steps$.subscribe((step) => drawn.push(...step.drawn)),
      simulation.network.lost$.subscribe(({ flight, why }) => why === 'loss' && lost.push(flight.id)),
      simulation.network.duplicated$.subscribe((flight) => doubled.push(flight.id)),
    ];
    const sentBefore = nextNumber(world);
    run();
    for (const one of listening) one.unsubscribe();
    const at = simulation.network.now;
    let now = before;
    for (const choice of choices(before)) {
      steps++;
      const offered = [...enabled(now)].some((other) => JSON.stringify(other) === JSON.stringify(choice));
      if (!offered) {
        difference = `${JSON.stringify(choice)} at ${at} is not among ${JSON.stringify([...enabled(now)]).slice(0, 400)}`;
        return;
      }
      const draws = drawn.values();
      now = apply(now, choice, { at, draw: () => draws.next().value ?? 0 }).world;
    }
    // A message that chance lost or duplicated at sending is lost or duplicated by a separate choice. Copies shift the numbers after them.
    if (lost.some((id) => id >= sentBefore) || doubled.length > 0) return;
    const [ours, theirs] = [worldText(now), worldText(world)];
    if (ours !== theirs) difference = `after ${JSON.stringify(choices(before))} at ${at}: apply gives ${ours}, the run ${theirs}`;
  };
  intercept(simulation, held);
  simulation.start();
  for (let i = 0; i < STEPS_MAX && simulation.advance(); i++);
  simulation.network.stop();
  return { steps, difference };
}

const nextNumber = (world: World): number => Math.max(-1, ...world.flights.all.map(({ id }) => id)) + 1;

type Held = (choices: (before: World) => readonly Choice[], run: () => unknown) => void;

/** Whatever the driver in time asks of its world goes through `held`. */
function intercept({ network, scenario }: Simulation, held: Held): void {
  const { world } = network;
  const { deliver, react, takeTurn, make, issue } = world;
  let inside = false;
  const once = (choices: (before: World) => readonly Choice[], run: () => unknown): boolean => {
    if (inside) return run() as boolean;
    inside = true;
    let result: unknown = true;
    held(choices, () => (result = run()));
    inside = false;
    return result as boolean;
  };
  world.deliver = (packet) =>
    void once(
      () => [{ deliver: packet.id }],
      () => deliver.call(world, packet),
    );
  world.react = (node, reaction) =>
    once(
      (before) =>
        before.pendingOf(node).reactions.includes(reaction) ? [{ command: [node, world.reactions[reaction]!.event.type] }] : [],
      () => react.call(world, node, reaction),
    );
  world.takeTurn = (node) => {
    const head = world.environment.head(node);
    const isDue = head !== undefined && world.accepts(node, head.event);
    return once(
      () => (isDue ? [{ turn: node }] : []),
      () => takeTurn.call(world, node),
    );
  };
  world.issue = (node) =>
    void once(
      () => [{ command: [node, scenario.workload!.command] }],
      () => issue.call(world, node),
    );
  world.make = (choice) =>
    once(
      (before) => ('event' in choice ? eventAsChoices(choice.event, before) : [choice]),
      () => make.call(world, choice),
    );
}

/** The choices that a scripted event consists of: notices of the channels that it changes. Empty if it only delays, or changes nothing. */
function eventAsChoices(place: number, { frame, environment }: World): readonly Choice[] {
  return frame.script.lanesAt(place).flatMap((lane): readonly Choice[] => {
    const entry = environment.next(lane);
    if (entry?.place !== place) return [];
    return [entry.kind === 'channel' ? { notification: [entry.from, entry.to] } : { event: place }];
  });
}

type Shown = Pick<Configuration, 'nodes' | 'flights'>;

/**
 * A state without differences that the protocol declares irrelevant: the roles are canonical, and times are replaced by their order. `latest`
 * is the latest time in the state.
 */
function canonical({ protocol, instance }: WorldFrame, { nodes, flights }: Shown): Shown & { readonly latest: number } {
  const holders = protocol.times?.(instance.options);
  const views = [...nodes].map(([id, view]) => [id, protocol.canonical?.(view) ?? view] as const);
  if (!holders) return { nodes: new Map(views), flights, latest: 0 };
  const found = Array.from({ length: holders.kinds }, () => new Set<number>());
  const note = (time: number, kind: number) => (found[kind]!.add(time), time);
  for (const [, view] of views) holders.node(view, note);
  for (const { message } of flights) holders.message(message, note);
  const inOrder = found.map((times) => [0, ...[...times].filter((time) => time > 0).sort((a, b) => a - b)]);
  const place = (time: number, kind: number) => inOrder[kind]!.indexOf(time);
  return {
    nodes: new Map(views.map(([id, view]) => [id, holders.node(view, place)])),
    flights: flights.map((flight) => ({ ...flight, message: holders.message(flight.message, place) })),
    latest: Math.max(0, ...inOrder.flat()),
  };
}

/** A state as properties see it, as text. Like the search, it ignores senders where they make no difference. */
function textOf(frame: WorldFrame, c: Configuration, hasSenders = frame.protocol.network.reach === 'links'): string {
  const { nodes, flights } = canonical(frame, c);
  const { links, crashed = [] } = c;
  const isFifo = frame.order === 'fifo';
  const ids = [...nodes.keys()];
  const sent = flights.map(({ from, to, message }) => [hasSenders || isFifo ? from : '', to, message] as const);
  const all = sent.map((flight) => JSON.stringify(flight)).sort();
  const inFlight = isLasting(frame) ? [...new Set(all)] : all;
  const queues = isFifo ? ids.flatMap((u) => ids.map((v) => sent.filter(([from, to]) => from === u && to === v))) : [];
  const up = ids.flatMap((u) => ids.filter((v) => u !== v && links.up(u, v)).map((v) => [u, v, links.port(u, v)]));
  return JSON.stringify([[...nodes].map(([id, view]) => [id, sortedRoles(view)]), inFlight, queues, up, crashed.toSorted()]);
}

const sortedRoles = (view: NodeView) => Object.entries(view).sort(([a], [b]) => (a < b ? -1 : 1));

/** True if messages may be duplicated without limit. The search then keeps a delivered message in flight, and counts equal messages once. */
const isLasting = ({ order, budget }: WorldFrame): boolean => order === 'unordered' && budget.duplicate === Infinity;

/** The worlds after a choice, one for each answer to its draws. */
function worldsAfter(world: World, choice: Choice): readonly World[] {
  const at = canonical(world.frame, world.configuration).latest + 1;
  const kept = 'deliver' in choice && isLasting(world.frame) ? apply(world, { duplicate: choice.deliver }).world : world;
  return [...everyDraw((draw) => apply(kept, choice, { at, draw }), 'a choice')].map(({ value }) => value.world);
}

/** The frame of a question: what a world needs to be searched for the same states. */
export function frameOf({ plan, instances: [instance], order }: Question, fused = fusible(plan.script)): WorldFrame {
  return { ...plan, instance, order, fused, measure: createMetric };
}

/**
 * The states after at most `depth` choices of a driver without time that makes each choice that is offered, with every answer to its draws.
 * A corruption at the beginning of the script is not counted as a choice, and only some of its results are drawn.
 */
export function everyState(frame: WorldFrame, depth = Infinity): ReadonlySet<string> {
  const found = new Set<string>();
  const seen = new Set<string>();
  let level: World[] = [];
  const enter = (world: World) => {
    found.add(textOf(frame, world.configuration));
    const pending = [...world.nodes.keys()].map((id) => {
      const { armed, reactions } = world.pendingOf(id);
      return [armed.map(({ role, timer }) => `${role} ${timer}`).sort(), reactions.toSorted()];
    });
    const state = `${textOf(frame, world.configuration, true)} ${JSON.stringify(pending)} ${world.environment.key([...world.nodes.keys()])}`;
    if (!seen.has(state)) level.push(world);
    seen.add(state);
  };
  for (const { value } of everyDraw((draw) => beginWorld(frame, { draw }), 'a start')) enterCorrupted(value.world, enter);
  for (let steps = 0; steps < depth && level.length > 0; steps++) {
    const before = level;
    level = [];
    for (const from of before)
      for (const choice of enabled(from))
        if (!isLasting(frame) || !('drop' in choice || 'duplicate' in choice)) worldsAfter(from, choice).forEach(enter);
  }
  return found;
}

/** The number of results of a corruption that are drawn; all of them are too many. */
const CORRUPTIONS = 200;

/** Makes the corruptions at the beginning of the script, with some of their results. */
function enterCorrupted(world: World, enter: (world: World) => void): void {
  const { script } = world.frame;
  const first = [...enabled(world)].find(
    (choice) => 'event' in choice && script.events[choice.event]!.do === 'corrupt' && script.standsFirst(choice.event),
  );
  if (!first) return enter(world);
  const random = new Random(1, 'corruption');
  for (let i = 0; i < CORRUPTIONS; i++)
    enterCorrupted(apply(world, first, { draw: (bound) => random.below(bound) }).world, enter);
}

/** The states of a search up to the depth that it has searched completely. */
export function searchedStates(question: Question): { readonly states: ReadonlySet<string>; readonly depth: number } {
  const known = nothingKnown();
  let done: ReturnType<typeof attempted>;
  while (!(done = attempted(question, known)));
  const { model, search } = done as unknown as { readonly model: Model; readonly search: Search };
  const frame = frameOf(question);
  const { depth, store } = search;
  const row = new Int32Array(store.longest);
  const depths: number[] = [];
  const states = new Set<string>();
  for (let state = 0; state < store.size; state++) {
    const parent = store.parent(state);
    depths.push(parent === NO_PARENT ? 0 : depths[parent]! + 1);
    if (depths[state]! <= depth) states.add(textOf(frame, model.configuration(row, 0, store.load(state, row))));
  }
  return { states, depth };
}

/** Every sample system of every protocol. */
export const sampleSystems = Object.values(protocols).flatMap((protocol) =>
  systemsOf(protocol).map((system) => ({ name: protocol.name, ...system })),
);

/**
 * Requires that a driver with every choice and the search reach the same states, up to the first depth with at least `least` states. A
 * corruption has too many results for the driver: it draws some, and each must be a first state of the search.
 */
export function expectSameStates(scenario: Scenario, least: number): void {
  const isCorrupt = scenario.events.some((event) => event.do === 'corrupt');
  const question = questionOf(scenario, { properties: [], bounds: isCorrupt ? { depth: 0 } : { states: least } });
  const { states, depth } = searchedStates(question);
  const reached = everyState(frameOf(question), depth);
  expect(states.size).toBeGreaterThan(4);
  expect([...reached].filter((state) => !states.has(state))).toEqual([]);
  if (!isCorrupt) expect(reached).toEqual(states);
}
