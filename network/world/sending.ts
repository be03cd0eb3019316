/** How messages find their receivers, and how a receiver knows their sender. */
import type { Address, Message, NodeId } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';
import type { Instance, Protocol } from '../../machines/protocol.js';
import type { Links } from './links.js';

/** The node at an address: a name, or a port of the sender; `undefined` where nobody is. */
export const receiverOf = (links: Pick<Links, 'peerAt'>, from: NodeId, address: Address): NodeId | undefined =>
  typeof address === 'number' ? links.peerAt(from, address) : address;

/** The sender of a message as its receiver knows it: by name, or by the receiver's port. */
export const senderAs = (
  addressing: 'names' | 'ports',
  links: Pick<Links, 'port'>,
  { from, to }: { readonly from: NodeId; readonly to: NodeId },
): Address => (addressing === 'ports' ? links.port(to, from) : from);

/** What a protocol would refuse when it comes over the wire is refused when it is sent, in every life. */
export function requireAccepted({ name, accepts }: Protocol, instance: Instance<any>, from: NodeId, message: Message): void {
  if (accepts(message, instance)) return;
  throw new ProtocolError(
    `node ${from} sends ${JSON.stringify(message).slice(0, 200)}, which ${name} itself refuses when it comes over the wire; ` +
      'mend what its description accepts, or the chart',
  );
}
