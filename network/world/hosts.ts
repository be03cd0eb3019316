/**
 * The two ways in which a role of a node can run: as a live XState actor, or as a bare snapshot on the kernel.
 *
 * Both give the same effects for the same events (a differential test proves it). Live actors can be inspected by an application
 * and invoked by its machines. Snapshots use a sixth of the memory and repeat known steps from memory; the nodes of an
 * application run on them by default.
 */
import { createActor, createMachine, type AnyActor, type AnyMachineSnapshot, type AnyStateMachine } from 'xstate';
import type { Effect, Message, NodeId } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';
import type { Protocol, RoleView, Wiring } from '../../machines/protocol.js';
import { stopChild, relay } from './internals.js';
import {
  createLive,
  interpreter,
  kernelSystem,
  listenersTo,
  provideEffects,
  type Listeners,
  type EffectOutbox,
  createRemoteActor,
} from './kernel.js';
import type { Node } from './node.js';
import { takesEvent, begin, restore, macrostep, type Stepped } from './remembering.js';
import { Selections } from './selections.js';

export type HostKind = 'actors' | 'snapshots';

/** One running chart of a node. */
export interface Role {
  readonly chart: string;
  /** Effects of the step just taken; the caller performs them before it sends the next event. */
  send(event: Message): readonly Effect[];
  accepts(event: Message): boolean;
  view(): RoleView;
  stop(): void;
}

export interface Host {
  /** How the roles of one node communicate. */
  readonly wiring: Wiring | undefined;
  /** Starts a role. `node` and `role` are names for inspectors. */
  start(chart: string, input: unknown, node?: NodeId, role?: string): { role: Role; effects: readonly Effect[] };
  /** Restores a role in a given state, without its entry actions. */
  restore(view: RoleView, node?: NodeId, role?: string): Role;
  /** Sets the sender of the next event (`null` for none); present if the host is inspected. */
  readonly comesFrom?: ((sender: NodeId | null) => void) | undefined;
  /** The transitions of its charts, for observers. */
  readonly selections?: Selections;
}

export type Charts = Readonly<Record<string, AnyStateMachine>>;

function chartOf(charts: Charts, name: string): AnyStateMachine {
  const chart = charts[name];
  if (!chart) throw new ProtocolError(`Unknown chart "${name}". The charts are ${Object.keys(charts).join(', ')}.`);
  return chart;
}

/** The parts of a protocol that a host needs. */
export type HostedProtocol = Pick<Protocol, 'wiring'> & { readonly charts: Charts };

/** @param parent makes live actors its children, so that an inspector of its system sees them. */
export function createHost(kind: HostKind, hosted: HostedProtocol, parent?: AnyActor): Host {
  return kind === 'actors' ? new ActorHost(hosted, parent) : new SnapshotHost(hosted);
}

/** How a snapshot host restores roles and takes their steps; a search caches both. */
export interface Steps {
  restore(machine: AnyStateMachine, view: RoleView): AnyMachineSnapshot;
  macrostep(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: Message): Stepped;
}

export class SnapshotRole implements Role {
  constructor(
    readonly chart: string,
    public snapshot: AnyMachineSnapshot,
    private readonly role: string,
    private readonly host: SnapshotHost,
  ) {}

  send(event: Message): readonly Effect[] {
    const { snapshot, host } = this;
    const next = host.selections.during(this.role, snapshot, () => host.steps.macrostep(snapshot.machine, snapshot, event));
    this.snapshot = next.snapshot;
    return next.effects;
  }

  accepts(event: Message): boolean {
    return takesEvent(this.snapshot.machine, this.snapshot, event);
  }

  view(): RoleView {
    const { value, context } = this.snapshot;
    return { chart: this.chart, value, context };
  }

  stop(): void {}
}

export class SnapshotHost implements Host {
  readonly wiring: Wiring | undefined;
  readonly selections = new Selections(kernelSystem);
  private readonly charts: Charts;

  constructor(
    { charts, wiring }: HostedProtocol,
    readonly steps: Steps = { restore, macrostep },
  ) {
    this.charts = charts;
    this.wiring = wiring;
  }

  start(chart: string, input: unknown, _node = '', role = '') {
    const { snapshot, effects } = this.selections.during(role, null, () => begin(chartOf(this.charts, chart), input));
    return { role: new SnapshotRole(chart, snapshot, role, this), effects };
  }

  restore(view: RoleView, _node = '', role = ''): Role {
    const { chart } = view;
    const snapshot = this.selections.during(role, null, () => this.steps.restore(this.charts[chart]!, view));
    return new SnapshotRole(chart, snapshot, role, this);
  }
}

class ActorRole implements Role {
  constructor(
    readonly chart: string,
    readonly actor: AnyActor,
    private readonly outbox: EffectOutbox,
    private readonly role: string,
    private readonly group: ActorGroup | null,
    private readonly selections: Selections,
  ) {}

  private get snapshot(): AnyMachineSnapshot {
    return this.actor.getSnapshot();
  }

  send(event: Message): readonly Effect[] {
    const { outbox } = this;
    outbox.effects = [];
    // XState would ignore the event too, with a warning.
    if (isOver(this.snapshot)) return outbox.effects;
    this.selections.during(this.role, this.snapshot, () => {
      if (this.group) this.group.deliver(this.actor, this.role, event);
      else this.actor.send(event);
    });
    if (this.snapshot.status === 'error') throw this.snapshot.error;
    return outbox.effects;
  }

  accepts(event: Message): boolean {
    return interpreter.accepts(this.snapshot.machine, this.snapshot, event);
  }

  view(): RoleView {
    const { value, context } = this.snapshot;
    return { chart: this.chart, value, context };
  }

  stop(): void {
    stopChild(this.actor);
  }
}

const isOver = ({ status }: AnyMachineSnapshot): boolean => status !== 'active';

interface Live {
  readonly outbox: EffectOutbox;
  readonly listeners: Listeners;
  readonly charts: Charts;
}

/** Cache: a copy of a chart costs more than many actors, so hosts of the same charts share one. */
const lives = new WeakMap<Charts, Live>();

function liveOf(charts: Charts): Live {
  const known = lives.get(charts);
  if (known) return known;
  const outbox: EffectOutbox = { effects: [] };
  const copies = Object.entries(charts).map(([name, chart]) => [name, provideEffects(chart, outbox)]);
  const live = { outbox, listeners: listenersTo(outbox), charts: Object.fromEntries(copies) };
  lives.set(charts, live);
  return live;
}

class ActorHost implements Host {
  private readonly live: Live;
  private readonly parent: AnyActor;
  private readonly group: ActorGroup | null;
  readonly comesFrom: Host['comesFrom'];
  readonly wiring: Wiring | undefined;
  readonly selections: Selections;

  constructor({ charts, wiring }: HostedProtocol, parent?: AnyActor) {
    this.wiring = wiring;
    this.live = liveOf(charts);
    this.parent = parent ?? createActor(createMachine({})).start();
    // The failed step reports an error of a chart; XState would report it a second time, where no code can catch it.
    if (!parent) this.parent.subscribe({ error: () => {} });
    this.selections = new Selections(this.parent.system);
    const group = parent ? new ActorGroup(parent) : null;
    this.group = group;
    this.comesFrom = group ? (sender) => group.comesFrom(sender) : undefined;
  }

  start(chart: string, input: unknown, node = '', role = '') {
    this.live.outbox.effects = [];
    const started = this.create(chart, node, role, input);
    return { role: started, effects: this.live.outbox.effects };
  }

  restore({ chart, value, context }: RoleView, node = '', role = ''): Role {
    return this.create(chart, node, role, undefined, interpreter.restore(this.live.charts[chart]!, value, context));
  }

  private create(chart: string, node: NodeId, role: string, input: unknown, snapshot?: AnyMachineSnapshot): Role {
    const { charts, listeners, outbox } = this.live;
    const name = this.group ? `${node} ${role}` : undefined;
    const actor = this.selections.during(role, null, () =>
      createLive(chartOf(charts, chart), this.parent, listeners, input, snapshot, name),
    );
    this.group?.add(node, role, actor);
    actor.start();
    return new ActorRole(chart, actor, outbox, role, this.group, this.selections);
  }
}

/**
 * Sets a node to the state of another one. Snapshots are immutable, so both may share them; for other hosts the view is restored. Not a
 * method, because live nodes do not need it, and their size matters.
 */
export function takeOver(node: Node, from: Node, host: Host): void {
  node.stop();
  for (const [name, role] of Object.entries(from.roles)) {
    const isShared = role instanceof SnapshotRole && host instanceof SnapshotHost;
    node.roles[name] = isShared
      ? new SnapshotRole(role.chart, role.snapshot, name, host)
      : host.restore(role.view(), node.id, name);
  }
}

/**
 * The live actors of an inspected host. Each has the name of its node and role, and an event comes from the actor of the node
 * that sent it, so an inspector can draw messages between them. Without an inspector no such actors exist.
 */
class ActorGroup {
  private readonly actors = new Map<NodeId, Map<string, AnyActor>>();
  private sender: NodeId | null = null;

  constructor(private readonly parent: AnyActor) {}

  add(node: NodeId, role: string, actor: AnyActor): void {
    const roles = this.actors.get(node) ?? new Map<string, AnyActor>();
    this.actors.set(node, roles.set(role, actor));
  }

  /** Sets the sender of the next event; `null` for none. */
  comesFrom(node: NodeId | null): void {
    this.sender = node;
  }

  deliver(actor: AnyActor, role: string, event: Message): void {
    const { sender } = this;
    // Events that follow inside the node were not sent by the other node.
    this.sender = null;
    relay(sender === null ? undefined : this.actorOf(sender, role), actor, event);
  }

  /** Roles send to the role of the same name, if it exists; a node of another process has one placeholder actor. */
  private actorOf(node: NodeId, role: string): AnyActor {
    const roles = this.actors.get(node);
    const known = roles?.get(role) ?? roles?.values().next().value;
    if (known) return known;
    const remote = createRemoteActor(node, this.parent);
    this.add(node, '', remote);
    return remote;
  }
}
