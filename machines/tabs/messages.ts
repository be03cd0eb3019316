/** What tabs say to each other, and how roles are named. */
import type { Message, NodeId } from '../effects.js';

/** To everybody, and the answer to it: with all whom the answering tab has met, and whether it takes part already. */
interface Hello extends Message {
  readonly type: 'hello';
}
export interface Here extends Message {
  readonly type: 'here';
  readonly peers: readonly NodeId[];
  readonly isPresent: boolean;
}
/** To everybody, from time to time; and in answer to a `ping`. */
interface Beat extends Message {
  readonly type: 'beat';
}
/** To one who has not been heard for a beat. */
interface Ping extends Message {
  readonly type: 'ping';
}
/** To one who speaks, and was counted as gone. */
interface Missed extends Message {
  readonly type: 'missed';
}
/** To everybody, at the end. */
interface Bye extends Message {
  readonly type: 'bye';
}
export type TabMessage = Hello | Here | Beat | Ping | Missed | Bye;

export type TabNotification =
  /** It has met all who are there, as far as they answer. */
  | { readonly type: 'present' }
  | { readonly type: 'link.up' | 'link.down'; readonly peer: NodeId }
  /** Others have counted this tab as gone. */
  | { readonly type: 'missed' };

export const TAB = 'tab';
export const PEER = 'peer';
const PREFIX = `${PEER} `;
export const peerRole = (peer: NodeId): string => PREFIX + peer;
