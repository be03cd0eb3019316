/**
 * What a search remembers of the roles that it puts back, into the same few states again and again.
 *
 * A snapshot never changes, so one that was made for a view serves whenever that view is put back, and the last step that was taken
 * from such a one is remembered: branching over draws runs one step once for every way in which they can fall.
 */
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { Message } from '../../machines/effects.js';
import type { RoleView } from '../../machines/protocol.js';
import type { Steps } from '../../network/world/hosts.js';
import { macrostep, restore, type Stepped } from '../../network/world/remembering.js';

export class Restored implements Steps {
  private readonly snapshots = new WeakMap<RoleView, AnyMachineSnapshot>();
  private readonly all = new WeakSet<AnyMachineSnapshot>();
  private last: { readonly snapshot: AnyMachineSnapshot; readonly event: Message; readonly stepped: Stepped } | undefined;

  restore(machine: AnyStateMachine, view: RoleView): AnyMachineSnapshot {
    let snapshot = this.snapshots.get(view);
    if (!snapshot) {
      snapshot = restore(machine, view);
      this.snapshots.set(view, snapshot);
      this.all.add(snapshot);
    }
    return snapshot;
  }

  macrostep(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: Message): Stepped {
    if (this.last?.snapshot === snapshot && this.last.event === event) return this.last.stepped;
    const stepped = macrostep(machine, snapshot, event);
    if (this.all.has(snapshot)) this.last = { snapshot, event, stepped };
    return stepped;
  }

  /** Forgets the last step: the next one runs the chart again, whatever it is. */
  forget(): void {
    this.last = undefined;
  }
}
