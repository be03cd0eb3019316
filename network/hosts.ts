/**
 * The two ways in which a role of a node can run: as a live XState actor, or as a bare snapshot on the kernel.
 *
 * Both give the same effects for the same events (a differential test proves it). Live actors are what an application composes and
 * inspects; snapshots take a third of the memory and are what size and speed ask for.
 */
import { createActor, createMachine, type AnyActor, type AnyMachineSnapshot, type AnyStateMachine } from 'xstate';
import type { Effect, Message } from '../machines/effects.js';
import type { RoleView } from '../machines/protocol.js';
import { accepts, begin, createLive, provideEffects, restore, step, type Outbox } from './kernel.js';

export type HostKind = 'actors' | 'snapshots';

/** One running chart of one node. */
export interface Role {
  readonly chart: string;
  /** Effects of the step just taken; the caller performs them before it sends the next event. */
  send(event: Message): readonly Effect[];
  accepts(event: Message): boolean;
  view(): RoleView;
  stop(): void;
}

export interface Host {
  start(chart: string, input: unknown): { role: Role; effects: readonly Effect[] };
  /** A role in a given state, no entry action run again. */
  restore(view: RoleView): Role;
}

export type Charts = Readonly<Record<string, AnyStateMachine>>;

export const createHost = (kind: HostKind, charts: Charts): Host =>
  kind === 'actors' ? new ActorHost(charts) : new SnapshotHost(charts);

class SnapshotRole implements Role {
  constructor(
    readonly chart: string,
    private readonly machine: AnyStateMachine,
    private snapshot: AnyMachineSnapshot,
  ) {}

  send(event: Message): readonly Effect[] {
    const next = step(this.machine, this.snapshot, event);
    this.snapshot = next.snapshot;
    return next.effects;
  }

  accepts(event: Message): boolean {
    return accepts(this.machine, this.snapshot, event);
  }

  view(): RoleView {
    return { chart: this.chart, value: this.snapshot.value, context: this.snapshot.context };
  }

  stop(): void {}
}

class SnapshotHost implements Host {
  constructor(private readonly charts: Charts) {}

  start(chart: string, input: unknown) {
    const machine = this.charts[chart]!;
    const { snapshot, effects } = begin(machine, input);
    return { role: new SnapshotRole(chart, machine, snapshot), effects };
  }

  restore(view: RoleView): Role {
    const machine = this.charts[view.chart]!;
    return new SnapshotRole(view.chart, machine, restore(machine, view.value, view.context));
  }
}

class ActorRole implements Role {
  constructor(
    readonly chart: string,
    private readonly machine: AnyStateMachine,
    readonly actor: AnyActor,
    private readonly outbox: Outbox,
  ) {}

  send(event: Message): readonly Effect[] {
    const { outbox } = this;
    outbox.effects = [];
    this.actor.send(event);
    const snapshot = this.actor.getSnapshot() as AnyMachineSnapshot;
    if (snapshot.status === 'error') throw snapshot.error;
    return outbox.effects;
  }

  accepts(event: Message): boolean {
    return accepts(this.machine, this.actor.getSnapshot() as AnyMachineSnapshot, event);
  }

  view(): RoleView {
    const { value, context } = this.actor.getSnapshot() as AnyMachineSnapshot;
    return { chart: this.chart, value, context };
  }

  stop(): void {
    (this.actor as unknown as { _stop(): void })._stop();
  }
}

class ActorHost implements Host {
  private readonly outbox: Outbox = { effects: [] };
  private readonly live: Charts;
  /** All roles of a network are children of one actor, so that they share one actor system and half their memory. */
  readonly parent: AnyActor = createActor(createMachine({}));

  constructor(charts: Charts) {
    this.live = Object.fromEntries(Object.entries(charts).map(([name, chart]) => [name, provideEffects(chart, this.outbox)]));
    this.parent.start();
  }

  start(chart: string, input: unknown) {
    this.outbox.effects = [];
    const role = this.create(chart, input);
    return { role, effects: this.outbox.effects };
  }

  restore(view: RoleView): Role {
    return this.create(view.chart, undefined, restore(this.live[view.chart]!, view.value, view.context));
  }

  private create(chart: string, input: unknown, snapshot?: AnyMachineSnapshot): Role {
    const machine = this.live[chart]!;
    const actor = createLive(machine, this.parent, this.outbox, input, snapshot);
    actor.start();
    return new ActorRole(chart, machine, actor, this.outbox);
  }
}
