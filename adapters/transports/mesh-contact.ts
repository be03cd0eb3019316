/** A connection between two peers of a mesh, as one of them knows it, where it dialed, and why nothing came of it. */
import type { IncomingMessage } from 'node:http';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Subscription } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import type { BoundedLine } from './bounded-line.js';
import { quote } from './reading.js';

/**
 * A connection: of which it is not known yet whose it is; that has said hello; whose other end has let this one in, and is looked at in
 * turn; that is a peer's; that is over.
 */
export interface MeshContact {
  readonly line: BoundedLine;
  state: 'new' | 'asking' | 'welcomed' | 'up' | 'gone';
  id: NodeId;
  /** What the other end shows of its key. */
  proof: string;
  /** Beats since something was heard: they are counted, not the time, because clocks can be set. */
  silence: number;
  /** For a connection that was dialed. */
  readonly address: PeerAddress | null;
  /** The upgrade of a connection: the request, and the answer where it was dialed. */
  upgrade: IncomingMessage | null;
  /** What time does to it: who takes too long to be let in is given up, and a connection that has lasted is not a failed try. */
  deadline: Subscription;
  /** In the order of all that this peer has seen: when the connection came to be, and when it became a peer's. */
  readonly begun: number;
  upSince: number;
}

/** Where somebody may be: `peer` says who it was when it was dialed last. */
export interface PeerAddress {
  readonly url: string;
  peer: NodeId | null;
  failures: number;
  /** Why the last try came to nothing, and for what reasons that was warned of. */
  why: string;
  readonly told: Set<string>;
  state: 'pausing' | 'dialing' | 'connected' | 'own' | 'forgotten';
}

/** After so many tries in vain an address is warned of, once for each of so many reasons. */
const QUIET_TRIES = 4;
const REASONS_MAX = 8;

/** Why an address cannot be reached, if it is time to say so and has not been said; `null` otherwise. */
export function unreportedReason({ failures, why, told }: PeerAddress): string | null {
  const reason = why || 'the connection was closed';
  if (failures < QUIET_TRIES || told.has(reason) || told.size >= REASONS_MAX) return null;
  told.add(reason);
  return reason;
}

/** True if somebody of that id was dialed, and is not connected yet. */
export const isDialing = ({ state, address, id }: MeshContact, peer: NodeId): boolean =>
  address !== null && id === peer && (state === 'asking' || state === 'welcomed');

/** A hello on a connection that was made before its holder's: each end dialed the other, and the other end has given this one up since. */
export const isOfBefore = ({ begun }: MeshContact, holder: MeshContact): boolean =>
  holder.address !== null && begun < holder.upSince;

/** What the other end of a connection that was dialed has not said. */
export const whatIsMissing = ({ state, id }: MeshContact): string =>
  state === 'asking'
    ? `"${quote(id)}" answers there, and has not said whether this peer may come in`
    : 'no peer of a mesh answers there';

/** What it has said instead. */
export function unexpected(contact: MeshContact, { type, proof }: Readonly<Record<string, unknown>>): string {
  if (type === 'welcome' && contact.state === 'asking')
    return `the welcome of "${quote(contact.id)}" has ${quote(proof)} as its proof, and no text`;
  return `a frame of the type ${quote(type)} is not what a peer of a mesh says there`;
}

/** What one peer sees of the key of another. */
export const proofFor = (peer: NodeId, key: string): string => bytesToHex(hmac(sha256, utf8ToBytes(key), utf8ToBytes(peer)));
