/** A run in time held against the world without time: every step that the clock makes is a choice that is offered, and leads where `apply` does. */
import fc from 'fast-check';
import { UsageError } from '../machines/errors.js';
import { protocols } from '../machines/index.js';
import { parseScenario } from '../network/scenario/parse.js';
import { Simulation } from '../network/simulation.js';
import type { Scenario } from '../network/scenario/types.js';
import type { Configuration, NodeView, Protocol } from '../machines/protocol.js';
import type { Choice } from '../network/world/choice.js';
import { apply, beginWorld, enabled, recordingWitness, untimed } from '../network/world/enabled.js';
import { createHost } from '../network/world/hosts.js';
import type { WorldFrame } from '../network/world/environment.js';
import { World } from '../network/world/world.js';
import { everyDraw } from './explore/draws.js';
import { attempted, type Question } from './explore/examine.js';
import { nothingKnown } from './explore/restart.js';
import type { Model } from './explore/model.js';
import type { Search } from './explore/search.js';
import { scenarioOf } from './swarm/scenario.js';
import { scenarioShapes, soundSystems } from './swarm/shape.js';

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

/** A state as properties see it, as text. Like the search, it ignores senders where they make no difference. */
function textOf({ nodes, flights, links, crashed = [] }: Configuration, order: 'fifo' | 'unordered', isRouted: boolean): string {
  const ids = [...nodes.keys()];
  const sent = flights.map(({ from, to, message }) => [isRouted && order === 'unordered' ? '' : from, to, message] as const);
  const inFlight = sent.map((flight) => JSON.stringify(flight)).sort();
  const queues = order === 'fifo' ? ids.flatMap((u) => ids.map((v) => sent.filter(([from, to]) => from === u && to === v))) : [];
  const up = ids.flatMap((u) => ids.filter((v) => u !== v && links.up(u, v)).map((v) => [u, v, links.port(u, v)]));
  return JSON.stringify([[...nodes].map(([id, view]) => [id, sortedRoles(view)]), inFlight, queues, up, crashed.toSorted()]);
}

const sortedRoles = (view: NodeView) => Object.entries(view).sort(([a], [b]) => (a < b ? -1 : 1));

/** Every state that a driver without time comes to by making each choice that is offered, with every answer to its draws. */
export function everyState(frame: WorldFrame): ReadonlySet<string> {
  const isRouted = frame.protocol.network.reach === 'routed';
  const found = new Set<string>();
  const seen = new Set<string>();
  const waiting: World[] = [];
  const enter = (world: World) => {
    found.add(textOf(world.configuration, frame.order, isRouted));
    const state = `${textOf(world.configuration, frame.order, false)} ${worldText(world)}`;
    if (!seen.has(state)) waiting.push(world);
    seen.add(state);
  };
  for (const { value } of everyDraw((draw) => beginWorld(frame, { draw }), 'a start')) enter(value.world);
  for (let world = waiting.pop(); world; world = waiting.pop()) {
    const from = world;
    for (const choice of enabled(from))
      for (const { value } of everyDraw((draw) => apply(from, choice, { draw }), 'a choice')) enter(value.world);
  }
  return found;
}

/** Every state that the search comes to. */
export function searchedStates(question: Question): ReadonlySet<string> {
  const known = nothingKnown();
  let done: ReturnType<typeof attempted>;
  while (!(done = attempted(question, known)));
  const { model, search } = done as unknown as { readonly model: Model; readonly search: Search };
  const isRouted = question.protocol.network.reach === 'routed';
  const row = new Int32Array(search.store.longest);
  return new Set(
    Array.from({ length: search.store.size }, (_, state) => {
      const length = search.store.load(state, row);
      return textOf(model.configuration(row, 0, length), question.order, isRouted);
    }),
  );
}
