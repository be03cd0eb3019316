/** The state of one actor at this process: its charts, the machine while it is hosted here, the lock, references and their events. */
import type { EventObject } from 'xstate';
import { statePath } from '../../machines/checks.js';
import type { ClusterNotice } from '../../machines/cluster/messages.js';
import { isLaterVersion, type ReplicaState } from '../../machines/cluster/replica.js';
import type { Message, NodeId, AnyMessage } from '../../machines/effects.js';
import type { ClusterObservation, HostedActor } from '../../network/cluster-observation.js';
import type { Locks } from '../locks/locks.js';
import { Activation } from './activation.js';
import { ActorNode, type ActorWorld } from './actor-node.js';
import { ClusterActorRef, type AnyClusterActor, type ReceivedVersion } from './actor-ref.js';
import { ActorError, receivedError } from './errors.js';
import { SentEvents } from './sent-events.js';
import { migrated, type Kind } from './versions.js';
import type { Lock } from '../locks/lock-handle.js';
import { ClosedError } from '../transports/errors.js';

/** The functions that an actor needs from its cluster. */
export interface ActorSite {
  readonly world: Omit<ActorWorld, 'handleNotice' | 'session'>;
  /** A name that no other sender ever has. */
  newSession(): string;
  readonly locks: Locks | null;
  readonly sizeMax: number;
  /** Sends an event to another actor. Resolves when it is applied there, or cannot be. */
  send(to: { readonly kind: string; readonly id: string }, event: EventObject): Promise<void>;
  failed(error: unknown, what: string): void;
  isObserved(): boolean;
  observed(observation: ClusterObservation): void;
}

type Version = Extract<ClusterNotice, { type: 'version' }>;

/** The limit of events that wait while a replica is loaded. */
const EARLY_MAX = 1_000;

export class LocalActor {
  readonly sentEvents: SentEvents;
  /** References that are subscribed, and how many times. */
  private readonly refs = new Map<AnyClusterActor, number>();
  node: ActorNode | null = null;
  private creation: { readonly isAllowed: boolean; readonly input: unknown } | null = null;
  /** The version that was received last. */
  last: ReceivedVersion | null = null;
  private activation: Activation | null = null;
  private readonly lock: ActorLock | null;
  private isFlushing = false;
  /** True if its snapshots are of a version that this process cannot read. */
  private isUnreadable = false;
  isLoading = false;
  private early: Message[] = [];
  /** The time of its last use here. */
  usedAt: number;

  constructor(
    readonly key: string,
    private readonly kind: Kind | undefined,
    private readonly site: ActorSite,
  ) {
    this.sentEvents = new SentEvents(key);
    this.usedAt = site.world.clock.now();
    const step = (event: AnyMessage) => this.step(event);
    this.lock =
      site.locks &&
      new ActorLock(site.locks, key, {
        granted: (fence) => step({ type: 'granted', fence }),
        lost: () => step({ type: 'lost' }),
        unavailable: ({ message }) => step({ type: 'unavailable', error: { name: 'unavailable', message } }),
      });
  }

  /** The last durable version that this process knows: as a subscriber, or as the host. */
  get latest(): ReceivedVersion | null {
    const committed = this.activation && this.node?.hosting?.context.committed;
    if (!committed || (this.last && !isLaterVersion(committed, this.last))) return this.last;
    const { fence, seq, state } = committed;
    return { fence, seq, state: state as ReceivedVersion['state'], emitted: [] };
  }

  get isHosted(): boolean {
    return this.activation !== null;
  }

  /** The state of its host chart; `undefined` at a client, and before it has begun. */
  get state(): string | undefined {
    const hosting = this.node?.hosting;
    return hosting && statePath(hosting);
  }

  /** Starts its charts, with the replica of this member. */
  begin(replica: ReplicaState): void {
    const { world } = this.site;
    this.isLoading = false;
    // It numbers its events from 1.
    const session = this.site.newSession();
    this.node = new ActorNode(this.key, { ...world, session, handleNotice: (_, notice) => this.handleNotice(notice) }, replica);
    this.sentEvents.restart();
    if (this.creation) this.node.step({ type: 'create', creation: this.creation });
    if (this.refs.size > 0) this.node.step({ type: 'subscribe' });
    for (const event of this.early.splice(0)) this.node.step(event);
    this.flush();
  }

  /** Handles an event. While the replica is being loaded, events wait. */
  step(event: AnyMessage): void {
    if (this.node) this.node.step(event);
    else if (this.isLoading && this.early.length < EARLY_MAX) this.early.push(event);
  }

  create(creation: { readonly isAllowed: boolean; readonly input: unknown }): void {
    const { creation: known } = this;
    const isMore = !known || (creation.isAllowed && !known.isAllowed) || (creation.input !== null && known.input === null);
    if (!isMore) return;
    this.creation = creation;
    this.step({ type: 'create', creation });
  }

  /** Sends an event. Events of one turn of the event loop are sent together. */
  send(event: unknown, weight: number): Promise<void> {
    const sent = this.sentEvents.add(event, weight);
    this.flushSoon();
    return sent;
  }

  private flushSoon(): void {
    if (this.isFlushing) return;
    this.isFlushing = true;
    queueMicrotask(() => this.flush());
  }

  private flush(): void {
    this.isFlushing = false;
    if (!this.node) return;
    const events = this.sentEvents.take();
    if (events.length > 0) this.step({ type: 'send', events });
  }

  /** Adds a subscriber. If there are others already, it receives the version that they have. */
  subscribe(ref: AnyClusterActor): void {
    const { size } = this.refs;
    this.refs.set(ref, (this.refs.get(ref) ?? 0) + 1);
    if (size === 0) this.step({ type: 'subscribe' });
    else if (this.last) queueMicrotask(() => this.last && ref.received({ ...this.last, emitted: [] }));
  }

  unsubscribe(ref: AnyClusterActor): void {
    const left = (this.refs.get(ref) ?? 0) - 1;
    if (left > 0) return void this.refs.set(ref, left);
    if (this.refs.delete(ref) && this.refs.size === 0) this.step({ type: 'unsubscribe' });
  }

  /** True if the actor is hosted here and has neither work, subscribers nor events. */
  get isIdle(): boolean {
    const hosting = this.node?.hosting;
    if (!this.activation || !hosting || statePath(hosting) !== 'hosting.serving') return false;
    return !this.activation.isAwake && hosting.context.watchers.length === 0;
  }

  /** True if its charts can be removed: the copy contains all that they know. */
  get isAtRest(): boolean {
    const { node } = this;
    if (!node || this.refs.size > 0 || this.sentEvents.size > 0 || this.activation) return false;
    const { hosting, replica } = node;
    // A member that knows the host of an actor with work wakes the actor if the host goes down.
    const isWatchman = hosting !== undefined && hosting.context.isAwake;
    return (hosting === undefined || statePath(hosting) === 'passive') && !isWatchman && (replica?.replies.length ?? 0) === 0;
  }

  /** Removes its charts. They start again with the state of the replica. */
  rest(): void {
    this.node?.close();
    this.node = null;
  }

  close(error: Error): void {
    this.sentEvents.close(error);
    for (const ref of this.refs.keys()) ref.closed(error);
    this.stop();
    this.lock?.release();
    this.node?.close();
  }

  private handleNotice(notice: ClusterNotice): void {
    switch (notice.type) {
      case 'acquire':
        this.lock!.acquire();
        break;
      case 'release':
        this.lock!.release();
        break;
      case 'restore':
        this.restore(notice);
        break;
      case 'apply':
        this.usedAt = this.site.world.clock.now();
        this.step(this.activation!.apply(notice.seq, notice.entries));
        break;
      case 'durable':
        this.activation?.durable(notice.seq);
        break;
      case 'stopped':
        this.stop();
        break;
      case 'settled':
        this.sentEvents.settled(notice.upTo, notice.failures);
        this.flushSoon();
        break;
      case 'failed':
        this.fail(notice.error);
        break;
      case 'version':
        this.receive(notice);
        break;
    }
  }

  private restore({ fence, copy, creation }: Extract<ClusterNotice, { type: 'restore' }>): void {
    const { clock } = this.site.world;
    this.stop();
    this.usedAt = clock.now();
    const activation = new Activation(this.key, this.kind!, fence, {
      clock,
      sizeMax: this.site.sizeMax,
      changed: () => this.step({ type: 'changed' }),
      isRemote: (target): target is AnyClusterActor => target instanceof ClusterActorRef,
      send: (to, event) => this.site.send(to, event),
      failed: (error, what) => this.site.failed(error, `${what} of ${this.key}`),
      isObserved: () => this.site.isObserved(),
      committed: (snapshot, steps) => this.site.observed({ type: 'version', actor: this.hosted(fence), steps, snapshot }),
    });
    try {
      const applied = activation.begin(copy, creation);
      this.activation = activation;
      this.step(applied);
    } catch (error) {
      activation.stop();
      const { reason: name, message } = error instanceof ActorError ? error : { reason: 'machine', message: String(error) };
      this.step({ type: 'failed', error: { name, message } });
    }
  }

  private fail(sent: unknown): void {
    const error = receivedError(this.key, sent);
    this.sentEvents.failed(error);
    this.flushSoon();
    for (const ref of this.refs.keys()) ref.failed(error);
  }

  private receive(version: Version): void {
    try {
      const { fence, seq, state, emitted } = version;
      this.last = {
        fence,
        seq,
        state: migrated(this.key, this.kind!, state),
        emitted: (emitted ?? []) as ReceivedVersion['emitted'],
      };
    } catch (error) {
      if (!this.isUnreadable) this.site.failed(error, `snapshots of ${this.key}, which are not received here`);
      this.isUnreadable = true;
      for (const ref of this.refs.keys()) ref.failed(error);
      return;
    }
    for (const ref of this.refs.keys()) ref.received(this.last);
  }

  private stop(): void {
    const { activation } = this;
    if (!activation) return;
    activation.stop();
    this.activation = null;
    this.site.observed({ type: 'stopped', actor: this.hosted(activation.fence) });
  }

  /** The present state for a new observer, if a version is durable here. */
  standing(): ClusterObservation | null {
    const { snapshot, fence } = this.activation ?? { snapshot: null };
    return snapshot && { type: 'version', actor: this.hosted(fence), steps: [], snapshot };
  }

  private hosted(fence: number): HostedActor {
    const { name: kind, machine } = this.kind!;
    return { kind, id: this.key.slice(kind.length + 1), fence, machine };
  }

  /** The peer that hosts it, as far as this process knows. */
  get host(): NodeId | null {
    if (this.activation) return this.site.world.id;
    return this.node?.hosting?.context.known?.host ?? this.node?.sender.host?.host ?? null;
  }
}

/** Requests and releases the lock of one cluster actor. Only the member that holds it may host the actor. */
interface LockListener {
  granted(fence: number): void;
  lost(): void;
  unavailable(error: Error): void;
}

class ActorLock {
  private request: AbortController | null = null;
  private lock: Lock | null = null;

  constructor(
    private readonly locks: Locks,
    private readonly name: string,
    private readonly listener: LockListener,
  ) {}

  acquire(): void {
    if (this.request || this.lock) return;
    const request = (this.request = new AbortController());
    const isCurrent = () => this.request === request;
    this.locks.acquire(this.name, { signal: request.signal }).then(
      (lock) => {
        if (!isCurrent()) return lock.release();
        this.request = null;
        this.lock = lock;
        lock.signal.addEventListener('abort', () => this.lose(lock), { once: true });
        if (lock.signal.aborted) this.lose(lock);
        else this.listener.granted(lock.fence);
      },
      (error: Error) => {
        if (!isCurrent()) return;
        this.request = null;
        if (!(error instanceof ClosedError)) this.listener.unavailable(error);
      },
    );
  }

  /** Gives up the request, or the lock. */
  release(): void {
    const { request, lock } = this;
    this.request = null;
    this.lock = null;
    request?.abort(new Error('the request was given up'));
    lock?.release();
  }

  private lose(lock: Lock): void {
    if (this.lock !== lock) return;
    this.lock = null;
    this.listener.lost();
  }
}
