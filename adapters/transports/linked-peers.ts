/**
 * Lists of peers that linked transports were created with. Objects on a transport compare them with their own lists, and name the peers
 * that they need to be linked with.
 */
import type { NodeId } from '../../machines/effects.js';
import type { Transport } from './transport.js';

/** Called with the peers that an object needs; `undefined` is the whole list. */
type Need = (peers: readonly NodeId[] | undefined) => void;

const lists = new WeakMap<Transport, { readonly peers: readonly NodeId[]; readonly need: Need }>();

export const noteLinkedPeers = (transport: Transport, peers: readonly NodeId[], need: Need = () => {}): void =>
  void lists.set(transport, { peers: [...peers], need });

/** The list of a transport; `undefined` if it accepts any peer. */
export const linkedPeersOf = (transport: Transport): readonly NodeId[] | undefined => lists.get(transport)?.peers;

/**
 * Links with the peers that an object needs. Links with the other peers of the list open on demand, unless another object needs them, or the
 * transport was connected before.
 */
export const needLinks: (transport: Transport, peers: readonly NodeId[] | undefined) => void = (transport, peers) =>
  lists.get(transport)?.need(peers);
