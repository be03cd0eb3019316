/**
 * Determines the external events of a machine: those with transitions, except events that the machine, its child machines or its services
 * send to it.
 *
 * An event that a machine sends to a child does not count for the machine itself, and an event that it passes on under the same name comes
 * from elsewhere.
 */
import type { AnyActor, AnyMachineSnapshot, AnyStateMachine, AnyTransitionDefinition } from 'xstate';
import { descriptorsOf } from '../../network/world/kernel.js';
import { configOf, isExternalEvent, rulesOf, statesOf } from '../charts/config.js';
import type { MachineTests } from './options.js';
import { reachableMachines, implementationsOf, nameOfAction, referencesOf } from './references.js';
import { fieldsOf } from '../../machines/checks.js';

interface Sent {
  readonly type: string;
  readonly to: 'self' | 'parent' | 'another' | 'unknown';
  /** The event at which it is sent; absent at an entry or an exit. */
  readonly at?: string;
}

/** An event descriptor of XState: a type, `*`, or `a.*`. */
export const matchesDescriptor = (type: string, descriptor: string): boolean =>
  descriptor === type || descriptor === '*' || (descriptor.endsWith('.*') && `${type}.`.startsWith(descriptor.slice(0, -1)));

/** Event types that a machine receives from itself, its child machines or its services, and not from the world outside. */
export function sentWithin(machine: AnyStateMachine, { services = {}, events = {} }: MachineTests = {}): ReadonlySet<string> {
  const types = new Set<string>();
  const family = reachableMachines(machine);
  for (const chart of family)
    for (const { type, to, at } of sentBy(chart)) {
      const reaches = chart === machine ? to === 'self' : to === 'parent' || to === 'unknown';
      if (reaches && !(at !== undefined && matchesDescriptor(type, at))) types.add(type);
    }
  for (const [name, samples] of Object.entries(services))
    if (typeof samples === 'object' && Array.isArray(samples.sends) && isServiceOf(machine, name, family))
      for (const sent of samples.sends) types.add(String(fieldsOf(sent)['type']));
  for (const named of Object.keys(events)) types.delete(named);
  return types;
}

/** True if a service sends to this machine, and not to one of its child machines. */
function isServiceOf(machine: AnyStateMachine, name: string, family: ReadonlySet<AnyStateMachine>): boolean {
  const uses = (chart: AnyStateMachine) => {
    const { actors, ids } = referencesOf(chart);
    return actors.has(name) || ids.has(name);
  };
  return uses(machine) || ![...family].some(uses);
}

/** The events of a fixed type that the actions of a chart send. */
function sentBy(machine: AnyStateMachine): readonly Sent[] {
  const config = configOf(machine);
  const written = implementationsOf(machine).actions;
  const used = new Set<unknown>();
  const sent: Sent[] = [];
  const look = (given: unknown, at?: string): void => {
    const action = written[nameOfAction(given) ?? ''] ?? given;
    used.add(action);
    const { type, event, to } = fieldsOf(action);
    const { type: sentType } = fieldsOf(event);
    if ((type === 'xstate.raise' || type === 'xstate.sendTo') && typeof sentType === 'string')
      sent.push({ type: sentType, to: type === 'xstate.raise' ? 'self' : receiverOf(to), ...(at !== undefined && { at }) });
  };
  for (const { event, choice } of rulesOf(config)) for (const action of choice.actions ?? []) look(action, event);
  for (const [, { entry = [], exit = [] }] of statesOf(config)) for (const action of [...entry, ...exit]) look(action);
  // Actions that only functions request.
  for (const action of Object.values(written)) if (!used.has(action)) look(action);
  return sent;
}

/** The receiver according to the chart: a string is the id of a child, except for two of XState's own. */
function receiverOf(to: unknown): Sent['to'] {
  if (to === '#_parent') return 'parent';
  if (to === '#_internal') return 'self';
  if (typeof to !== 'function') return 'another';
  const text = Function.prototype.toString.call(to);
  if (/_?parent/i.test(text)) return 'parent';
  if (/\bself\b/.test(text)) return /children|system|context/.test(text) ? 'another' : 'self';
  return 'unknown';
}

/** The event types that child machines now listen to, where a transition for this descriptor passes events on to them. */
export function eventsPassedOn(snapshot: AnyMachineSnapshot, descriptor: string): readonly string[] {
  const choices = snapshot._nodes.flatMap((node) => node.transitions.get(descriptor) ?? []);
  if (!choices.some((choice) => passesOn(choice, snapshot.machine))) return [];
  const children: readonly (AnyActor | undefined)[] = Object.values(snapshot.children);
  const types = children.flatMap((child) => {
    const inner: Partial<AnyMachineSnapshot> | undefined = child?.getSnapshot();
    return inner?._nodes && inner.status === 'active' ? receivedBy(inner as AnyMachineSnapshot) : [];
  });
  return types.filter((type) => matchesDescriptor(type, descriptor));
}

function receivedBy(snapshot: AnyMachineSnapshot): readonly string[] {
  const within = sentWithin(snapshot.machine);
  return descriptorsOf(snapshot)
    .filter((one) => isExternalEvent(one) && !within.has(one))
    .flatMap((one) => (one.endsWith('*') ? eventsPassedOn(snapshot, one) : [one]));
}

/** True if a transition sends the event that it takes. */
function passesOn({ actions }: AnyTransitionDefinition, machine: AnyStateMachine): boolean {
  return actions.some((given: unknown) => {
    const action = implementationsOf(machine).actions[nameOfAction(given) ?? ''] ?? given;
    const { type, event, collect } = fieldsOf(action);
    if (type === 'xstate.sendTo') return typeof event === 'function';
    return (
      typeof action === 'function' &&
      /\bsendTo\b|\bforwardTo\b|\.send\b/.test(Function.prototype.toString.call(collect ?? action))
    );
  });
}
