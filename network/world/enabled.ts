/**
 * Every choice that can come next in a world, and the world after one: all that a driver needs that is not time itself.
 *
 * `enabled(world)` lists messages that may arrive (only the first of a `fifo` channel) and those that may be lost or duplicated
 * within the budget. It also lists timers, pending reactions, and moves of the environment: entries of the script, commands of
 * the workload, turns.
 *
 *     for (const choice of enabled(world)) const { world: next, happened } = apply(world, choice);
 */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { Choose, Flight } from '../../machines/protocol.js';
import type { Choice } from './choice.js';
import type { Given } from './commands.js';
import type { WorldFrame, EnvironmentMove } from './environment.js';
import { createHost } from './hosts.js';
import type { ChannelChange } from './links.js';
import type { WorldDriver, Lost, Refusal, StepTaken, Witness } from './driver.js';
import { World } from './world.js';

/** Something that happened in a choice: a step, a lost message, a change of a channel. */
export type Happened =
  | { readonly kind: 'step'; readonly step: StepTaken }
  | { readonly kind: 'lost'; readonly lost: Lost }
  | { readonly kind: 'duplicated' | 'placed'; readonly flight: Flight }
  | { readonly kind: 'channel'; readonly change: ChannelChange }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export interface ChoiceResult {
  readonly world: World;
  readonly happened: readonly Happened[];
}

/** Answers to the choices that a world without time leaves open. */
export interface OpenAnswers {
  /** The time, where events carry it. @defaultValue 0 */
  readonly at?: number;
  /** Answers draws. Default: the answers in the choice, then 0. */
  readonly draw?: Choose;
}

/** Creates a world and starts its nodes. */
export function beginWorld(frame: WorldFrame, open: OpenAnswers = {}): ChoiceResult {
  const happened: Happened[] = [];
  const world = new World(frame, createHost('snapshots', frame.protocol), untimed([], open), recordingWitness(happened));
  world.start();
  return { world, happened };
}

/** Returns the world after a choice, and its events. The given world does not change. An impossible choice throws an error. */
export function apply(world: World, choice: Choice, open: OpenAnswers = {}): ChoiceResult {
  const happened: Happened[] = [];
  const host = createHost('snapshots', world.frame.protocol);
  const next = new World(world.frame, host, untimed(choice.drawn ?? [], open), recordingWitness(happened), world);
  if (!next.make(choice))
    throw new UsageError(`Choice ${JSON.stringify(choice)} is not possible here. It belongs to another scenario or version.`);
  return { world: next, happened };
}

export function* enabled(world: World): Generator<Choice> {
  yield* messages(world);
  yield* timers(world);
  yield* reactions(world);
  for (const move of world.environment.moves()) {
    const choice = choiceOf(world, move);
    if (choice) yield choice;
  }
}

function* messages(world: World): Generator<Choice> {
  const { flights, frame, environment } = world;
  for (const packet of flights.all) {
    const isNext = frame.order === 'unordered' || flights.isFirst(packet);
    if (isNext && !world.traffic.isHeldUp(packet)) yield { deliver: packet.id };
    if (environment.loss > 0) yield { drop: packet.id };
    if (environment.duplicate > 0) yield { duplicate: packet.id };
  }
}

function* timers(world: World): Generator<Choice> {
  const { protocol } = world.frame;
  for (const node of world.nodes.keys()) {
    for (const { role, timer } of world.pendingOf(node).armed) {
      if (protocol.mayFire && !protocol.mayFire(world.configuration, node, role, timer)) continue;
      yield { timer: [node, role, timer] };
    }
  }
}

/** Includes crashed nodes: their reaction occurs without effect. */
function* reactions(world: World): Generator<Choice> {
  for (const node of world.nodes.keys()) {
    for (const reaction of new Set(world.pendingOf(node).reactions))
      yield { command: [node, world.reactions[reaction]!.event.type] };
  }
}

/** Returns a move of the environment as a choice, unless it must wait. */
function choiceOf(world: World, move: EnvironmentMove): Choice | undefined {
  const { environment, frame, flights } = world;
  if (move.kind === 'turn') return canTake(world, move.node, environment.head(move.node)!) ? { turn: move.node } : undefined;
  if (move.kind === 'workload') {
    const name = frame.workload!.command;
    return comesNow(world, move.node, environment.given({ name, fields: {} })) ? { command: [move.node, name] } : undefined;
  }
  if (move.kind === 'channel') return { notification: [move.from, move.to] };
  const { entry } = move;
  if (frame.oneByOne && flights.size > 0 && !environment.hasBegun(entry)) return undefined;
  if (entry.kind === 'channel') return { notification: [entry.from, entry.to] };
  if (entry.kind === 'command' && !comesNow(world, entry.event.node, environment.given(entry.event))) return undefined;
  return { event: entry.place };
}

/** True if the chart takes a command with its turn, when both are fused. */
const comesNow = (world: World, node: NodeId, command: Given): boolean =>
  !world.frame.fused.turns(node) || canTake(world, node, command);

const canTake = (world: World, node: NodeId, { waits, event }: Given): boolean => !waits || world.accepts(node, event);

/** A driver without time: every message stays in flight until a choice delivers or loses it. */
export function untimed(drawn: readonly number[], { at = 0, draw }: OpenAnswers = {}): WorldDriver {
  let answered = 0;
  const byChoice: Choose = (bound) => {
    const value = drawn[answered++] ?? 0;
    if (value >= bound)
      throw new UsageError(`Random number ${answered} of the choice must be below ${bound}, but is ${value}. Correct "drawn".`);
    return value;
  };
  const answer = draw ?? byChoice;
  const nothing = () => {};
  return {
    now: () => at,
    draw: answer,
    fate: () => 'kept',
    corrupt: answer,
    launched: nothing,
    landed: nothing,
    emptied: nothing,
    armed: nothing,
    disarmed: nothing,
    left: () => 0,
    reactionPending: nothing,
    turn: nothing,
    done: nothing,
    released: nothing,
    slow: nothing,
    returning: nothing,
  };
}

/** Creates a witness that appends everything to a list. */
export const recordingWitness = (happened: Happened[]): Witness => ({
  started: () => {},
  step: (step) => happened.push({ kind: 'step', step }),
  lost: (lost) => happened.push({ kind: 'lost', lost }),
  duplicated: (flight) => happened.push({ kind: 'duplicated', flight }),
  placed: (flight) => happened.push({ kind: 'placed', flight }),
  channel: (change) => happened.push({ kind: 'channel', change }),
  refused: (refusal) => happened.push({ kind: 'refused', refusal }),
});
