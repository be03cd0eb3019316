/** Results and costs of a run of local mutual exclusion: locks, trials, messages and memory (spec sections 6, 7 and 10). */
import type { NodeId } from '../effects.js';
import type { Configuration, Flight, Meter, Observer, Instance, Step } from '../protocol.js';
import type { ExclusionContext, ExclusionNotification } from './machine.js';
import type { ExclusionOptions } from './options.js';
import { including, without, type PortNumber, type Ports } from './ports.js';
import { exclusionContext, isFromInitiator, lockSet, linkedNeighbors, peersAt, valueOf, type ExclusionValue } from './view.js';

interface LockRecord {
  readonly node: NodeId;
  readonly lockSet: readonly NodeId[];
  readonly requestedAt: number;
  readonly lockedAt: number;
  /** Time of the release; `null` while it is locked. */
  unlockedAt: number | null;
}

interface Request {
  readonly at: number;
  /** Neighbors of the request whose links have been up ever since. */
  persistent: NodeId[];
}

export class ExclusionAccount implements Observer {
  private readonly locks: LockRecord[] = [];
  private readonly requests = new Map<NodeId, Request>();
  /** Ports in use, from the notifications to each node. */
  private readonly ports = new Map<NodeId, Ports>();
  private readonly current = new Map<NodeId, LockRecord>();
  private edgeMessages = 0;
  private trials = 0;
  private bits = 0;
  private degree: number;
  private readonly inTransit = new Map<string, number>();
  private maxInTransit = 0;
  private locksThePersistent = true;
  private sendsSparingly = true;
  private readonly states = new Map<NodeId, Initiator>();
  private areNotified = true;

  constructor(private readonly instance: Instance<ExclusionOptions>) {
    this.degree = Math.max(0, ...Object.values(instance.options.inUse).map((ports) => ports.length));
  }

  record(step: Step<ExclusionNotification>, c: Configuration): void {
    const { node, event, kind } = step;
    this.areNotified &&= this.isNotified(step, valueOf(c.nodes.get(node)!).initiator);
    if (kind === 'command') this.followCommand(step, c);
    if (kind === 'link') this.followLink(step, c);
    if (kind === 'deliver' && event['from'] !== 0) this.arrived(step, c);
    for (const notification of step.emitted) if (notification.type === 'locked') this.locked(step, notification.ports, c);
    this.sent(step.sent, c);
    this.bits = Math.max(this.bits, bitsOf(exclusionContext(c.nodes.get(node)!)));
  }

  /** A node emits a notification exactly when it has locked or has released all. */
  private isNotified({ node, kind, emitted }: Step, after: Initiator): boolean {
    const before = this.states.get(node) ?? 'idle';
    this.states.set(node, after);
    // A corruption emits no notification.
    if (kind === 'corrupt') return true;
    const locks = before !== 'locked' && after === 'locked' ? ['locked'] : [];
    const unlocks = before === 'unlock' && after === 'idle' ? ['unlocked'] : [];
    return `${emitted.map(({ type }) => type)}` === `${[...locks, ...unlocks]}`;
  }

  private followCommand({ node, event, at, sent }: Step, c: Configuration): void {
    // A call without effect sends nothing; one with an effect at least sends a message to the node itself.
    if (sent.length === 0) return;
    if (event.type === 'lock') {
      const ports = event['ports'] ?? this.portsOf(node);
      const asked = peersAt(c, node, [0, ...ports]);
      this.requests.set(node, { at, persistent: asked });
    } else {
      const lock = this.current.get(node);
      if (lock) lock.unlockedAt = at;
      this.current.delete(node);
    }
  }

  private portsOf(node: NodeId): Ports {
    return this.ports.get(node) ?? this.instance.options.inUse[node] ?? [];
  }

  private followLink({ node, event }: Step, c: Configuration): void {
    const port: PortNumber = event['peer'];
    this.ports.set(node, event.type === 'link.up' ? including(this.portsOf(node), port) : without(this.portsOf(node), port));
    const now = linkedNeighbors(c, node);
    this.degree = Math.max(this.degree, now.length);
    const request = this.requests.get(node);
    if (request) request.persistent = request.persistent.filter((peer) => peer === node || now.includes(peer));
  }

  private locked({ node, at }: Step, ports: Ports, c: Configuration): void {
    const request = this.requests.get(node);
    if (!request) return;
    const { rank } = this.instance;
    const inOrder = (nodes: readonly NodeId[]) => [...nodes].sort((a, b) => rank(a) - rank(b));
    const [given, persistent, held] = [peersAt(c, node, ports), request.persistent, lockSet(c, node)].map(inOrder);
    this.locksThePersistent &&= `${given}` === `${persistent}` && `${given}` === `${held}`;
    const record: LockRecord = { node, lockSet: given!, requestedAt: request.at, lockedAt: at, unlockedAt: null };
    this.locks.push(record);
    this.current.set(node, record);
    this.requests.delete(node);
  }

  private sent(sent: readonly Flight[], c: Configuration): void {
    if (sent.some(({ message }) => message.type === 'request')) this.trials++;
    const initiator: NodeId[] = [];
    const participant: NodeId[] = [];
    for (const { from, to, message } of sent) {
      const role = isFromInitiator(message) ? initiator : participant;
      this.sendsSparingly &&= !role.includes(to);
      role.push(to);
      if (from === to) continue;
      this.edgeMessages++;
      this.depart(from, to, c);
    }
  }

  /** The loss of messages on an edge is visible only when its count is read, so a new maximum is counted again. */
  private depart(from: NodeId, to: NodeId, c: Configuration): void {
    const edge = edgeOf(from, to);
    let count = (this.inTransit.get(edge) ?? 0) + 1;
    if (count > this.maxInTransit) {
      count = c.flights.filter((flight) => flight.from !== flight.to && edgeOf(flight.from, flight.to) === edge).length;
      this.maxInTransit = Math.max(this.maxInTransit, count);
    }
    this.inTransit.set(edge, count);
  }

  private arrived({ node, event }: Step, c: Configuration): void {
    const peer = peersAt(c, node, [event['from']])[0];
    if (peer === undefined) return;
    const edge = edgeOf(node, peer);
    this.inTransit.set(edge, Math.max(0, (this.inTransit.get(edge) ?? 0) - 1));
  }

  summary() {
    const lockSets: Record<NodeId, (readonly NodeId[])[]> = {};
    for (const lock of this.locks) (lockSets[lock.node] ??= []).push(lock.lockSet);
    const { locks, edgeMessages, maxInTransit, trials } = this;
    return { locks, lockSets, edgeMessages, maxInTransitPerEdge: maxInTransit, trials };
  }

  meters(): Meter[] {
    const { maxInTransit, degree, bits, instance } = this;
    const memory = memoryBound(degree, instance.options.priorities);
    return [
      { name: 'messages in transit on an edge', measured: maxInTransit, bound: 2, ratio: maxInTransit / 2 },
      { name: 'bits of memory in a node', measured: bits, bound: memory, ratio: bits / memory },
      this.perLock('trials per lock', this.trials),
      this.perLock('edge messages per lock', this.edgeMessages),
    ];
  }

  private perLock(name: string, count: number): Meter {
    return { name, measured: this.locks.length === 0 ? 0 : count / this.locks.length, bound: null, ratio: null };
  }

  properties() {
    return [
      { name: 'locks the persistent neighborhood', kind: 'always' as const, holds: this.locksThePersistent },
      { name: 'locks and unlocks are notified', kind: 'always' as const, holds: this.areNotified },
      { name: 'one message per port and role in a step', kind: 'always' as const, holds: this.sendsSparingly },
    ];
  }
}

type Initiator = ExclusionValue['initiator'];

const edgeOf = (u: NodeId, v: NodeId): string => (u < v ? `${u} ${v}` : `${v} ${u}`);

/**
 * Memory of a node in bits (Theorem 4.1): for d ports in use, seven bit registers over the ports and port 0, the holder, the state of
 * both roles, and the priorities that are stored. Linear in d for a constant number of priorities.
 */
const REGISTERS = 7; // L, R, the two outcomes of W, A, C, H
const STATES = 5; // six of the initiator, three of the participant

function bitsOf({ ports, P, priorities }: Pick<ExclusionContext, 'ports' | 'P' | 'priorities'>): number {
  return memoryBits(ports.length, P.length, priorities);
}

/** Bound on the memory of a node with this number of ports. */
const memoryBound = (degree: number, priorities: number): number => memoryBits(degree, degree + 1, priorities);

function memoryBits(degree: number, stored: number, priorities: number): number {
  return REGISTERS * (degree + 1) + Math.ceil(Math.log2(degree + 2)) + STATES + stored * Math.ceil(Math.log2(priorities));
}
