/**
 * A node as XState actor logic, to invoke or spawn from a machine.
 *
 * Events sent to the actor are commands of the protocol. Notifications go to the parent and to listeners (`on`), with the id of the actor
 * as `from`. An event that is not a command, or that the chart cannot accept now, is ignored, as in machines. The snapshot contains the
 * states of the node's charts. The transport is not persisted. To restore a node, use logic that creates a transport:
 * `nodeLogic((input) => createNode({ ...input, transport }))`. Messages to a stopped node are lost, so persist a whole network, or a node to
 * which no other node sends messages.
 *
 * For an existing object, use its `actor`, for example `locks.actor`. It reports the notifications of the object's node, and stopping it
 * closes the node.
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
import { fieldsOf } from '../../machines/checks.js';

/**
 * Snapshot of `nodeLogic`: `input` is the actor's input, and `roles` contains the state of each chart, by role.
 *
 * @public
 */
export type NodeSnapshot<I> = Snapshot<undefined> & {
  readonly input: I;
  /** The states of the roles; empty until the node has started. */
  readonly roles: NodeView;
};

interface LogicEvent extends AnyEventObject {
  readonly type: 'node.stepped' | 'node.closed';
}

type Logic<I> = ActorLogic<NodeSnapshot<I>, AnyEventObject, I, AnyActor['system'], AnyEventObject>;
type Scope<I> = Parameters<Logic<I>['transition']>[2];

/**
 * Creates XState actor logic for a node. Events are commands of its protocol; notifications go to the parent and to listeners (`on`). To
 * restore a persisted snapshot, create the transport in `create`.
 *
 * @param create creates the node from the actor's input: `createNode`, or a function that also creates a transport.
 * @returns actor logic whose snapshot contains the roles of the node.
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
    const node = adopted(self as AnyActor, () => create(resumed));
    live.set(self, node);
    node.notifications$.subscribe((notification) => {
      const notice = { ...notification, from: self.id };
      emit(notice);
      parentOf(self)?.send(notice);
    });
    const notify = (notification: LogicEvent) => {
      if (self.getSnapshot().status === 'active') self.send(notification);
    };
    node.steps$.subscribe(() => notify({ type: 'node.stepped' }));
    void node.ready.then(
      () => notify({ type: 'node.stepped' }),
      () => {},
    );
    void node.closed.then((error) => notify({ type: 'node.closed', error }));
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
      const { transport: _, ...data } = fieldsOf(input);
      return { ...snapshot, input: data };
    },
    restoreSnapshot: (snapshot) => snapshot as NodeSnapshot<I>,
  };
}

/**
 * Actor of a running node: the type of `actor` of every object, and of `LiveNode`.
 *
 * @public
 */
export type NodeActor = Actor<Logic<object>>;

/**
 * Creates the actor of a node. `closed` and the snapshot report its end, so an unobserved error is not reported again. @internal
 */
export function actorOf(node: LiveNode): NodeActor {
  const actor = createActor(
    nodeLogic(() => node),
    { input: {} },
  );
  actor.subscribe({ error: () => {} });
  return actor.start();
}
