/**
 * The private fields of XState that Quiver uses, each behind a function, and a self-check of them when this file is loaded.
 *
 * If XState moves one of them, `missingFieldNames` has its name and one warning reports it. Charts are then stepped by XState's own
 * `transition`, which is slower and gives the same results (kernel.ts). Features without a public replacement throw an error: see
 * `requireInternals`.
 */
import {
  createActor,
  createMachine,
  enqueueActions,
  type ActorOptions,
  type AnyActor,
  type AnyActorRef,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  type EventObject,
} from 'xstate';
import { UsageError } from '../../machines/errors.js';

/** A delayed event that XState has scheduled. */
export interface Scheduled {
  readonly source: AnyActorRef;
  readonly target: AnyActorRef;
  readonly id: string;
  readonly event: EventObject;
  readonly delay: number;
}

/** An action of XState itself, such as `assign`: a function with the fields that it is made of. */
export interface BuiltinAction {
  readonly type: string;
  readonly resolve: Function;
  readonly assignment?: any;
  readonly event?: any;
  readonly delay?: unknown;
  /** Field of `enqueueActions`. */
  readonly collect?: (args: unknown, params: unknown) => void;
}

type Relay = (source: AnyActorRef | undefined, target: AnyActorRef, event: EventObject) => void;
type Listeners = Map<string, Set<(event: never) => void>>;

interface PrivateSystem {
  _relay: Relay;
  _sendInspectionEvent(inspected: unknown): void;
  readonly scheduler: { schedule(source: AnyActorRef, target: AnyActorRef, event: EventObject, delay: number, id: string): void };
  getSnapshot(): { readonly _scheduledEvents: Readonly<Record<string, Scheduled>> };
}

interface PrivateActor {
  eventListeners: Listeners;
  _stop(): void;
}

const systemOf = (actor: AnyActorRef): PrivateSystem => actor.system as unknown as PrivateSystem;
const inside = (actor: AnyActor): PrivateActor => actor as unknown as PrivateActor;

/** The fields of a builtin action; undefined for a function of the application. */
export const builtin = (action: unknown): BuiltinAction | undefined =>
  typeof action === 'function' && 'resolve' in action ? (action as unknown as BuiltinAction) : undefined;

/** The active states of a snapshot, in the order in which XState processes them. */
export const activeNodes = (snapshot: AnyMachineSnapshot): readonly AnyStateNode[] => snapshot._nodes;

/** The same snapshot with its active state nodes in this order. */
export const withNodes = (snapshot: AnyMachineSnapshot, nodes: readonly AnyStateNode[]): AnyMachineSnapshot =>
  ({ ...snapshot, _nodes: nodes }) as AnyMachineSnapshot;

/** The position of a state in its machine's config, which XState calls document order. */
export const orderOf = (node: AnyStateNode): number => node.order;

/** The actor that invoked or spawned this one. */
export const parentOf = (actor: AnyActorRef): AnyActor | undefined => actor._parent as AnyActor | undefined;

/** Sends an event as if from another actor, which inspectors then know of. */
export const relay = (source: AnyActorRef | undefined, target: AnyActorRef, event: EventObject): void =>
  systemOf(target)._relay(source, target, event);

/** Replaces how actors of this system send events to each other; `around` receives XState's own way. */
export function replaceRelay(actor: AnyActorRef, around: (original: Relay) => Relay): void {
  const system = systemOf(actor);
  system._relay = around(system._relay);
}

/** Sends an inspection event to the observers of an actor's system. */
export const reportInspected = (actor: AnyActorRef, inspected: unknown): void => systemOf(actor)._sendInspectionEvent(inspected);

/** A copy of the actor's system that passes inspection events to `report`. */
export const reportingSystem = (actor: AnyActor, report: (inspected: unknown) => void): AnyActor['system'] =>
  Object.assign(Object.create(actor.system), { _sendInspectionEvent: report });

/** The table of listeners for what an actor emits. */
export function replaceListeners(actor: AnyActor, listeners: Listeners): void {
  inside(actor).eventListeners = listeners;
}

/** Ends an actor that has a parent, which `stop()` refuses to do. */
export const stopChild = (actor: AnyActor): void => inside(actor)._stop();

/** The delayed events of all actors of a system. */
export const scheduledEvents = (root: AnyActorRef): readonly Scheduled[] =>
  Object.values(systemOf(root).getSnapshot()._scheduledEvents);

/** Schedules a delayed event as XState does for `after` and `raise`. */
export const schedule = ({ source, target, event, delay, id }: Scheduled): void =>
  systemOf(source).scheduler.schedule(source, target, event, delay, id);

interface Check {
  readonly field: string;
  isAsExpected(create: typeof createActor): boolean;
}

const inert: NonNullable<ActorOptions<AnyStateMachine>['clock']> = { setTimeout: () => null, clearTimeout: () => {} };
const machine = createMachine({
  initial: 'a',
  states: { a: { after: { 1: 'b' } }, b: {} },
  on: { relayed: '.b', started: { actions: enqueueActions(() => {}) } },
});
const started = (create: typeof createActor): AnyActor => create(machine, { clock: inert }).start();

const CHECKS: readonly Check[] = [
  { field: 'action.resolve', isAsExpected: () => typeof builtin(enqueueActions(() => {}))?.resolve === 'function' },
  { field: 'action.collect', isAsExpected: () => typeof builtin(enqueueActions(() => {}))?.collect === 'function' },
  {
    field: 'snapshot._nodes',
    isAsExpected: (create) =>
      activeNodes(create(machine).getSnapshot())
        .map((node) => `${orderOf(node)} ${node.key}`)
        .join() === '0 (machine),1 a',
  },
  {
    field: 'actor._parent',
    isAsExpected: (create) => {
      const parent = started(create);
      return parentOf(create(machine, { parent })) === parent;
    },
  },
  {
    field: 'system._relay',
    isAsExpected: (create) => {
      const actor = started(create);
      let relayed = '';
      replaceRelay(actor, (original) => (source, target, event) => {
        relayed += event.type;
        original.call(actor.system, source, target, event);
      });
      relay(undefined, actor, { type: 'relayed' });
      return relayed === 'relayed' && actor.getSnapshot().matches('b');
    },
  },
  {
    field: 'system._sendInspectionEvent',
    isAsExpected: (create) => {
      let seen = 0;
      const actor = started(create);
      actor.system.inspect(() => seen++);
      reportInspected(actor, { type: '@xstate.event', event: { type: 'x' } });
      return seen === 1;
    },
  },
  { field: 'actor.eventListeners', isAsExpected: (create) => inside(started(create)).eventListeners instanceof Map },
  {
    field: 'actor._stop',
    isAsExpected: (create) => {
      const child: AnyActor = create(machine, { parent: started(create), clock: inert }).start();
      stopChild(child);
      return child.getSnapshot().status === 'stopped';
    },
  },
  {
    field: 'system.scheduler',
    isAsExpected: (create) => {
      const actor = started(create);
      const [first] = scheduledEvents(actor);
      if (first?.delay !== 1 || first.target !== actor) return false;
      schedule({ ...first, delay: 7, id: 'another' });
      return scheduledEvents(actor).some(({ id, delay }) => id === 'another' && delay === 7);
    },
  },
];

/** The private fields of XState's objects that do not have the expected type. */
export function missingFields(create: typeof createActor = createActor): readonly string[] {
  return CHECKS.flatMap(({ field, isAsExpected }) => {
    try {
      return isAsExpected(create) ? [] : [field];
    } catch {
      return [field];
    }
  });
}

/** The private fields that this version of XState lacks; empty for the versions that Quiver is tested with. */
export const missingFieldNames: readonly string[] = /* @__PURE__ */ warned(missingFields());

function warned(fields: readonly string[]): readonly string[] {
  if (fields.length > 0)
    console.warn(
      `xstate-quiver: this version of XState differs inside from 5.33 (${fields.join(', ')}). Charts run more slowly, and some features are refused. Install xstate 5.33.`,
    );
  return fields;
}

/**
 * For what has no public replacement.
 *
 * @throws UsageError if this version of XState lacks a private field.
 */
export function requireInternals(what: string, fields = missingFieldNames): void {
  if (fields.length > 0)
    throw new UsageError(
      `${what} needs XState 5.33, and this version differs inside (${fields.join(', ')}). Install xstate 5.33.`,
    );
}
