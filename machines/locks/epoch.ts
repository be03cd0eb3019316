/** The arithmetic of epochs: who is in one, who holds what, and how grants are numbered. */
import type { NodeId } from '../effects.js';
import type { DirectoryInput } from '../directory/index.js';
import type { Held, Install, Promised } from './messages.js';

/** What a member has promised, and with what in hand. */
export type Report = Pick<Promised, 'using' | 'served' | 'links' | 'changes'> & { readonly node: NodeId };

export const isMajority = (count: number, peers: readonly NodeId[]): boolean => 2 * count > peers.length;

/**
 * Every lock that is asked for in an epoch has a directory at the members that its messages pass, until the epoch ends. There is room
 * for so many beside those that were held when it began; at half of them the next epoch is asked for, and what finds no room waits for it.
 */
export const LOCKS_MAX = 10_000;
export const hasRoom = (open: readonly string[], holders: Install['holders']): boolean =>
  open.length < LOCKS_MAX + holders.length;
export const isHalfFull = (open: readonly string[], holders: Install['holders']): boolean =>
  open.length === LOCKS_MAX / 2 + holders.length;

/**
 * Later epochs number their grants higher, and an epoch has room for eight thousand of each lock: so the milliseconds of a clock
 * can be epochs for 34 years.
 */
const GRANTS_MAX = 2 ** 13;
/** Beyond that fences would not be exact. */
export const EPOCH_MAX = 2 ** 53 / GRANTS_MAX;
export const firstFence = (epoch: number): number => epoch * GRANTS_MAX;
/** Beyond them the numbers are those of the next epoch: nothing is granted with one. */
export const isNumberOf = (epoch: number, fence: number): boolean => fence < firstFence(epoch + 1);
/** Time for the next epoch, long before the numbers of this one run out; exactly one grant of a lock has this number. */
export const isHalfSpent = (epoch: number, fence: number): boolean => fence === firstFence(epoch) + GRANTS_MAX / 2;

/** Everybody in an epoch must reach everybody: the coordinator, then in their order those who are linked with all before them. */
export function clique(coordinator: NodeId, reports: readonly Report[]): NodeId[] {
  const linksOf = (node: NodeId) => reports.find((report) => report.node === node)!.links;
  const areLinked = (a: NodeId, b: NodeId) => linksOf(a).includes(b) && linksOf(b).includes(a);
  const members = [coordinator];
  for (const { node } of reports) {
    if (node !== coordinator && members.every((member) => areLinked(node, member))) members.push(node);
  }
  return members.sort(byName);
}

/**
 * Users go on, unless they have missed an epoch: others may have had the lock in it. Of several who used a lock, in components that were
 * apart, the one who was granted it last goes on.
 */
export function holdersOf(members: readonly NodeId[], reports: readonly Report[]): Install['holders'] {
  const best = new Map<string, Held & { readonly node: NodeId }>();
  const present = reports.filter(({ node }) => members.includes(node));
  const latest = Math.max(...present.map(({ served }) => served));
  for (const { node, using, served } of present) {
    if (served < latest) continue;
    for (const held of using) if (held.fence > (best.get(held.lock)?.fence ?? -1)) best.set(held.lock, { ...held, node });
  }
  return [...best.values()].map(({ lock, node }) => [lock, node] as const).sort(([a], [b]) => byName(a, b));
}

export type Members = Pick<Install, 'members' | 'holders'>;

/** Where the token of a lock lies at the start of an epoch. */
export const rootOf = (lock: string, { members, holders }: Members): NodeId =>
  holders.find(([held]) => held === lock)?.[1] ?? members[hash(lock) % members.length]!;

/** The start of a lock's directory at one member: everybody points to the token. */
export function directoryInput(id: NodeId, epoch: number, lock: string, members: Members): DirectoryInput {
  return { id, parent: rootOf(lock, members), edge: 'tree', policy: 'ivy', fence: firstFence(epoch) };
}

export const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** FNV-1a, the same on every node. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}
