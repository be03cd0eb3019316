/**
 * Cluster actors: each machine of the application, one live instance per id, reachable from every process; see docs/cluster.md.
 *
 * Charts contain the protocol (machines/cluster), one set of them for each actor that is in use here. This file connects them: messages
 * with the transport, acquire and release with locks, restore and apply with the machines, versions and acknowledgments with references.
 */
import { Subscription } from 'rxjs';
import { createActor, createMachine } from 'xstate';
import { clusterCore, type ClusterProtocolOptions } from '../../machines/cluster/core.js';
import type { Hosted } from '../../machines/cluster/messages.js';
import type { AnyMessage, Message, NodeId } from '../../machines/effects.js';
import { thrownText } from '../../machines/errors.js';
import { hash } from '../../machines/hash.js';
import { firstFence } from '../../machines/locks/epoch.js';
import type { Instance } from '../../machines/protocol.js';
import type { ClusterObservation, ClusterObserver } from '../../network/cluster-observation.js';
import { createHost } from '../../network/world/hosts.js';
import { environmentOf } from '../environment.js';
import { createLocks, type Locks } from '../locks/locks.js';
import { noteMaker } from '../locks/unserved.js';
import { knowledgeAt } from '../locks/members.js';
import { Channels } from '../node/channels.js';
import { unlinkedGraph } from '../node/graph.js';
import { isGreeting } from '../node/presence.js';
import { watchers } from '../node/watchers.js';
import { checkOptions, milliseconds, optional } from '../options.js';
import { isShared } from '../storage/shared.js';
import { Drops } from '../transports/drops.js';
import { BackpressureError, ClosedError } from '../transports/errors.js';
import { later } from '../transports/later.js';
import { escape } from '../transports/reading.js';
import type { Linked, Transport } from '../transports/transport.js';
import type { Kind } from './versions.js';
import { ClusterActorRef, type AnyClusterActor } from './actor-ref.js';
import { checkActor, checkCluster, kindsOf, type ActorOptions, type ClusterOptions, type Machines } from './cluster-options.js';
import { ActorError } from './errors.js';
import { Genesis } from './genesis.js';
import { LocalActor, type ActorSite } from './local-actor.js';
import { Mail, parcelOf } from './mail.js';
import { Replicas } from './replicas.js';
import { SHARED, SharedCopies } from './shared-copies.js';
import { copyOfEvent } from './sent-events.js';
import { notJson } from './stored-state.js';
import { isSafeInteger } from '../../machines/checks.js';

export type { ActorOptions, ClusterOptions, Machines, MachineVersion, StoredSnapshot } from './cluster-options.js';
export { delivery, type Delivery } from './delivery.js';
export { ActorError, type ActorErrorReason } from './errors.js';
export { ClusterActorRef, type WaitOptions } from './actor-ref.js';
export { clusterLogic, type ClusterChildSnapshot } from './cluster-logic.js';

/** `retry`: the delay in milliseconds after which an unanswered request is repeated. */
const PROTOCOL = { retry: 250, sendersMax: 1_000, since: 0 } as const;
const IDLE_MS = 60_000;
const CLOSE_MS = 5_000;
const FIND_MS = 1_000;
/** A member keeps copies of actors for which it has no machine. */
const COPIES: readonly string[] = ['read', 'write'];

/**
 * Actors that a cluster of peers shares: each has one live instance, and survives the process that hosts it.
 *
 * @param options the transport, the members, and the machines by kind; see `ClusterOptions`.
 * @throws UsageError for an option that is missing, wrong or unknown.
 * @example
 * ```ts
 * import { assign, setup } from 'xstate';
 * import { InProcessBus } from 'xstate-quiver/transports';
 * import { createCluster } from 'xstate-quiver/cluster';
 *
 * const counter = setup({ types: { context: {} as { n: number }, events: {} as { type: 'ADD' } } }).createMachine({
 *   context: { n: 0 },
 *   on: { ADD: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
 * });
 * const bus = new InProcessBus();
 * const peers = ['a', 'b', 'c'];
 * const clusters = peers.map((id) => createCluster({ transport: bus.transport(id), peers, machines: { counter } }));
 * for (const cluster of clusters) await cluster.actor('counter', 'visits').send({ type: 'ADD' });
 * const visits = clusters[0]!.actor('counter', 'visits');
 * await visits.ready;
 * console.log(visits.getSnapshot().context.n); // 3
 * await Promise.all(clusters.map((cluster) => cluster.close()));
 * ```
 * @public
 */
export const createCluster = <const M extends Machines>(options: ClusterOptions<M>): Cluster<M> => new Cluster<M>(options);

/**
 * The actors of a cluster at one process, created by `createCluster`.
 *
 * @public
 */
export class Cluster<M extends Machines> implements AsyncDisposable {
  /** The id of this process. */
  readonly id: NodeId;
  /** Resolves when this process participates; rejects with the error that closed it before. You do not need to await it. */
  readonly ready: Promise<void>;
  readonly #kinds: ReadonlyMap<string, Kind>;
  readonly #name: string;
  readonly #transport: Transport<Linked>;
  readonly #channels: Channels;
  /** The locks of a member; `null` at a client. */
  readonly #locks: Locks | null;
  readonly #members: readonly NodeId[];
  readonly #site: ActorSite;
  readonly #instance: Instance<ClusterProtocolOptions>;
  readonly #replicas: Replicas;
  /** Copies in a storage that all members share, instead of replicas. */
  readonly #shared: SharedCopies | null;
  readonly #genesis: Genesis;
  readonly #actors = new Map<string, LocalActor>();
  /** Callers that wait for the host of an actor. */
  readonly #finders = new Map<string, Set<(host: NodeId) => void>>();
  readonly #system = createActor(createMachine({})).system;
  readonly #timers = new Subscription();
  readonly #drops: Drops;
  readonly #mail: Mail;
  readonly #observers = new Set<ClusterObserver>();
  readonly #idleMs: number;
  #sessions = 0;
  #isReady = false;
  #closed: Error | null = null;
  #closing: Promise<void> | null = null;

  constructor(given: ClusterOptions<M>) {
    checkCluster(given as ClusterOptions<Machines>);
    const { transport, peers, storage, client = false, placement = 'stay', idleMs = IDLE_MS, name = 'cluster' } = given;
    const { clock, crypto } = environmentOf(given);
    this.#mail = new Mail(clock, (to, message) => this.#transmit(to, message));
    this.id = transport.id;
    this.#name = name;
    this.#kinds = kindsOf(given);
    this.#members = peers.toSorted();
    this.#idleMs = idleMs;
    const shared = isShared(storage) ? storage.shared : null;
    // Members with different kinds of storage are not one majority.
    const lockOptions = { transport, peers, name: `${name}/${shared ? 'shared-locks' : 'locks'}`, clock, crypto };
    this.#locks = client ? null : createLocks({ ...lockOptions, ...(storage && { storage }) });
    if (this.#locks) noteMaker(this.#locks.node, { call: 'createCluster', what: `the cluster "${name}"` });
    this.#transport = this.#locks?.transport ?? transport;
    this.#channels = Channels.of(this.#transport);
    this.#drops = new Drops(`cluster "${name}" at "${this.id}"`, clock);
    this.#replicas = new Replicas(shared ? undefined : storage, { peer: this.id, name, clock });
    this.#genesis = new Genesis(peers, this.id, (to, message) => this.#post(to, message));
    const places = { members: this.#members, replicas: shared ? [SHARED] : this.#members, policy: placement };
    const options = { ...PROTOCOL, ...places, storage: storage && !shared ? 1 : null };
    this.#instance = { ...unlinkedGraph([...new Set([...peers, this.id])]), options };
    const life = `${this.id} ${crypto.randomUUID()}`;
    this.#site = {
      world: {
        id: this.id,
        host: createHost('snapshots', clusterCore),
        instance: this.#instance,
        clock,
        hasStorage: storage !== undefined && !shared,
        isFit: (key) => this.#isFit(key),
        preferred: (key) => preferredFor(key, this.#members, (member) => member === this.id || this.#transport.peers.has(member)),
        send: (key, to, message) => this.#send(key, to, message),
        whenHandled: (run) => this.#mail.whenHandled(run),
        save: (key, stored) => this.#replicas.save(key, stored),
        fail: (error) => this.#end(error),
      },
      newSession: () => `${life} ${++this.#sessions}`,
      locks: this.#locks,
      sizeMax: Math.floor(this.#transport.guarantees.messageBytesMax / 4),
      send: ({ kind, id }, event) => this.actor(kind, id)._send(event),
      failed: (error, what) => this.#warn(error, what),
      isObserved: () => this.#observers.size > 0,
      observed: (observation) => this.#observed(observation),
    };
    this.#shared =
      shared &&
      new SharedCopies({
        store: shared,
        name,
        world: this.#site.world,
        member: this.id,
        reply: (key, message) => queueMicrotask(() => this.#take(key, SHARED, message)),
        failed: (error, what) => this.#warn(error, what),
      });
    this.#channels.open(name, {
      message: (from, message) => this.#receive(from, message),
      peer: (type, peer) => this.#linkChanged(type, peer),
      closed: (error) => this.#end(error ?? new ClosedError(`the transport of "${this.id}" was closed`)),
    });
    void this.#locks?.node.closed.then((error) => error && this.#end(error));
    this.ready = this.#begin();
    this.ready.catch(() => {});
    for (const watch of watchers()) watch(this);
  }

  /**
   * Returns a reference to the actor of this kind and id. The first use of any reference, on any process, creates the actor with its
   * `input`.
   *
   * @throws UsageError for an unknown kind, an id that is not 1 to 128 characters, and unknown options; ActorError for an input that is not
   * JSON.
   */
  actor<K extends keyof M & string>(kind: K, id: string, options: ActorOptions<M[K]> = {}): ClusterActorRef<M[K]> {
    checkActor(kind, id, options, this.#kinds);
    const { input, create = true } = options;
    const why = notJson(input);
    if (why !== null)
      throw new ActorError('event', `Actor "${kind}/${id}" has an input that is not JSON: ${why}. Pass plain data.`);
    const creation = { isAllowed: create, input: input ?? null };
    const used = (ref: AnyClusterActor): LocalActor => {
      const local = this.#local(ref.id);
      local.create(creation);
      return local;
    };
    return new ClusterActorRef<M[K]>(kind, id, this.#kinds.get(kind)!.machine as M[K], input, {
      system: this.#system,
      send: (ref, event) => this.#sendEvent(used(ref), event),
      latest: (ref) => this.#actors.get(ref.id)?.latest ?? null,
      subscribe: (ref) => (this.#closed ? ref.failed(this.#closed) : used(ref).subscribe(ref)),
      unsubscribe: (ref) => this.#actors.get(ref.id)?.unsubscribe(ref),
      where: (ref) => this.#where(ref.id),
      failed: (error, what) => this.#warn(error, what),
    });
  }

  /** Finds the peer that hosts the actor now; `null` if no member reports one within a second. */
  where<K extends keyof M & string>(kind: K, id: string): Promise<NodeId | null> {
    checkActor(kind, id, {}, this.#kinds);
    return this.#where(keyOf(kind, id));
  }

  /** The actors that this process hosts now, as `kind/id`. */
  get hosted(): readonly string[] {
    return [...this.#actors.values()].filter(({ isHosted }) => isHosted).map(({ key }) => key);
  }

  /**
   * Hands over the actors that this process hosts, and stops participating. The transport stays open. Events that are not acknowledged by
   * then reject with a ClosedError.
   *
   * @param options `withinMs`: the time limit for the actors in milliseconds, 5,000 by default.
   */
  close(options: { readonly withinMs?: number } = {}): Promise<void> {
    checkOptions('cluster.close', options, { withinMs: optional(milliseconds(0)) });
    this.#closing ??= this.#close(options.withinMs ?? CLOSE_MS);
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Reports the state of this process and its changes to an inspector, until the returned function is called. Use `inspect` of
   * `xstate-quiver/inspector`.
   *
   * @experimental
   */
  observe(observer: ClusterObserver): () => void {
    observer({ type: 'member', id: this.id, name: this.#name, members: this.#members });
    for (const peer of this.#transport.peers) observer({ type: 'link', change: 'up', peer });
    for (const local of this.#actors.values()) {
      const standing = local.standing();
      if (standing) observer(standing);
    }
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  #observed(observation: ClusterObservation): void {
    for (const observer of this.#observers) observer(observation);
  }

  async #begin(): Promise<void> {
    await this.#transport.connect();
    if (this.#locks) {
      const epoch = await this.#locks.served;
      await this.#replicas.begin(firstFence(epoch, knowledgeAt(this.#locks.node)!.bounds.grants));
      if (!this.#shared) this.#genesis.begin(this.#replicas.served, () => this.#noteGenesis());
    }
    if (this.#closed) throw this.#closed;
    this.#isReady = true;
    for (const local of this.#actors.values()) this.#load(local);
    for (const key of this.#replicas.awake) this.#with(key, { type: 'wake' });
    this.#wakeShared();
    this.#sweep();
  }

  #noteGenesis(): void {
    const noted = this.#replicas.noteGenesis();
    for (const local of this.#actors.values()) local.step({ type: 'genesis' });
    noted.catch((error: Error) => this.#end(error));
  }

  #local(key: string): LocalActor {
    let local = this.#actors.get(key);
    if (!local) {
      local = new LocalActor(key, this.#kinds.get(key.slice(0, key.indexOf('/'))), this.#site);
      this.#actors.set(key, local);
    }
    if (this.#isReady && !local.node && !local.isLoading) this.#load(local);
    return local;
  }

  #load(local: LocalActor): void {
    local.isLoading = true;
    const replica = this.#replicas.load(local.key);
    if (!(replica instanceof Promise)) local.begin(replica);
    else
      replica.then(
        (loaded) => this.#closed || local.begin(loaded),
        (error: Error) => this.#end(error),
      );
  }

  /** Passes an event to the charts of an actor. If they have to be loaded first, the event may be lost, and its sender repeats it. */
  #with(key: string, event: AnyMessage): void {
    this.#local(key).step(event);
  }

  #sendEvent(local: LocalActor, event: unknown): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closed);
    const copy = copyOfEvent(local.key, event, this.#site.sizeMax);
    return copy instanceof ActorError ? Promise.reject(copy) : local.send(copy.event, copy.weight);
  }

  #send(key: string, to: NodeId, message: Message): void {
    if (to === SHARED) queueMicrotask(() => this.#closed || this.#shared!.take(key, message));
    else if (to === this.id) queueMicrotask(() => this.#take(key, this.id, message));
    else this.#post(to, { ...message, actor: key });
  }

  #post(to: NodeId, message: AnyMessage): void {
    if (!this.#closed) this.#mail.post(to, message);
  }

  /** Sends messages, or drops them if the peer is not connected: the charts repeat unanswered messages. */
  #transmit(to: NodeId, message: AnyMessage): void {
    if (this.#closed || this.#transport.isClosed || !this.#transport.peers.has(to)) return;
    try {
      this.#channels.send(this.#name, to, message);
    } catch (error) {
      if (error instanceof BackpressureError) return;
      // The messages of a parcel may be too large together.
      const parcel = parcelOf(message);
      if (parcel) for (const one of parcel) this.#transmit(to, one);
      else this.#warn(error, `a message for "${to}"`);
    }
  }

  #receive(from: NodeId, message: Message): void {
    const parcel = parcelOf(message);
    if (parcel) for (const one of parcel) this.#receiveOne(from, one);
    else this.#receiveOne(from, message);
  }

  #receiveOne(from: NodeId, message: Message): void {
    const { actor: key, ...rest }: Message & { readonly actor?: unknown; readonly since?: unknown } = message;
    const { type, since } = rest;
    if (type === 'member' && key === undefined && isSafeInteger(since)) this.#genesis.received(from, since);
    else if (typeof key === 'string' && clusterCore.accepts(rest, this.#instance)) this.#take(key, from, rest);
    else if (!isGreeting(message)) this.#drops.drop(`"${type}" from "${from}" is malformed; give all peers the same release`);
  }

  #take(key: string, from: NodeId, message: Message): void {
    if (this.#closed || !this.#isReady) return;
    if (message.type === 'hosted') for (const found of this.#finders.get(key) ?? []) found((message as Hosted).host);
    if (this.#isFit(key) || COPIES.includes(message.type)) this.#with(key, { ...message, from });
    else if (message.type === 'want') this.#send(key, from, { type: 'unfit' });
    else this.#drops.drop(`actor "${key}" is not of a kind that is known here; give all peers the same machines`);
  }

  /** True if this process has a machine for the actor. */
  #isFit(key: string): boolean {
    return this.#kinds.has(key.slice(0, key.indexOf('/')));
  }

  #linkChanged(type: 'up' | 'down', peer: NodeId): void {
    this.#observed({ type: 'link', change: type, peer });
    if (type === 'up') this.#genesis.met(peer);
    for (const local of this.#actors.values()) local.step({ type: `link.${type}`, peer });
    if (type === 'down' && this.#members.includes(peer) && this.#isReady) this.#wakeShared();
  }

  /** Wakes actors that have work and may have lost their host. Only the first of the connected members does so. */
  #wakeShared(): void {
    const isFirst = this.#members.every((member) => member >= this.id || !this.#transport.peers.has(member));
    if (!this.#shared || !isFirst || this.#closed) return;
    this.#shared.awake().then(
      (keys) => {
        for (const key of keys) this.#take(key, SHARED, { type: 'wake' });
      },
      (error: unknown) => {
        this.#warn(error, 'the shared storage, which is tried again');
        later(this.#timers, this.#site.world.clock, () => this.#wakeShared(), FIND_MS);
      },
    );
  }

  async #where(key: string): Promise<NodeId | null> {
    await this.ready;
    if (this.#closed) throw this.#closed;
    const known = this.#actors.get(key)?.host;
    if (known !== null && known !== undefined) return known;
    return new Promise((resolve) => {
      const finders = this.#finders.get(key) ?? new Set();
      this.#finders.set(key, finders);
      const found = (host: NodeId | null) => {
        finders.delete(found);
        if (finders.size === 0) this.#finders.delete(key);
        resolve(host);
      };
      finders.add(found);
      later(this.#timers, this.#site.world.clock, () => found(null), FIND_MS);
      for (const member of this.#members) this.#send(key, member, { type: 'find' });
    });
  }

  /** Ends idle actors, and keeps actors at rest without their charts. Runs periodically. */
  #sweep(): void {
    const { clock } = this.#site.world;
    const before = clock.now() - this.#idleMs;
    for (const [key, local] of this.#actors) {
      if (local.isIdle && local.usedAt <= before) local.step({ type: 'passivate' });
      if (!local.isAtRest || local.usedAt > before) continue;
      const { replica } = local.node!;
      if (replica) this.#replicas.keep(key, replica);
      this.#shared?.forget(key);
      local.rest();
      this.#actors.delete(key);
    }
    later(this.#timers, clock, () => this.#sweep(), this.#idleMs / 2);
  }

  async #close(withinMs: number): Promise<void> {
    const { clock } = this.#site.world;
    if (this.#isReady && !this.#closed) {
      const others = this.#members.filter((member) => member !== this.id && this.#transport.peers.has(member));
      let next = 0;
      const handOver = () => {
        for (const local of this.#actors.values()) {
          if (!local.isHosted) continue;
          const to = others[next++ % others.length];
          local.step(to === undefined ? { type: 'passivate' } : { type: 'handOver', to });
        }
      };
      handOver();
      const until = clock.now() + withinMs;
      // An error may end it meanwhile, and its timers.
      while (this.hosted.length > 0 && clock.now() < until && !this.#closed)
        await new Promise<void>((resolve) => clock.schedule(() => resolve(), 5));
    }
    this.#mail.leave();
    this.#end(new ClosedError(`the cluster at "${this.id}" is closed`));
    await this.#locks?.close({ withinMs: 0 });
  }

  #end(error: Error): void {
    if (this.#closed) return;
    this.#closed = error;
    this.#timers.unsubscribe();
    this.#channels.close(this.#name);
    for (const local of this.#actors.values()) local.close(error);
    this.#observed({ type: 'closed' });
    this.#shared?.close();
    if (!(error instanceof ClosedError)) {
      this.#warn(error, 'this peer, which has stopped taking part');
      this.#locks?.close({ withinMs: 0 }).catch(() => {});
    }
  }

  #warn(error: unknown, what: string): void {
    console.warn(escape(`cluster "${this.#name}" at "${this.id}": ${what}: ${thrownText(error)}`));
  }
}

const keyOf = (kind: string, id: string): string => `${kind}/${id}`;

/**
 * Placement `balance`: the members in the order in which they are asked to host an actor, which differs for each actor. Members that are
 * not connected come last.
 */
function preferredFor(key: string, members: readonly NodeId[], isConnected: (member: NodeId) => boolean): readonly NodeId[] {
  const rank = (member: NodeId): number => mixed(hash(`${member} ${key}`)) + (isConnected(member) ? 0 : 2 ** 32);
  return members.toSorted((one, other) => rank(one) - rank(other));
}

/** Spreads a hash over 32 bits, because hashes of similar texts differ little. This is the finalizer of MurmurHash3. */
function mixed(h: number): number {
  let mix = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}
