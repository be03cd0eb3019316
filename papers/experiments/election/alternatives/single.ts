/** Alternative D: each node sends a presence table with a single entry, so a nearer leader may remain unknown. */
import { isSame } from '../../../../machines/election/height.js';
import type { PresenceEntry } from '../../../../machines/election/messages.js';
import { candidates, hasSenior, memberOf } from '../../../../machines/hierarchy/presence.js';
import type { SeatRule } from './level.js';

export const single: SeatRule<PresenceEntry | null> = {
  silent: () => null,
  judge: ({ id, member, birth, received, radius, separation, now }) => {
    const tables = received.map(({ peer, announced }) => ({ peer, table: announced ? [announced] : [] }));
    const near = candidates(id, tables, radius);
    const own = { birth: birth ?? now, id, distance: 0 };
    const leads = (isSame(member, id) && birth !== null && !hasSenior(own, near, separation)) || near.length === 0;
    return { member: leads ? id : memberOf(member, near), announced: leads ? own : near[0]! };
  },
};
