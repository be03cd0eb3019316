/** What a steward knows, what it hears, and what it reads off both. */
import type { LinkEvent, NodeId } from '../effects.js';
import type { LeaderChange } from '../election/index.js';
import { byName, clique, holdersOf, isMajority, type Report } from './epoch.js';
import { labelOf, type Install, type LockMessage, type StewardMessage } from './messages.js';

export interface StewardInput {
  readonly id: NodeId;
  readonly peers: readonly NodeId[];
  readonly links: readonly NodeId[];
  readonly leader: NodeId;
  /** No lower than any epoch that an earlier run has promised; the milliseconds of the clock will do. */
  readonly epoch: number;
  /** The members of that epoch, where the network starts in one; else none. */
  readonly members: readonly NodeId[];
}

/** A lock that the application of this node has asked for and not released. */
export interface Entry {
  readonly lock: string;
  /** Of its grant; `null` while it waits. */
  readonly fence: number | null;
}

export interface StewardContext extends StewardInput {
  readonly holders: Install['holders'];
  /** How often links of this node have come or gone. */
  readonly changes: number;
  readonly promised: number;
  /** To whom. */
  readonly coordinator: NodeId | null;
  /** Collected for the promised epoch, by node. */
  readonly reports: readonly Report[];
  readonly entries: readonly Entry[];
  /** The locks whose directories are open here. */
  readonly open: readonly string[];
  /** Messages of members of an epoch that has not begun here yet. */
  readonly early: readonly LockMessage[];
}

export type NamedLinkEvent = LinkEvent & { readonly peer: NodeId };
export type From<M> = M & { readonly from: NodeId };

export type StewardEvent =
  | From<StewardMessage>
  | From<LockMessage>
  | NamedLinkEvent
  | LeaderChange
  | { type: 'request' | 'release'; lock: string }
  /** Announced by a lock's directory. */
  | { type: 'granted'; fence: number; by: string }
  /** The numbers of a lock's grants come to their end. */
  | { type: 'spent' };

export type In<E = StewardEvent> = { context: StewardContext; event: E };

export const linksAfter = (links: readonly NodeId[], { type, peer }: LinkEvent): NodeId[] => {
  const others = links.filter((other) => other !== peer);
  return type === 'link.up' ? [...others, peer as NodeId].sort(byName) : others;
};

const isLinkEvent = (event: StewardEvent): event is NamedLinkEvent => event.type === 'link.up' || event.type === 'link.down';

/** Whether more than half are within reach, once this event is taken in. */
export const reachesMajority = ({ context: { links, peers }, event }: In): boolean =>
  isMajority((isLinkEvent(event) ? linksAfter(links, event) : links).length + 1, peers);

export const entryOf = ({ entries }: StewardContext, lock: string): Entry | undefined =>
  entries.find((entry) => entry.lock === lock);
export const lockOf = ({ event }: In): string =>
  event.type === 'granted' ? labelOf(event.by)!.lock : (event as { lock: string }).lock;
const usedBy = ({ entries }: StewardContext) => entries.flatMap(({ lock, fence }) => (fence === null ? [] : [{ lock, fence }]));
export const ownReport = (c: StewardContext): Report => ({
  node: c.id,
  using: usedBy(c),
  served: c.epoch,
  links: c.links,
  changes: c.changes,
});

export const memberOf = (c: StewardContext) => clique(c.id, c.reports);
export const installOf = (c: StewardContext): Install => {
  const members = memberOf(c);
  return { type: 'install', epoch: c.promised, members, holders: holdersOf(members, c.reports) };
};
