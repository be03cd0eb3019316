/**
 * Suspicious observations in a single step. An event for a child has no transition for it now. A result that a state requested (of a
 * spawned promise or a delayed event) comes after this state was left.
 */
import type { AnyActor, AnyMachineSnapshot, AnyStateNode } from 'xstate';
import type { Message } from '../../machines/effects.js';
import { descriptorsOf } from '../../network/world/kernel.js';
import { answers } from '../../network/world/selections.js';
import { baseName } from './names.js';
import { implementationsOf, nameOfAction } from './references.js';
import { isInvented } from './samples.js';
import { parentOf } from '../../network/world/internals.js';
import type { Timer } from './timers.js';
import { fieldsOf } from '../../machines/checks.js';

export interface Remark {
  readonly kind: 'dropped event' | 'late result' | 'late event';
  readonly chart: string;
  readonly of: string;
  readonly description: string;
  readonly isFailure: boolean;
}

const isChart = (snapshot: unknown): snapshot is AnyMachineSnapshot => fieldsOf(snapshot)['_nodes'] !== undefined;

/**
 * An event that a child machine received from another actor and has no transition for. `null` if there is none.
 *
 * @param sent the event from outside that the present step has sent.
 */
export function dropped(
  event: Message,
  child: AnyActor,
  source: AnyActor | undefined,
  chart: string | undefined,
  sent: string | undefined,
): Remark | null {
  if (chart === undefined || source === undefined || source === child) return null;
  const snapshot: unknown = child.getSnapshot();
  const name = baseName(child);
  if (!isChart(snapshot) || event.type.startsWith('xstate.')) return null;
  const { type } = event;
  const of = `${type} of ${name}`;
  if (snapshot.status !== 'active')
    return { kind: 'dropped event', chart, of, description: `${type} is sent to ${name}, which has ended`, isFailure: false };
  if (descriptorsOf(snapshot).some((descriptor) => answers(descriptor, type))) return null;
  const isKnown = nodesOf(snapshot.machine.root).some((node) => [...node.transitions.keys()].some((one) => answers(one, type)));
  const where = isKnown
    ? `has no transition for it in ${JSON.stringify(snapshot.value)}. Take it there, or ignore it explicitly: ${JSON.stringify(type)}: {}`
    : 'has no transition for it in any state';
  const isPassedOn = type === sent && isTakenByWildcard(source, type);
  if (isPassedOn && isInvented(type)) return null;
  const isFailure = !isKnown && !isPassedOn;
  return { kind: 'dropped event', chart, of, description: `${type} is sent to ${name}, which ${where}`, isFailure };
}

/** True if a chart takes an event only by a wildcard: an event that it passes on may then be for another actor. */
function isTakenByWildcard(actor: AnyActor, type: string): boolean {
  const snapshot: unknown = actor.getSnapshot();
  return isChart(snapshot) && !descriptorsOf(snapshot).includes(type);
}

const nodesOf = (node: AnyStateNode): readonly AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodesOf)];

/** The states that requested the results of services, until these states are left. */
export class Askers {
  private readonly askers: Map<object, ReadonlySet<AnyStateNode>>;

  constructor(from?: Askers) {
    this.askers = new Map(from?.askers);
  }

  /**
   * Records after each step which states requested what it has spawned and armed. These are the entered states with an entry action that does
   * this, otherwise the innermost entered states, and if no state was entered, the states whose transitions were taken. A state that was left
   * no longer counts, also when it is entered again.
   *
   * @param sources the ids of the states whose transitions were taken.
   */
  note(
    root: AnyActor,
    before: readonly AnyStateNode[],
    things: readonly (AnyActor | Timer)[],
    sources: ReadonlySet<string>,
  ): void {
    const now = (root.getSnapshot() as AnyMachineSnapshot)._nodes;
    for (const [thing, nodes] of this.askers) this.askers.set(thing, new Set([...nodes].filter((node) => now.includes(node))));
    const entered = now.filter((node) => !before.includes(node));
    for (const thing of things) {
      if (!isAskedFor(thing, root, now)) continue;
      const groups = [
        entered.filter((node) => node.entry.some((action) => canAsk(action, thing, node))),
        entered.filter(isLeaf),
        now.filter(({ id }) => sources.has(id)),
        now.filter(isLeaf),
      ];
      this.askers.set(thing, new Set(groups.find(({ length }) => length > 0)));
    }
  }

  /** True if all states that requested this were left. */
  isLate(thing: AnyActor | Timer): boolean {
    return this.askers.get(thing)?.size === 0;
  }

  /** The remark about an event of this actor or timer that comes after all states that requested it were left. */
  late(thing: AnyActor | Timer | undefined, root: AnyActor, chart: string): Remark | null {
    if (!thing || !this.isLate(thing)) return null;
    const { value }: AnyMachineSnapshot = root.getSnapshot();
    const where = `comes in ${JSON.stringify(value)}, after the state that asked for it was left`;
    if (!('scheduled' in thing)) {
      const of = baseName(thing);
      const description = `the result of ${of} ${where}. Invoke it in that state, or stop it on the way out`;
      return { kind: 'late result', chart, of, description, isFailure: false };
    }
    const of = thing.scheduled!.event.type;
    return {
      kind: 'late event',
      chart,
      of,
      description: `the delayed ${of} ${where}. Cancel it on the way out`,
      isFailure: false,
    };
  }
}

/** A promise that was spawned, not invoked, or a delayed event of the chart's own that is not one of `after`. */
function isAskedFor(thing: AnyActor | Timer, root: AnyActor, now: readonly AnyStateNode[]): boolean {
  if ('scheduled' in thing) return thing.scheduled?.target === root && !thing.scheduled.event.type.startsWith('xstate.');
  return parentOf(thing) === root && !now.some(({ invoke }) => invoke.some(({ id }) => id === thing.id));
}

const isLeaf = ({ type }: AnyStateNode): boolean => type === 'atomic' || type === 'final';

/** True if an entry action may have spawned this actor or armed this timer, according to its definition. */
function canAsk(given: unknown, thing: AnyActor | Timer, { machine }: AnyStateNode): boolean {
  const action = implementationsOf(machine).actions[nameOfAction(given) ?? ''] ?? given;
  const { type, event, id, collect, assignment } = fieldsOf(action);
  const text = [collect, ...Object.values({ assignment, ...fieldsOf(assignment) })].map(String).join(' ');
  if (!('scheduled' in thing))
    return type === 'xstate.spawnChild' ? typeof id !== 'string' || id === thing.id : /\bspawn/.test(text);
  if (type !== 'xstate.raise' && type !== 'xstate.sendTo') return /\braise\b|\bsendTo\b/.test(text);
  return typeof event === 'function' || fieldsOf(event)['type'] === thing.scheduled?.event.type;
}
