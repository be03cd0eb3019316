/** Messages between tabs, notifications, and names of roles. */
import type { Message, NodeId } from '../effects.js';

/** Announces a tab to all others. */
interface Hello extends Message {
  readonly type: 'hello';
}
/** The reply to `hello`: all tabs that the sender has met, and whether it participates already. */
export interface Here extends Message {
  readonly type: 'here';
  readonly peers: readonly NodeId[];
  readonly isPresent: boolean;
}
/** Shows all others from time to time that the sender is alive; also the reply to `ping`. */
interface Beat extends Message {
  readonly type: 'beat';
}
/** Asks a tab for a `beat` if it was silent for one. */
interface Ping extends Message {
  readonly type: 'ping';
}
/** Notifies the sender of a message that it was counted as gone. */
interface Missed extends Message {
  readonly type: 'missed';
}
/** Announces to all others that the sender leaves. */
interface Bye extends Message {
  readonly type: 'bye';
}
export type TabMessage = Hello | Here | Beat | Ping | Missed | Bye;

export type TabNotification =
  /** This tab has met all others that are present, as far as they reply. */
  | { readonly type: 'present' }
  | { readonly type: 'link.up' | 'link.down'; readonly peer: NodeId }
  /** Other tabs have counted this tab as gone. */
  | { readonly type: 'missed' };

export const TAB = 'tab';
export const PEER = 'peer';
const PREFIX = `${PEER} `;
export const peerRole = (peer: NodeId): string => PREFIX + peer;
