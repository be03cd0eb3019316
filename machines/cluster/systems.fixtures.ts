/** Small systems of one actor for the searches, and the protocol without one of its rules. */
import { explore, type ExploreOptions } from '../../test/explore/explore.js';
import type { Scripted } from '../../network/world/script.js';
import type { NodeId } from '../effects.js';
import { hostMachine } from './host.js';
import { cluster } from './protocol.fixtures.js';
import { HOST, REPLICA, SENDER } from './messages.js';
import { replicaMachine } from './replica.js';
import { senderMachine } from './sender.js';

export type Commands = readonly Scripted[];

export const clique = (...nodes: readonly NodeId[]): ExploreOptions['topology'] => ({
  nodes,
  links: nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v, 1] as [string, string, number])),
});

const command = (name: string, node: NodeId, fields: Readonly<Record<string, unknown>> = {}): Scripted =>
  ({ do: 'command', name, node, fields }) as Scripted;
export const send = (node: NodeId): Scripted => command('send', node, { event: 1 });
export const create = (node: NodeId): Scripted => command('create', node);
export const subscribe = (node: NodeId): Scripted => command('subscribe', node);
/** The lock is granted to a member that waits for it, whether or not another member holds it. */
export const granted = (node: NodeId, fence: number): Scripted => command('granted', node, { fence });
/** A member wants the lock, and it is granted. */
export const activate = (node: NodeId, fence: number): Commands => [command('wake', node), granted(node, fence)];
export const handOver = (node: NodeId, to: NodeId): Scripted => command('handOver', node, { to });
export const crash = (node: NodeId): Scripted => ({ do: 'crash', node }) as Scripted;
export const down = (u: NodeId, v: NodeId): Scripted => ({ do: 'down', channel: [u, v] }) as Scripted;
export const cut = (u: NodeId, v: NodeId): Scripted => ({ do: 'cut', link: [u, v] }) as Scripted;
export const join = (u: NodeId, v: NodeId): Scripted => ({ do: 'join', link: [u, v] }) as Scripted;
/** The process stops and restarts, with its stored state or without memory; its links come back. */
export const reload = (node: NodeId): Commands => [crash(node), { do: 'reload', node } as Scripted];

export const searched = (
  topology: ExploreOptions['topology'],
  commands: Commands,
  more: Partial<ExploreOptions> = {},
  protocol = cluster,
) => explore(protocol, { topology, commands, order: 'fifo', bounds: { states: 400_000 }, ...more });

type Provided<M extends { provide(implementations: any): unknown }> = Parameters<M['provide']>[0];

export const without = (mutants: {
  readonly host?: Provided<typeof hostMachine>;
  readonly replica?: Provided<typeof replicaMachine>;
  readonly sender?: Provided<typeof senderMachine>;
}): typeof cluster => ({
  ...cluster,
  charts: {
    ...cluster.charts,
    [HOST]: hostMachine.provide(mutants.host ?? {}),
    [REPLICA]: replicaMachine.provide(mutants.replica ?? {}),
    [SENDER]: senderMachine.provide(mutants.sender ?? {}),
  },
});
