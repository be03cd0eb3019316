/**
 * Actors that run although the machine has lost them. They are no longer children of their parent, or no longer in the context that once
 * referred to them, and no action that names a child by its id reaches them.
 */
import type { AnyActor, AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { configOf, rulesOf, statesOf } from '../charts/config.js';
import { encode } from './encode.js';
import { actorsBelow, baseName } from './names.js';
import { implementationsOf, nameOfAction } from './references.js';
import type { Rig } from './rig.js';
import { parentOf } from '../../network/world/internals.js';
import { isRunning, kindOfLogic } from './stage.js';

/** Properties of XState's own actions that functions of an application do not have. */
interface Builtin {
  readonly type?: string;
  readonly actorRef?: unknown;
  readonly to?: unknown;
  readonly collect?: unknown;
}

/** The names of the actors that are lost where the machine stands. */
export function lostActors({ root, snapshot, made, referred }: Rig): readonly string[] {
  const names = actorsBelow(root);
  const now = new Set<unknown>();
  encode(snapshot.context, (value) => (names.has(value as AnyActor) ? String(now.add(value).size) : undefined));
  for (const actor of now) referred.add(actor as AnyActor);
  const isDropped = (actor: AnyActor) => referred.has(actor) && !now.has(actor) && !canReach(actor);
  return made
    .filter((actor) => isRunning(actor) && (!names.has(actor) || isDropped(actor)))
    .map((actor) => names.get(actor) ?? baseName(actor));
}

/** True if an action of its parent names an actor by its id, to stop it or to send it an event. */
function canReach(actor: AnyActor): boolean {
  const parent = parentOf(actor);
  const machine = (parent?.getSnapshot() as Partial<AnyMachineSnapshot> | undefined)?.machine;
  if (!parent || !machine) return false;
  const kind = kindOfLogic(actor.logic);
  // Promises and observables take no events, so that sending them one ends nothing.
  const listens = kind === 'machine' || kind === 'callback';
  return actionsOf(machine).some((action) => {
    const { type, actorRef, to } = action as Builtin;
    if (type === 'xstate.stopChild') return names(actorRef, actor, parent);
    if (type === 'xstate.sendTo') return listens && names(to, actor, parent);
    const text = textOf(action);
    return text !== undefined && mentions(text, actor.id);
  });
}

/** The actions of a chart: inline ones, the implementations of named ones, and those that its functions name. */
function actionsOf(machine: AnyStateMachine): readonly unknown[] {
  const config = configOf(machine);
  const written = implementationsOf(machine).actions;
  const lists = [...rulesOf(config)].map(({ choice }) => choice.actions ?? []);
  for (const [, { entry, exit }] of statesOf(config)) lists.push(entry ?? [], exit ?? []);
  const used = lists.flat().map((action) => written[nameOfAction(action) ?? ''] ?? action);
  const texts = used.flatMap((action) => textOf(action) ?? []);
  const named = Object.keys(written).filter((name) => texts.some((text) => isQuoted(text, name)));
  return [...used, ...named.map((name) => written[name])];
}

/** The text of an action that is a function of the application. */
function textOf(action: unknown): string | undefined {
  const { type, collect } = (action ?? {}) as Builtin;
  const does = collect ?? (type?.startsWith('xstate.') ? undefined : action);
  return typeof does === 'function' ? Function.prototype.toString.call(does) : undefined;
}

const isQuoted = (text: string, name: string): boolean => ["'", '"', '`'].some((mark) => text.includes(mark + name + mark));

/** True if the target of an action is this actor, as far as it is known before the event. */
function names(target: unknown, actor: AnyActor, parent: AnyActor): boolean {
  if (typeof target !== 'function') return target === actor.id || target === actor;
  const { context } = parent.getSnapshot() as AnyMachineSnapshot;
  const text = Function.prototype.toString.call(target);
  if (/\bevent\b/.test(text))
    return !/\bcontext\b/.test(text) || encode(context, () => undefined).includes(JSON.stringify(actor.id));
  try {
    const found: unknown = target({ context, event: { type: '' }, self: parent, system: parent.system });
    return found === actor || found === actor.id;
  } catch {
    return false;
  }
}

/** True if a text stops an actor of this id, sends to it or removes it from `children`. */
function mentions(text: string, id: string): boolean {
  const plain = id.replaceAll(/[.+?^${}()|[\]\\*]/g, String.raw`\$&`);
  const quoted = `(['"\`])${plain}\\1`;
  return new RegExp(
    `(?:stopChild|sendTo|forwardTo|get)\\(\\s*${quoted}|children(?:\\.${plain}\\b|\\[${quoted.replace('1', '2')}])`,
  ).test(text);
}
