/** Rejects transports and options with which a protocol would not be safe, and messages that a node cannot deliver. */
import { UsageError } from '../../machines/errors.js';
import type { NodeId } from '../../machines/effects.js';
import type { RunningCore } from '../../machines/core.js';
import type { Core, Instance } from '../../machines/protocol.js';
import type { Guarantees } from '../transports/transport.js';

/** True if a protocol has link events. They are derived from greetings, which must arrive before all other messages. */
export const needsPresence = ({ network }: Pick<Core, 'network'>): boolean => network.reach === 'links' && !network.isLossy;

/** Checks that a transport guarantees what a protocol requires. `Transport<Reliable>` checks most of it at compile time. */
export function refuseUnsafe(protocol: Pick<Core, 'name' | 'network'>, { order, loss, duplication, presence }: Guarantees): void {
  const { name, network } = protocol;
  if (network.isLossy) return;
  const keepsOrder = order === 'fifo' || (network.order === 'unordered' && !needsPresence(protocol));
  const lacks = [
    ...(loss === 'none' ? [] : ['may lose messages']),
    ...(duplication === 'none' ? [] : ['may deliver messages twice']),
    ...(keepsOrder ? [] : ['may change their order']),
    ...(presence === 'reported' || !needsPresence(protocol) ? [] : ['does not report which peers are connected']),
  ];
  if (lacks.length === 0) return;
  throw new UsageError(
    `${name} is not safe on a transport that ${lacks.join(' and ')}. Wrap the transport: linked(transport, { peers }).`,
  );
}

/** Checks that the topology contains the node, and that a protocol with storage can store something. */
export function refuseImpossible(
  name: string,
  protocol: Pick<RunningCore, 'name' | 'reload'>,
  { rank, topology }: Pick<Instance, 'rank' | 'topology'>,
  { id, storage }: { readonly id: NodeId; readonly storage: unknown },
): void {
  if (rank(id) < 0)
    throw new UsageError(`node "${id}" is not in the topology of "${name}". Add it to ${topology.nodes.join(', ')}.`);
  if (storage && !protocol.reload)
    throw new UsageError(`protocol ${protocol.name} stores nothing. Remove the option "storage" of "${name}".`);
}

export const strangerText = (from: NodeId): string =>
  `A message is from "${from}", which is not in the topology. If it should participate, add it: linked(transport, { peers })`;

export const refusedText = (from: NodeId, type: string, why: string | null): string =>
  `"${type}" from "${from}" ${why ?? 'is malformed, or names a node that is not in the topology here. Pass the same list of peers everywhere, also to linked'}`;
