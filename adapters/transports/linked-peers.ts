/** With whom a transport links, where that is a list which its maker was given: whoever counts on others can compare before they wait. */
import type { NodeId } from '../../machines/effects.js';
import type { Transport } from './transport.js';

const lists = new WeakMap<Transport, readonly NodeId[]>();

export const noteLinkedPeers = (transport: Transport, peers: readonly NodeId[]): void => void lists.set(transport, [...peers]);

/** `undefined` where everybody may come. */
export const linkedPeersOf = (transport: Transport): readonly NodeId[] | undefined => lists.get(transport);
