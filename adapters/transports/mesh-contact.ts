/** A connection between two peers of a mesh as one of them sees it, the address that it dialed, and the reason of a failure. */
import type { IncomingMessage } from 'node:http';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { Subscription } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import type { BoundedLine } from './bounded-line.js';
import { quote } from './reading.js';

/**
 * A connection. Its state: the other end is unknown; it has sent a hello; it has admitted this peer and is being checked; it is connected;
 * it is closed.
 */
export interface MeshContact {
  readonly line: BoundedLine;
  state: 'new' | 'asking' | 'welcomed' | 'up' | 'gone';
  id: NodeId;
  /** Proof of its key that the other end sent. */
  proof: string;
  /** Port from which the other end has dialed, from its hello. */
  port: number | undefined;
  /** True if the connection does not use a proxy. */
  isDirect: boolean;
  /** Beats since the last frame. Beats are counted instead of time, because clocks can be set. */
  silence: number;
  /** Address of a dialed connection; `null` for an incoming one. */
  readonly address: PeerAddress | null;
  /** The upgrade request of an incoming connection, or the response to a dialed one. */
  upgrade: IncomingMessage | null;
  /** Timer of the connection: until it is up, it limits the time for admission. Afterward it resets the failures of the address. */
  deadline: Subscription;
  /** Positions in the order of all that this peer has seen: when the connection began, and when it was admitted. */
  readonly begun: number;
  upSince: number;
}

export const newContact = (line: BoundedLine, address: PeerAddress | null, begun: number): MeshContact => ({
  line,
  state: 'new',
  id: '',
  proof: '',
  port: undefined,
  isDirect: false,
  silence: 0,
  address,
  upgrade: null,
  deadline: new Subscription(),
  begun,
  upSince: Infinity,
});

/** An address at which a peer may listen. `peer` is the id that answered last. */
export interface PeerAddress {
  readonly url: string;
  peer: NodeId | null;
  failures: number;
  /** Reason for which the last attempt failed, and the reasons that were already reported. */
  why: string;
  readonly reported: Set<string>;
  state: 'pausing' | 'dialing' | 'connected' | 'own' | 'forgotten';
}

/** Number of failed attempts before the first warning about an address, and number of reasons that are reported. */
const QUIET_TRIES = 4;
const REASONS_MAX = 8;

/** The reason for which an address cannot be reached, if it should be reported now; `null` otherwise. */
export function unreportedReason({ failures, why, reported }: PeerAddress): string | null {
  const reason = why || 'the connection was closed';
  if (failures < QUIET_TRIES || reported.has(reason) || reported.size >= REASONS_MAX) return null;
  reported.add(reason);
  return reason;
}

/** True if a peer of that id was dialed and is not connected yet. */
export const isDialing = ({ state, address, id }: MeshContact, peer: NodeId): boolean =>
  address !== null && id === peer && (state === 'asking' || state === 'welcomed');

/**
 * True for a hello on a connection that is older than the holder's: both ends dialed each other, and the other end has dropped this
 * connection.
 */
export const isOfBefore = ({ begun }: MeshContact, holder: MeshContact): boolean =>
  holder.address !== null && begun < holder.upSince;

/** The frame that a dialed connection has not sent. */
export const whatIsMissing = ({ state, id }: MeshContact): string =>
  state === 'asking' ? `"${quote(id)}" answers there, but has not admitted or refused this peer` : 'no mesh peer answers there';

/** Describes the unexpected frame that the other end sent instead. */
export function unexpected(contact: MeshContact, { type, proof }: Readonly<Record<string, unknown>>): string {
  if (type === 'welcome' && contact.state === 'asking')
    return `the welcome of "${quote(contact.id)}" has ${quote(proof)} as its proof, which is not a text`;
  return `a frame of the type ${quote(type)} is not expected there from a mesh peer`;
}

/** Proof of a peer's key for one other peer. */
export const proofFor = (peer: NodeId, key: string): string => bytesToHex(hmac(sha256, utf8ToBytes(key), utf8ToBytes(peer)));
