/**
 * A node as plain XState actor logic: invoke or spawn it from your own machine.
 *
 * Commands of the protocol are sent to it as events; its notifications come to the parent and to listeners (`on`), with the id of the actor as
 * `from`.
 * An event that is not a command, or one that the chart cannot take now, is ignored, as machines do. The snapshot carries the states of
 * the node's charts. It persists without the transport, which is no data: to restore one, provide logic that brings a transport of
 * its own, `nodeLogic((input) => createNode({ ...input, transport }))`. What was sent to the node while it was stopped is lost, so
 * persist a whole network, or a node that nobody talks to.
 *
 * Of an object that runs already `locks.actor` is the actor (`nodeLogic(() => locks.node)` is its logic): it says what the object's node says, and stopping it closes the node.
 */
import {
  createActor,
  type Actor,
  type ActorLogic,
  type AnyActor,
  type AnyActorRef,
  type AnyEventObject,
  type Snapshot,
} from 'xstate';
import type { NodeView } from '../../machines/protocol.js';
import { parentOf } from '../../network/world/internals.js';
import { adopted } from './host.js';
import type { LiveNode } from './node.js';

/**
 * The snapshot of `nodeLogic`: the options that the node was made of, and the states of its charts by role.
 *
 * @public
 */
export type NodeSnapshot<I> = Snapshot<undefined> & {
  readonly input: I;
  /** The roles as they stand; empty until the node has started. */
  readonly roles: NodeView;
};

interface LogicEvent extends AnyEventObject {
  readonly type: 'node.stepped' | 'node.closed';
}

type Logic<I> = ActorLogic<NodeSnapshot<I>, AnyEventObject, I, any, AnyEventObject>;
type Scope<I> = Parameters<Logic<I>['transition']>[2];

/**
 * A node as plain XState actor logic: commands of its protocol are sent to it as events, its notices come to the parent and to
 * whoever listens with `on`. What it can persist, and how it is restored, stands at the head of the file.
 *
 * @param create makes the node of the actor's input: `createNode`, or a function that brings a transport of its own.
 * @example
 * ```ts
 * import { createActor } from 'xstate';
 * import { InProcessBus } from 'xstate-quiver/transports';
 * import { createNode, type NodeOptions, nodeLogic } from 'xstate-quiver/node';
 * import { directory } from 'xstate-quiver/machines';
 *
 * const transport = new InProcessBus().transport('a');
 * const input = { transport, protocol: directory, topology: { nodes: ['a', 'b'], links: [['a', 'b', 1]] as const } };
 * const node = createActor(nodeLogic<NodeOptions>(createNode), { input });
 * node.on('granted', () => node.stop());
 * node.start().send({ type: 'request' });
 * ```
 * @public
 */
export function nodeLogic<I extends object>(create: (input: I & { readonly resume?: NodeView }) => LiveNode): Logic<I> {
  const live = new WeakMap<AnyActorRef, LiveNode>();

  const start = (snapshot: NodeSnapshot<I>, { self, emit }: Scope<I>) => {
    const { input, roles } = snapshot;
    const resumed = Object.keys(roles).length === 0 ? input : { ...input, resume: roles };
    const node = adopted(self as unknown as AnyActor, () => create(resumed));
    live.set(self, node);
    node.notifications$.subscribe((notification) => {
      const notice = { ...notification, from: self.id };
      emit(notice);
      parentOf(self)?.send(notice);
    });
    const tell = (notification: LogicEvent) => {
      if (self.getSnapshot().status === 'active') self.send(notification);
    };
    node.steps$.subscribe(() => tell({ type: 'node.stepped' }));
    void node.ready.then(
      () => tell({ type: 'node.stepped' }),
      () => {},
    );
    void node.closed.then((error) => tell({ type: 'node.closed', error }));
  };

  const transition = (snapshot: NodeSnapshot<I>, event: AnyEventObject, { self }: { self: AnyActorRef }): NodeSnapshot<I> => {
    const node = live.get(self);
    switch (event.type) {
      case 'xstate.stop':
        void node?.close();
        return { ...snapshot, status: 'stopped', error: undefined };
      case 'node.stepped':
        return { ...snapshot, roles: node!.view() };
      case 'node.closed':
        return event['error'] === null
          ? { ...snapshot, status: 'done', output: undefined, error: undefined }
          : { ...snapshot, status: 'error', output: undefined, error: event['error'] };
      default: {
        const { type, ...fields } = event;
        node?.attempt(type, fields);
        return snapshot;
      }
    }
  };

  return {
    start,
    transition,
    getInitialSnapshot: (_, input) => ({ status: 'active', output: undefined, error: undefined, input, roles: {} }),
    getPersistedSnapshot: ({ input, ...snapshot }: NodeSnapshot<I>): Snapshot<undefined> & { input: object } => {
      const { transport: _, ...data } = input as { transport?: unknown };
      return { ...snapshot, input: data };
    },
    restoreSnapshot: (snapshot) => snapshot as NodeSnapshot<I>,
  };
}

/**
 * A running node as an actor: `actor` of every object, and of `LiveNode`.
 *
 * @public
 */
export type NodeActor = Actor<Logic<object>>;

/** How it ends `closed` tells, and its snapshot: an error that nobody waits for is not reported again. @internal */
export function actorOf(node: LiveNode): NodeActor {
  const actor = createActor(
    nodeLogic(() => node),
    { input: {} },
  );
  actor.subscribe({ error: () => {} });
  return actor.start();
}
