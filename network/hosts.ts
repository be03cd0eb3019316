/**
 * The two ways in which a role of a node can run: as a live XState actor, or as a bare snapshot on the kernel.
 *
 * Both give the same effects for the same events (a differential test proves it). Live actors are what an application composes and
 * inspects; snapshots take a third of the memory and are what size and speed ask for.
 */
import { createActor, createMachine, type AnyActor, type AnyMachineSnapshot, type AnyStateMachine } from 'xstate';
import type { Effect, Message } from '../machines/effects.js';
import type { RoleView } from '../machines/protocol.js';
import { accepts, begin, createLive, listenersTo, provideEffects, restore, step, stopLive, type Outbox } from './kernel.js';

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
    private snapshot: AnyMachineSnapshot,
  ) {}

  send(event: Message): readonly Effect[] {
    const next = step(this.snapshot.machine, this.snapshot, event);
    this.snapshot = next.snapshot;
    return next.effects;
  }

  accepts(event: Message): boolean {
    return accepts(this.snapshot.machine, this.snapshot, event);
  }

  view(): RoleView {
    return { chart: this.chart, value: this.snapshot.value, context: this.snapshot.context };
  }

  stop(): void {}
}

class SnapshotHost implements Host {
  constructor(private readonly charts: Charts) {}

  start(chart: string, input: unknown) {
    const { snapshot, effects } = begin(this.charts[chart]!, input);
    return { role: new SnapshotRole(chart, snapshot), effects };
  }

  restore({ chart, value, context }: RoleView): Role {
    return new SnapshotRole(chart, restore(this.charts[chart]!, value, context));
  }
}

class ActorRole implements Role {
  constructor(
    readonly chart: string,
    readonly actor: AnyActor,
    private readonly outbox: Outbox,
  ) {}

  private get snapshot(): AnyMachineSnapshot {
    return this.actor.getSnapshot() as AnyMachineSnapshot;
  }

  send(event: Message): readonly Effect[] {
    const { outbox } = this;
    outbox.effects = [];
    this.actor.send(event);
    if (this.snapshot.status === 'error') throw this.snapshot.error;
    return outbox.effects;
  }

  accepts(event: Message): boolean {
    return accepts(this.snapshot.machine, this.snapshot, event);
  }

  view(): RoleView {
    const { value, context } = this.snapshot;
    return { chart: this.chart, value, context };
  }

  stop(): void {
    stopLive(this.actor);
  }
}

class ActorHost implements Host {
  private readonly outbox: Outbox = { effects: [] };
  private readonly listeners = listenersTo(this.outbox);
  private readonly live: Charts;
  private readonly parent: AnyActor = createActor(createMachine({}));

  constructor(charts: Charts) {
    this.live = Object.fromEntries(Object.entries(charts).map(([name, chart]) => [name, provideEffects(chart, this.outbox)]));
    this.parent.start();
  }

  start(chart: string, input: unknown) {
    this.outbox.effects = [];
    const role = this.create(chart, input);
    return { role, effects: this.outbox.effects };
  }

  restore({ chart, value, context }: RoleView): Role {
    return this.create(chart, undefined, restore(this.live[chart]!, value, context));
  }

  private create(chart: string, input: unknown, snapshot?: AnyMachineSnapshot): Role {
    const actor = createLive(this.live[chart]!, this.parent, this.listeners, input, snapshot);
    actor.start();
    return new ActorRole(chart, actor, this.outbox);
  }
}
