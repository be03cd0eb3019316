/** Lists of peers that linked transports were created with. Objects on a transport compare them with their own lists. */
import type { NodeId } from '../../machines/effects.js';
import type { Transport } from './transport.js';

const lists = new WeakMap<Transport, readonly NodeId[]>();

export const noteLinkedPeers = (transport: Transport, peers: readonly NodeId[]): void => void lists.set(transport, [...peers]);

/** The list of a transport; `undefined` if it accepts any peer. */
export const linkedPeersOf = (transport: Transport): readonly NodeId[] | undefined => lists.get(transport);
