/** Checks that a transport guarantees what a protocol requires. `Transport<Reliable>` checks most of it at compile time. */
import { UsageError } from '../../machines/errors.js';
import type { Core } from '../../machines/protocol.js';
import type { Guarantees } from '../transports/transport.js';

/** True if a protocol has link events. They are derived from greetings, which must arrive before all other messages. */
export const needsPresence = ({ network }: Pick<Core, 'network'>): boolean => network.reach === 'links' && !network.isLossy;

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
