/**
 * A contact list as changes of links, for a network to perform.
 *
 * A line means that two nodes are in contact from its time for one interval of the recorder; a longer contact is repeated at the
 * next interval. Time 0 is the time of the first line. The interval is the shortest time between two different times of the list.
 */
import type { NodeId } from '../../machines/effects.js';
import type { Contact } from './contacts.js';

export type LinkChange = { readonly at: number; readonly link: readonly [NodeId, NodeId] } & (
  | { readonly do: 'join'; readonly weight: number }
  | { readonly do: 'cut' }
);

interface Touch {
  readonly link: readonly [NodeId, NodeId];
  until: number;
}

/** The changes of links that contacts cause, sorted by time. At the same time, contacts end before others begin. */
export function linkChanges(contacts: readonly Contact[]): LinkChange[] {
  const interval = intervalOf(contacts);
  const start = contacts[0]?.at ?? 0;
  const touching = new Map<string, Touch>();
  const changes: LinkChange[] = [];
  const end = ({ link, until }: Touch) => changes.push({ at: until - start, do: 'cut', link });
  for (const { at, i, j } of contacts) {
    const key = i < j ? `${i}\n${j}` : `${j}\n${i}`;
    const touch = touching.get(key);
    if (touch && touch.until >= at) {
      touch.until = at + interval;
      continue;
    }
    if (touch) end(touch);
    touching.set(key, { link: [i, j], until: at + interval });
    changes.push({ at: at - start, do: 'join', link: [i, j], weight: 1 });
  }
  for (const touch of touching.values()) end(touch);
  return changes.sort((a, b) => a.at - b.at || (a.do === b.do ? 0 : a.do === 'cut' ? -1 : 1));
}

function intervalOf(contacts: readonly Contact[]): number {
  let shortest = Infinity;
  for (let k = 1; k < contacts.length; k++) {
    const gap = contacts[k]!.at - contacts[k - 1]!.at;
    if (gap > 0) shortest = Math.min(shortest, gap);
  }
  return shortest === Infinity ? 1 : shortest;
}
