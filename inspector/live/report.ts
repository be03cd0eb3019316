/**
 * The reports of one live node to an inspector, as plain JSON: first its state, then each of its steps.
 */
import type { SchedulerLike } from 'rxjs';
import { isObject } from '../../machines/checks.js';
import type { Address, LinkEvent, Message, NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { RunningCore } from '../../machines/core.js';
import type { Instance, NodeView, Overlay, RoleView, Step } from '../../machines/protocol.js';
import type { StepLine } from '../../network/trace.js';
import { selectedIn } from '../../network/world/selected-in.js';
import type { ReadSelected, Selected } from '../../network/world/selections.js';

/** The parts of a node from `createNode` that an inspector needs. */
export interface Inspectable {
  readonly id: NodeId;
  readonly protocol: RunningCore;
  readonly instance: Instance;
  /** The instance in the form of a scenario. */
  readonly scenario: { readonly options: Readonly<Record<string, unknown>> };
  /** The peer behind each port, for anonymous nodes. */
  readonly ports: { of(peer: NodeId): number | undefined; peerAt(port: number): NodeId | undefined };
  readonly steps$: { subscribe(observer: { next(step: LiveStep): void; complete(): void }): { unsubscribe(): void } };
  readonly observations$: {
    subscribe(next: (observation: Exclude<PeerObservation, GestureReport>) => void): { unsubscribe(): void };
  };
  peers(): readonly ReportedPeer[];
  watchSelections(read: ReadSelected): () => void;
  readonly ready: Promise<unknown>;
  view(): NodeView;
  /** The clock of the node, for gestures. */
  readonly environment: { readonly clock: SchedulerLike };
  attempt(command: string, fields: Readonly<Record<string, unknown>>): boolean;
  guard(gate?: Guard): void;
}

/** The argument of `LiveNode.guard`. */
interface Guard {
  comes(arrival: { readonly from: NodeId; readonly message: Message; readonly number: number }, take: () => void): void;
  parted(peer: NodeId): void;
  readonly isShut: boolean;
}

/** Checks that there is at least one node. Throws a `UsageError` for anything else. */
export function nodesAmong(who: string, what: Inspectable | readonly Inspectable[]): readonly [Inspectable, ...Inspectable[]] {
  const nodes: readonly unknown[] = [what].flat();
  if (nodes.length === 0) throw new UsageError(`${who}: nodes is empty. Name at least one node.`);
  if (nodes.every((node) => isObject(node) && typeof node['view'] === 'function')) return nodes as [Inspectable];
  const isAround = nodes.some((node) => isObject(node) && 'node' in node);
  throw new UsageError(
    `${who} takes nodes. Pass ${isAround ? 'the node of each: locks.node' : 'the result of createNode, or locks.node'}.`,
  );
}

type PeerObservation =
  | { readonly type: 'up' | 'down'; readonly peer: NodeId }
  | { readonly type: 'dropped'; readonly peer: NodeId; readonly number: number }
  | GestureReport;

/** The effect of a gesture on a message that has arrived: it waits and may be overtaken, it is lost, or it comes twice. */
export type GestureReport =
  | { readonly type: 'waits'; readonly peer: NodeId; readonly number: number }
  | { readonly type: 'lost' | 'doubled'; readonly peer: NodeId; readonly number: number | null; readonly message: Message };

/** A peer as the node knows it, with the number of messages in each direction of their connection. */
export interface ReportedPeer {
  readonly peer: NodeId;
  readonly isUp: boolean;
  readonly sent: number | null;
  readonly received: number | null;
}

interface LiveStep {
  readonly role?: string;
  readonly event: Message;
  readonly drawn: readonly number[];
  readonly outcome: {
    readonly sends: readonly { readonly to: Address | readonly Address[]; readonly message: Message }[];
    readonly timers: readonly { readonly role: string; readonly timer: string; readonly delay: number | null }[];
    readonly emitted: readonly Message[];
  };
  readonly number?: number;
  readonly numbers: readonly (number | null)[];
  readonly selected?: Selected;
}

/**
 * A message of a step: its number on its connection, `null` if the channel has no order or the message still waits; 0 if it is lost
 * immediately.
 */
export interface Sent {
  readonly to: NodeId;
  readonly message: Message;
  readonly number?: number | null;
}

/** A report outside of steps: a peer came or went, or no chart took a message. */
export interface PeerReport {
  readonly at: number;
  readonly node: NodeId;
  readonly kind: 'peer';
  readonly observation: PeerObservation;
}

/** A gap: the number of reports that a program could not send at this place. */
export interface GapReport {
  readonly at: number;
  /** A gap concerns no single node. */
  readonly node: '';
  readonly kind: 'gap';
  readonly count: number;
}

export type LiveReport = StepReport | PeerReport | GapReport;

export interface StepReport {
  /** Milliseconds since the epoch, with the precision of the clock. Reports of several processes are ordered by it. */
  readonly at: number;
  readonly node: NodeId;
  readonly kind: Step['kind'];
  readonly role?: string;
  readonly event: Message;
  /** The sender of a command, if it is known. */
  readonly by?: string;
  /** The sender of a delivery, and the message as it was sent. */
  readonly from?: NodeId;
  readonly message?: Message;
  readonly number?: number;
  /** True if the sender took no step to send it, as at the end of a delay. Only the arrival reports the message. */
  readonly isUnprompted?: boolean;
  readonly sent: readonly Sent[];
  readonly emitted: readonly Message[];
  readonly timers?: StepLine['timers'];
  readonly drawn?: readonly number[];
  readonly roles: Readonly<Record<string, RoleView | null>>;
  readonly selected?: Selected;
  /** The traffic of the node's connections before its first report. */
  readonly peers?: readonly ReportedPeer[];
  /** The neighbors of the node, for a page that does not know its topology. */
  readonly links?: readonly NodeId[];
  /** True if the topology has no links, so that any two peers that reach each other are connected. */
  readonly isMesh?: boolean;
  /** The parent of an XState actor, and the kind of its logic. Only in its first report. */
  readonly parent?: NodeId;
  readonly logic?: string;
  /** The kind of a cluster actor. Only in the first report of an activation. */
  readonly group?: string;
  /** For a cluster actor: the member that hosts it under this fence, or null if the member that reports has stopped hosting it. */
  readonly hosting?: { readonly host: NodeId | null; readonly fence: number };
  /** True if the name is only unique within the program. */
  readonly isOwn?: boolean;
  /** The node at the other end of the link that the report concerns. */
  readonly peer?: NodeId;
  /** Charts that no report has contained yet. */
  readonly charts?: Readonly<Record<string, unknown>>;
  /** The marks of the node, for a page that does not know its protocol. */
  readonly overlay?: Overlay;
  /** The node's port to each peer, where nodes are anonymous. */
  readonly ports?: Readonly<Record<NodeId, number>>;
}

/** Reports a node from now on, until the returned function is called or the node closes. */
export function reportNode(node: Inspectable, report: (report: StepReport | PeerReport) => void): () => void {
  const reporter = new Reporter(node, report);
  const subscriptions = [
    node.steps$.subscribe({ next: (step) => reporter.step(step), complete: () => reporter.closed() }),
    node.observations$.subscribe((observation) => reporter.receive(observation)),
  ];
  const unwatch = node.watchSelections(selectedIn);
  return () => {
    unwatch();
    for (const subscription of subscriptions) subscription.unsubscribe();
  };
}

export function now(): number {
  const { timeOrigin } = performance as { readonly timeOrigin?: number };
  // Some runtimes do not define the start of their clock.
  return timeOrigin === undefined ? Date.now() : timeOrigin + performance.now();
}

class Reporter {
  private seen: NodeView;

  constructor(
    private readonly node: Inspectable,
    private readonly report: (report: StepReport | PeerReport) => void,
  ) {
    this.seen = node.view();
    if (Object.keys(this.seen).length > 0) this.stand('stands', []);
  }

  /** Reports the state of the node at its start, or of one that started before. */
  private stand(type: 'start' | 'stands', drawn: readonly number[]): void {
    const noted = drawn.length > 0 ? { drawn } : {};
    const { id, instance } = this.node;
    const ends = instance.topology.links.filter((link) => link.slice(0, 2).includes(id));
    this.reportStep({
      kind: 'start',
      event: { type },
      sent: [],
      emitted: [],
      ...noted,
      roles: this.seen,
      peers: this.node.peers(),
      links: ends.map(([a, b]) => (a === id ? b : a)),
      isMesh: instance.topology.links.length === 0,
    });
  }

  receive(observation: PeerObservation): void {
    this.report({ at: now(), node: this.node.id, kind: 'peer', observation });
  }

  step({ role, event, drawn, outcome: { sends, timers, emitted }, number, numbers, selected }: LiveStep): void {
    const kind = kindOf(event);
    const sent = sends
      .flatMap(({ to, message }) => [to].flat().map((address) => ({ to: this.nameOf(address), message })))
      .map((one, i) => ({ ...one, number: numbers[i] ?? null }));
    const roles = this.changedRoles();
    if (kind === 'start') {
      this.stand('start', drawn);
      if (sent.length + timers.length + emitted.length === 0) return;
    }
    this.reportStep({
      kind,
      ...(role === undefined ? {} : { role }),
      event,
      ...(kind === 'deliver' ? this.deliveryOf(event) : {}),
      ...(number === undefined ? {} : { number }),
      ...(selected && { selected }),
      ...(kind === 'link' ? { peer: this.nameOf((event as LinkEvent).peer) } : {}),
      sent,
      emitted,
      ...(timers.length > 0 ? { timers: timers.map(({ role, timer, delay }) => [role, timer, delay] as const) } : {}),
      ...(drawn.length > 0 ? { drawn } : {}),
      roles: kind === 'start' ? this.seen : roles,
    });
  }

  closed(): void {
    this.reportStep({ kind: 'crash', event: { type: 'closed' }, sent: [], emitted: [], roles: {} });
  }

  private reportStep(report: Omit<StepReport, 'at' | 'node' | 'ports'>): void {
    const { id, protocol, ports, instance } = this.node;
    const known = instance.topology.nodes.flatMap((peer) => {
      const port = ports.of(peer);
      return port === undefined ? [] : [[peer, port] as const];
    });
    const isAnonymous = protocol.network.addressing === 'ports';
    this.report({ at: now(), node: id, ...report, ...(isAnonymous ? { ports: Object.fromEntries(known) } : {}) });
  }

  private changedRoles(): StepReport['roles'] {
    const before = this.seen;
    this.seen = this.node.view();
    const changed = Object.entries(this.seen).filter(
      ([name, { value, context }]) => before[name]?.value !== value || before[name]?.context !== context,
    );
    const closed = Object.keys(before).filter((name) => !(name in this.seen));
    return Object.fromEntries([...changed, ...closed.map((name) => [name, null] as const)]);
  }

  /** The message without what the receiving host has added. */
  private deliveryOf(received: Message): Pick<StepReport, 'from' | 'message'> {
    const { from, ...event } = received as Message & { readonly from: Address };
    const { at: _, ...untimed }: Message & { readonly at?: unknown } = event;
    return { from: this.nameOf(from), message: this.node.protocol.network.time ? untimed : event };
  }

  private nameOf(address: Address): NodeId {
    if (typeof address === 'string') return address;
    return address === 0 ? this.node.id : (this.node.ports.peerAt(address) ?? `port ${address} of ${this.node.id}`);
  }
}

function kindOf(event: Message): Step['kind'] {
  if ('from' in event) return 'deliver';
  if (event.type === 'start') return 'start';
  if (event.type === 'timer') return 'timer';
  return event.type.startsWith('link.') ? 'link' : 'command';
}
