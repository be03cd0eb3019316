/**
 * Names in a chart that need an implementation: actions, guards, delays, actors. Only names in its config are known here. A function may
 * use more at run time.
 */
import type { AnyActorLogic, AnyStateMachine } from 'xstate';
import { UsageError } from '../../machines/errors.js';
import { kindOfLogic } from './stage.js';
import { configOf, rulesOf, statesOf } from '../charts/config.js';
import type { MachineTests } from './options.js';
import { fieldsOf } from '../../machines/checks.js';

export interface References {
  readonly actions: ReadonlySet<string>;
  readonly guards: ReadonlySet<string>;
  readonly delays: ReadonlySet<string>;
  /** Sources of invoked and spawned actors. */
  readonly actors: ReadonlySet<string>;
  /** Ids of actors, each with its source or logic. */
  readonly ids: ReadonlyMap<string, unknown>;
  /** Logic in the chart itself, without a source name. */
  readonly inline: ReadonlySet<unknown>;
}

type Implementations = Readonly<Record<'actions' | 'guards' | 'delays' | 'actors', Readonly<Record<string, unknown>>>>;

export const implementationsOf = (machine: AnyStateMachine): Implementations => machine.implementations;

export const isMachine = (value: unknown): value is AnyStateMachine =>
  typeof value === 'object' && value !== null && kindOfLogic(value as AnyActorLogic) === 'machine';

/** Throws a `UsageError` for anything else than a machine. */
export function refuseNoMachine(given: unknown): void {
  if (!isMachine(given))
    throw new UsageError(`Expected a machine, got ${given === null ? 'null' : typeof given}. Pass the result of createMachine.`);
}

export function referencesOf(machine: AnyStateMachine): References {
  const found = new Found();
  const config = configOf(machine);
  for (const { choice } of rulesOf(config)) {
    for (const action of choice.actions ?? []) found.action(action);
    found.guard(choice.guard);
  }
  for (const [, { entry, exit, after, invoke }] of statesOf(config)) {
    for (const action of [...(entry ?? []), ...(exit ?? [])]) found.action(action);
    for (const delay of Object.keys(after ?? {})) if (Number.isNaN(Number(delay))) found.delays.add(delay);
    for (const { id, src } of invoke ?? []) found.actor(src, id);
  }
  const { actions, guards } = implementationsOf(machine);
  for (const action of Object.values(actions)) found.action(action);
  for (const guard of Object.values(guards)) found.guard(guard);
  return found;
}

class Found implements References {
  readonly actions = new Set<string>();
  readonly guards = new Set<string>();
  readonly delays = new Set<string>();
  readonly actors = new Set<string>();
  readonly ids = new Map<string, unknown>();
  readonly inline = new Set<unknown>();

  action(given: unknown): void {
    const name = nameOfAction(given);
    if (name !== undefined) this.actions.add(name);
    // XState's own actions are functions with what they were made of.
    if (typeof given !== 'function') return;
    const { type, delay, src, id } = fieldsOf(given);
    if (typeof delay === 'string') this.delays.add(delay);
    if (type === 'xstate.spawnChild') this.actor(src, id);
  }

  guard(given: unknown): void {
    const name = nameOfAction(given);
    if (name !== undefined) this.guards.add(name);
    else for (const inner of guardsIn(given)) this.guard(inner);
  }

  actor(src: unknown, id: unknown): void {
    if (typeof src === 'string') this.actors.add(src);
    else this.inline.add(src);
    if (typeof id === 'string') this.ids.set(id, src);
  }
}

/** The guards inside `and`, `or` or `not`. */
export function guardsIn(guard: unknown): readonly unknown[] {
  const { guards } = fieldsOf(guard);
  return Array.isArray(guards) ? guards : [];
}

/** The name of an action or guard that is implemented elsewhere; `undefined` for a function in the chart. */
export const nameOfAction = (action: unknown): string | undefined =>
  typeof action === 'string'
    ? action
    : typeof action === 'object' && action !== null
      ? String(fieldsOf(action)['type'])
      : undefined;

/** A machine and all machines that it can start, directly or indirectly, according to their configs. */
export function reachableMachines(
  machine: AnyStateMachine,
  met: ReadonlySet<AnyStateMachine> = new Set(),
): ReadonlySet<AnyStateMachine> {
  let reachable: ReadonlySet<AnyStateMachine> = new Set([...met, machine]);
  for (const logic of [...Object.values(implementationsOf(machine).actors), ...referencesOf(machine).inline])
    if (isMachine(logic) && !reachable.has(logic)) reachable = reachableMachines(logic, reachable);
  return reachable;
}

/**
 * Throws a `UsageError` for a delay or an actor that a chart names without an implementation: XState neither waits for such a delay nor
 * starts such an actor. Samples replace the implementation of an actor. A missing guard breaks the machine at run time, and a missing
 * action is reported as not covered.
 */
export function refuseUnwritten(root: AnyStateMachine, { services = {} }: MachineTests): void {
  for (const machine of reachableMachines(root)) {
    const { delays, actors, ids } = referencesOf(machine);
    const written = implementationsOf(machine);
    const isGiven = (src: string) => src in services || [...ids].some(([id, of]) => of === src && id in services);
    const where = (what: string) =>
      machine === root ? `provide: { ${what} }` : `provide: { actors: { … } } with ${machine.id}.provide({ ${what} }) in it`;
    for (const delay of delays)
      if (!(delay in written.delays))
        throw new UsageError(
          `delay ${delay} of machine ${machine.id} has no implementation, and XState would not wait at all. Add ${where(`delays: { ${delay}: 500 }`)}`,
        );
    for (const src of actors)
      if (!(src in written.actors) && !isGiven(src))
        throw new UsageError(
          `service ${src} of machine ${machine.id} has no implementation. Add its possible results, services: { ${src}: { done: [{ … }], fails: [new Error('…')] } }, or ${where(`actors: { ${src} }`)}`,
        );
  }
}
