/** A cluster actor as the child of a machine: events for the child go to the actor, and its durable snapshots and emitted events come back. */
import type { ActorLogic, AnyActor, AnyActorRef, EmittedFrom, EventFromLogic, InputFrom, Snapshot, SnapshotFrom } from 'xstate';
import type { AnyClusterActor } from './actor-ref.js';
import type { Cluster } from './cluster.js';
import type { Machines } from './cluster-options.js';

/**
 * The snapshot of a child made by `clusterLogic`: `actor` is the last durable snapshot of the cluster actor, once there is one.
 *
 * @public
 */
export type ClusterChildSnapshot<L extends Machines[string]> = Snapshot<unknown> & {
  readonly id: string;
  readonly input: InputFrom<L> | undefined;
  readonly actor: SnapshotFrom<L> | undefined;
};

interface Received<L extends Machines[string]> {
  readonly type: '@cluster.snapshot';
  readonly snapshot: SnapshotFrom<L>;
}

interface Failed {
  readonly type: '@cluster.failed';
  readonly error: unknown;
}

interface Attached {
  readonly ref: AnyClusterActor;
  end(): void;
}

/**
 * Logic to invoke or spawn: the cluster actor of this kind with the id of the input. The child is done when the actor is; stopping the
 * child leaves the actor as it is.
 *
 * @param cluster the cluster that hosts the actor.
 * @param kind a name of `machines` in `createCluster`.
 * @returns actor logic with the input `{ id, input }`, where `input` is the actor's, if it has to be created. Its snapshot contains the
 * actor's, as `actor`. It fails with an `ActorError` if the actor cannot be created or read.
 * @example
 * ```ts
 * import { assign, createActor, setup } from 'xstate';
 * import { InProcessBus } from 'xstate-quiver/transports';
 * import { clusterLogic, createCluster } from 'xstate-quiver/cluster';
 *
 * const counter = setup({ types: { context: {} as { n: number }, events: {} as { type: 'ADD' } } }).createMachine({
 *   context: { n: 0 },
 *   on: { ADD: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
 * });
 * const cluster = createCluster({ transport: new InProcessBus().transport('a'), peers: ['a'], machines: { counter } });
 * const page = setup({ actors: { counter: clusterLogic(cluster, 'counter') } }).createMachine({
 *   invoke: { src: 'counter', id: 'visits', input: { id: 'visits' } },
 * });
 * const actor = createActor(page).start();
 * actor.getSnapshot().children['visits']!.send({ type: 'ADD' });
 * await cluster.actor('counter', 'visits').ready;
 * actor.stop();
 * await cluster.close();
 * ```
 * @public
 */
export function clusterLogic<M extends Machines, K extends keyof M & string>(
  cluster: Cluster<M>,
  kind: K,
): ActorLogic<
  ClusterChildSnapshot<M[K]>,
  EventFromLogic<M[K]> | Received<M[K]> | Failed,
  { readonly id: string; readonly input?: InputFrom<M[K]> },
  AnyActor['system'],
  EmittedFrom<M[K]>
> {
  type Child = ClusterChildSnapshot<M[K]>;
  const attached = new WeakMap<AnyActorRef, Attached>();
  const received = (child: Child, actor: SnapshotFrom<M[K]>): Child => {
    const { status, output, error } = actor;
    return { ...child, status, output, error, actor };
  };
  return {
    getInitialSnapshot: (_, { id, input }) => ({
      status: 'active',
      output: undefined,
      error: undefined,
      id,
      input,
      actor: undefined,
    }),
    start: ({ id, input }, { self, emit }) => {
      const ref = cluster.actor(kind, id, input === undefined ? {} : { input });
      const notify = () => self.send({ type: '@cluster.snapshot', snapshot: ref.getSnapshot() });
      const failed = (error: unknown) =>
        (ref.getSnapshot() as Snapshot<unknown>).error === error ? notify() : self.send({ type: '@cluster.failed', error });
      const subscriptions = [ref.subscribe({ next: notify, error: failed }), ref.on('*', (event) => emit(event))];
      attached.set(self, { ref, end: () => subscriptions.forEach((one) => one.unsubscribe()) });
    },
    transition: (child, event, { self }) => {
      const { type } = event as { readonly type: string };
      if (type === '@cluster.snapshot') return received(child, (event as Received<M[K]>).snapshot);
      if (type === '@cluster.failed') return { ...child, status: 'error', output: undefined, error: (event as Failed).error };
      const link = attached.get(self);
      if (type !== 'xstate.stop') void link?.ref._send(event);
      else {
        link?.end();
        return { ...child, status: 'stopped', output: undefined, error: undefined };
      }
      return child;
    },
    getPersistedSnapshot: (child) => ({ ...child, actor: undefined }),
    restoreSnapshot: (child) => child as Child,
  };
}
