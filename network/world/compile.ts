/** `compile`: the step kernel for any pure machine, with the interface of XState's `initialTransition` and `transition`. */
import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode, EventFromLogic, InputFrom, SnapshotFrom } from 'xstate';
import { UsageError } from '../../machines/errors.js';
import { EMIT, interpreter, isObserved, RAISE, type Collector } from './kernel.js';
import { memoryOf, Snapshot, type BranchPlace } from './remembering.js';
import { fieldsOf } from '../../machines/checks.js';

/**
 * An action that a step requests. The caller decides whether to execute it.
 *
 * @public
 */
export interface AskedAction {
  /** Name of the action; `xstate.emit` for an emitted event. */
  readonly type: string;
  /** Parameters of the action; `{ event }` for an emitted event. */
  readonly params: unknown;
}

/**
 * Functions that compute the steps of a compiled machine, without actors and side effects.
 *
 * @public
 */
export interface Compiled<M extends AnyStateMachine> {
  /**
   * Returns the first snapshot, and the actions of its entry.
   *
   * @throws errors of the machine's own functions.
   */
  initialTransition(input?: InputFrom<M>): readonly [SnapshotFrom<M>, readonly AskedAction[]];
  /**
   * Returns the next snapshot, and the actions in order.
   *
   * @throws errors of the machine's own functions.
   */
  transition(snapshot: SnapshotFrom<M>, event: EventFromLogic<M>): readonly [SnapshotFrom<M>, readonly AskedAction[]];
}

class Asked implements Collector {
  readonly actions: AskedAction[] = [];

  add(type: string, params: any): void {
    if (type === RAISE && params.delay === undefined) return;
    if (type.startsWith('xstate.') && type !== EMIT) {
      throw new UsageError(`A compiled machine used "${type}", but may only assign, raise, emit and name actions. ${FIX}`);
    }
    this.actions.push({ type, params });
  }
}

const FIX = 'Run it as an actor instead.';
const newAsked = (): Asked => new Asked();

/** Key of the cached data of a snapshot's state. */
const PLACE = Symbol('place');
type Marked = AnyMachineSnapshot & { readonly [PLACE]?: BranchPlace };

/**
 * Compiles a pure machine: XState takes the first step along each path, and later steps repeat it from memory. Results equal those of
 * XState's `transition(machine, snapshot, event)`, including snapshots, several times as fast.
 *
 * A pure machine only assigns context, raises and emits events and names actions. Its functions depend only on context and event. Regions
 * of a parallel state are taken in the order of the document, unlike in XState, which takes them in the order of their last entry
 * (docs/compile.md). Compilation pays off after about fifty steps.
 *
 * @param machine the result of `createMachine` or `setup().createMachine`.
 * @returns functions with the results of XState's `initialTransition` and `transition`.
 * @throws UsageError for a machine that invokes actors or uses delays
 * @example
 * ```ts
 * import { createMachine } from 'xstate';
 * import { compile } from 'xstate-quiver';
 *
 * const { initialTransition, transition } = compile(
 *   createMachine({ initial: 'off', states: { off: { on: { press: { target: 'on', actions: 'light' } } }, on: {} } }),
 * );
 * const [off] = initialTransition(undefined);
 * const [on, actions] = transition(off, { type: 'press' });
 * console.log(on.value, actions.map(({ type }) => type)); // on [ 'light' ]
 * ```
 * @experimental
 */
export function compile<M extends AnyStateMachine>(machine: M): Compiled<M> {
  if (fieldsOf(machine)['root'] === undefined) throw new UsageError('compile needs a machine. Pass the result of createMachine.');
  refuseImpure(machine.id, machine.root);
  const memory = memoryOf(machine);
  const marked = (snapshot: AnyMachineSnapshot) => {
    const place = memory.placeOf(snapshot);
    return (place ? { ...snapshot, [PLACE]: place } : snapshot) as SnapshotFrom<M>;
  };
  return {
    initialTransition(input) {
      const asked = newAsked();
      const snapshot = interpreter.begin(machine, input, asked);
      return [marked(snapshot), asked.actions];
    },
    transition(from, event) {
      const snapshot = from as Marked;
      const place = isObserved() ? undefined : (snapshot[PLACE] ?? memory.placeOf(snapshot));
      const before = place && new Snapshot(place, snapshot.context);
      const advanced = before && memory.step(before, event, newAsked);
      if (advanced) {
        const { snapshot: next, asked } = advanced;
        if (next === before) return [from, asked.actions];
        return [{ ...next.place.real, context: next.context, [PLACE]: next.place } as SnapshotFrom<M>, asked.actions];
      }
      const asked = newAsked();
      const next = interpreter.step(machine, snapshot, event, asked);
      return [next === snapshot ? from : marked(next), asked.actions];
    },
  };
}

function refuseImpure(id: string, node: AnyStateNode): void {
  const where = node.path.length === 0 ? `machine "${id}"` : `state "${node.path.join('.')}" of machine "${id}"`;
  if (node.invoke.length > 0) throw new UsageError(`${where} invokes an actor, but only a pure machine can be compiled. ${FIX}`);
  if (node.after.length > 0) throw new UsageError(`${where} uses a delay, but only a pure machine can be compiled. ${FIX}`);
  for (const inner of Object.values(node.states)) refuseImpure(id, inner);
}
