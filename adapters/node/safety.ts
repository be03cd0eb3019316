/** True if a transport promises what a protocol assumes. `Transport<Reliable>` says most of it to the compiler, this to everyone else. */
import { UsageError } from '../../machines/errors.js';
import type { Core } from '../../machines/protocol.js';
import type { Guarantees } from '../transports/transport.js';

/** A protocol whose links speak is notified of them by greetings, which must be the first that is heard. */
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
    `${name} is not safe on a transport that ${lacks.join(' and ')}. Wrap the transport: linked(transport, { peers })`,
  );
}
