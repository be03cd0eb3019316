/** Typed access to the roles of a node in a cluster: replica, host and sender. */
import type { NodeView, RoleView } from '../protocol.js';
import type { HostContext } from './hosting.js';
import { HOST, REPLICA, SENDER } from './messages.js';
import type { ReplicaContext } from './replica.js';
import type { SenderContext } from './sender.js';

export const replicaOf = (node: NodeView): ReplicaContext | undefined => node[REPLICA]?.context;
export const hostOf = (node: NodeView): RoleView<HostContext> | undefined => node[HOST];
export const senderOf = (node: NodeView): SenderContext => node[SENDER]!.context;
