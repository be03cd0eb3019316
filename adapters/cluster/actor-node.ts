/**
 * The charts of one actor at one peer (machines/cluster). All actors of the peer share transport, clock and storage.
 *
 * A cluster has many actors, so a node is light: it has neither a conversation nor listeners. It uses the functions of its `ActorWorld`
 * instead.
 */
import type { NodeId, Message, AnyMessage } from '../../machines/effects.js';
import { clusterCore, actorRoles, type ClusterProtocolOptions } from '../../machines/cluster/core.js';
import { TURN } from '../../machines/cluster/host.js';
import { KEPT, type ReplicaState, type ReplicaContext } from '../../machines/cluster/replica.js';
import type { ClusterNotice } from '../../machines/cluster/messages.js';
import { hostOf, replicaOf, senderOf } from '../../machines/cluster/view.js';
import type { Instance } from '../../machines/protocol.js';
import { STORAGE, type StorageContext, type Stored } from '../../machines/storage.js';
import { NetworkTimers } from '../../network/timers.js';
import { timingOn } from '../../network/timing.js';
import type { Host } from '../../network/world/hosts.js';
import { deliverTo, Node, type Outcome } from '../../network/world/node.js';
import { Pending, type ArmedTimer, type TimerWaiter } from '../../network/world/pending.js';
import type { SchedulerLike } from 'rxjs';
import { asError } from '../../machines/errors.js';
import { addressesOf } from '../../machines/effects.js';

export interface ActorWorld {
  readonly id: NodeId;
  readonly host: Host;
  readonly instance: Instance<ClusterProtocolOptions>;
  /** The session under which it sends to this actor. No other process or run has the same. */
  readonly session: string;
  readonly clock: SchedulerLike;
  readonly hasStorage: boolean;
  /** True if this process has a machine for the actor. */
  isFit(key: string): boolean;
  /** The members in the order in which they are asked to host an actor without a host. */
  preferred?(key: string): readonly NodeId[];
  send(key: string, to: NodeId, message: Message): void;
  /** Calls a function when all messages that have arrived are handled. */
  whenHandled(run: () => void): void;
  save(key: string, stored: Stored): Promise<void>;
  handleNotice(node: ActorNode, notice: ClusterNotice): void;
  /** A chart that breaks its contract, or a storage that fails, ends the peer. */
  fail(error: Error): void;
}

/** No chart of an actor draws. */
const noChoice = (): number => 0;

export class ActorNode {
  private readonly node: Node;
  private readonly pending = new Pending();
  private readonly timers: NetworkTimers;
  private readonly waiter: TimerWaiter;
  private readonly notices: ClusterNotice[] = [];
  private isNotifying = false;
  private isClosed = false;

  constructor(
    readonly key: string,
    private readonly world: ActorWorld,
    /** The initial state of the replica, from the storage or from memory. */
    replica: ReplicaState,
  ) {
    const { id, host, clock, instance, session, hasStorage } = world;
    this.node = new Node(key, host);
    this.timers = new NetworkTimers(timingOn(clock), (_, timer) => this.goOff(timer));
    this.waiter = {
      armed: (timer, delay) => {
        if (timer.role === STORAGE) this.write(timer);
        else if (timer.timer === TURN) world.whenHandled(() => this.goOff(timer));
        else this.timers.arm(key, timer, delay);
      },
      disarmed: (timer) => this.timers.disarm(key, timer),
    };
    const stored: Stored = { [KEPT]: { promised: replica.promised, copy: replica.copy } };
    const storage = { role: STORAGE, chart: STORAGE, input: { stored, delay: 1 } };
    const isReplica = instance.options.replicas.includes(id);
    const starts = [
      ...(hasStorage && isReplica ? [storage] : []),
      ...actorRoles(id, instance.options, session, replica, world.preferred?.(key), world.isFit(key)),
    ];
    this.take(() => this.node.start(starts, noChoice));
  }

  get hosting() {
    return hostOf(this.node.view());
  }

  get replica(): ReplicaContext | undefined {
    return replicaOf(this.node.view());
  }

  get sender() {
    return senderOf(this.node.view());
  }

  /** Handles an event of the application, of the lock, or, with `from`, of a peer. */
  step(event: AnyMessage): void {
    if (this.isClosed) return;
    this.take(() => {
      const result = deliverTo(clusterCore, this.node, event, () => 0, noChoice);
      return 'closed' in result ? null : result.outcome;
    });
  }

  close(): void {
    this.isClosed = true;
    this.pending.clear(this.waiter);
  }

  private take(step: () => Outcome | null): void {
    try {
      const outcome = step();
      if (outcome) this.perform(outcome);
    } catch (error) {
      this.world.fail(asError(error));
    }
  }

  private perform({ closed, timers, sends, emitted }: Outcome): void {
    this.pending.follow({ closed, timers }, this.waiter);
    for (const { to, message } of sends) for (const peer of addressesOf(to)) this.world.send(this.key, String(peer), message);
    this.notices.push(...(emitted as ClusterNotice[]));
    this.notify();
  }

  /** Delivers notices in order: one that is announced while another is handled is delivered after it. */
  private notify(): void {
    if (this.isNotifying) return;
    this.isNotifying = true;
    try {
      for (let notice = this.notices.shift(); notice; notice = this.notices.shift()) this.world.handleNotice(this, notice);
    } finally {
      this.isNotifying = false;
    }
  }

  private goOff(timer: ArmedTimer): void {
    if (this.isClosed || !this.pending.take(timer)) return;
    this.take(() => this.node.step(timer.role, { type: 'timer', timer: timer.timer }, noChoice));
  }

  private write(written: ArmedTimer): void {
    const { stored, writes }: StorageContext = this.node.role(STORAGE)!.context;
    const { key, value } = writes[0]!;
    this.world.save(this.key, { ...stored, [key]: value }).then(
      () => this.goOff(written),
      (error: Error) => this.world.fail(error),
    );
  }
}
