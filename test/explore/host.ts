/**
 * The snapshot host as the search uses it: roles are put back into the same few states again and again.
 *
 * A snapshot never changes, so one that was made for a view serves whenever that view is put back, and what the first event after
 * that did is remembered until another comes: branching over draws runs one step once for every way in which they can fall.
 */
import type { AnyMachineSnapshot } from 'xstate';
import type { Effect, Message } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';
import type { RoleView, Wiring } from '../../machines/protocol.js';
import type { Charts, Host, Hosted, Role } from '../../network/world/hosts.js';
import { takesEvent, begin, restore, macrostep, type Stepped } from '../../network/world/remembering.js';

export class SearchHost implements Host {
  private readonly restored = new WeakMap<RoleView, AnyMachineSnapshot>();
  private first: { readonly snapshot: AnyMachineSnapshot; readonly event: Message; readonly stepped: Stepped } | undefined;

  readonly wiring: Wiring | undefined;
  private readonly charts: Charts;

  constructor({ charts, wiring }: Hosted) {
    this.charts = charts;
    this.wiring = wiring;
  }

  start(chart: string, input: unknown) {
    const machine = this.charts[chart];
    if (!machine) throw new ProtocolError(`there is no chart "${chart}"; the charts are ${Object.keys(this.charts).join(', ')}`);
    const { snapshot, effects } = begin(machine, input);
    return { role: new SearchRole(chart, snapshot, macrostep), effects };
  }

  restore(view: RoleView): Role {
    const { chart, value, context } = view;
    let snapshot = this.restored.get(view);
    if (!snapshot) {
      snapshot = restore(this.charts[chart]!, value, context);
      this.restored.set(view, snapshot);
    }
    return new SearchRole(chart, snapshot, this.firstStep);
  }

  /** Forgets the last step: the next one runs the chart again, whatever it is. */
  forget(): void {
    this.first = undefined;
  }

  private readonly firstStep: typeof macrostep = (machine, snapshot, event) => {
    if (this.first?.snapshot !== snapshot || this.first.event !== event) {
      this.first = { snapshot, event, stepped: macrostep(machine, snapshot, event) };
    }
    return this.first.stepped;
  };
}

class SearchRole implements Role {
  constructor(
    readonly chart: string,
    private snapshot: AnyMachineSnapshot,
    /** How the next event is taken. */
    private next: typeof macrostep,
  ) {}

  send(event: Message): readonly Effect[] {
    const { snapshot, effects } = this.next(this.snapshot.machine, this.snapshot, event);
    this.snapshot = snapshot;
    this.next = macrostep;
    return effects;
  }

  accepts(event: Message): boolean {
    return takesEvent(this.snapshot.machine, this.snapshot, event);
  }

  view(): RoleView {
    return { chart: this.chart, value: this.snapshot.value, context: this.snapshot.context };
  }

  stop(): void {}
}
