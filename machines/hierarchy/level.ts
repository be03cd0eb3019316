/**
 * One level of a hierarchy of leaders, as a role of a node next to its election (spec section 8).
 *
 * The source announces the hierarchy in title and abstract and never specifies it; the presence tables are our construction. Every node is
 * at most `radius` hops from its leader of this level, and two leaders are more than `separation` hops apart. Heights play no part:
 * districts survive the loss of the top leader.
 *
 * States: `leading` this level, or `following` a leader of it. Each event of the node gives every level its turn, lowest first, after the
 * election; outgoing messages then return to the election with every level's table. In between, in `weighing`, the level has received the
 * neighbors' tables (rule 1) and applies rules 2 to 5. Invariants: D1 to D3 of properties.ts at rest; `birth` is set once and never
 * changes; `member` is the node itself while it leads.
 */
import { assign, emit, setup } from 'xstate';
import { chartTypes, effects, tell } from '../effects.js';
import { isSame, type Identity } from '../election/height.js';
import { allPeers, heightOf } from '../election/links.js';
import type { DistrictChange, PresenceEntry, PresenceTable, Turn } from '../election/messages.js';
import { candidates, hasSenior, isSameTable, memberOf, withOwn, type ReceivedTable } from './presence.js';

export interface LevelInput {
  readonly id: Identity;
  /** Number of the level, from 1. */
  readonly level: number;
  readonly radius: number;
  readonly separation: number;
  /** The role whose turn is next. */
  readonly next: string;
  /** Clock at which it first led this level; `null`: never. */
  readonly birth: number | null;
  /** Its leader; the node itself while it leads. */
  readonly member: Identity;
  /** Table last sent to its neighbors. */
  readonly table: PresenceTable;
  /** Table of each neighbor, ordered by name. */
  readonly received: readonly ReceivedTable[];
}

export interface LevelContext extends LevelInput {
  /** Leaders that the neighbors know, one hop further. */
  readonly near: PresenceTable;
}

type In = { context: LevelContext; event: Turn };

/** The neighbors' tables with the news of this turn. */
function receivedBy({ context, event: { received, links } }: In): readonly ReceivedTable[] {
  const kept = context.received.filter(({ peer }) => peer !== received?.peer && heightOf(links, peer) !== null);
  if (!received) return kept;
  const news = { peer: received.peer, table: received.tables[context.level - 1]! };
  return [...kept, news].sort((a, b) => (a.peer < b.peer ? -1 : 1));
}

const own = ({ context: { id, birth }, event }: In): PresenceEntry => ({ birth: birth ?? event.now, id, distance: 0 });

const tableOfLeader = (args: In): PresenceTable => withOwn(own(args), args.context.near);

const tableOfFollower = ({ context }: In): PresenceTable => context.near;

/** Adds this level's table to the Update and passes the turn to the next role. */
const passOn = (tableOf: (args: In) => PresenceTable) =>
  tell((args: In) => {
    const { context, event } = args;
    const table = tableOf(args);
    const to = isSameTable(table, context.table) ? event.to : allPeers(event.links);
    const update = { ...event.update, tables: [...event.update.tables, table] };
    return { role: context.next, message: { ...event, to, update } };
  });

const lead = [passOn(tableOfLeader), 'lead'] as const;
const follow = [passOn(tableOfFollower), 'follow'] as const;

/**
 * Chart of one level of a hierarchy of leaders, next to a node's election. The node leads this level, or follows a leader within `radius`
 * hops.
 *
 * @public
 */
export const levelMachine = setup({
  types: chartTypes<{ context: LevelContext; events: Turn; input: LevelInput; emitted: DistrictChange }>(),
  actions: {
    ...effects(),
    receive: assign((args: In) => {
      const received = receivedBy(args);
      return { received, near: candidates(args.context.id, received, args.context.radius) };
    }),
    lead: assign((args: In) => ({ table: tableOfLeader(args), birth: own(args).birth, member: args.context.id })),
    follow: assign(({ context: { near, member } }: In) => ({ table: near, member: memberOf(member, near) })),
    announceLeader: emit(({ context: { level, member } }: In) => ({ type: 'district' as const, level, leader: member[1] })),
  },
  guards: {
    leads: ({ context: { id, member } }) => isSame(id, member),
    leadsUnchallenged: (args) => {
      const { id, member, near, separation } = args.context;
      return isSame(id, member) && !hasSenior(own(args), near, separation);
    },
    noneIsNear: ({ context }) => context.near.length === 0,
    leaderIsNear: ({ context: { near, member } }) => isSame(memberOf(member, near), member),
  },
}).createMachine({
  id: 'level',
  context: ({ input }) => ({ ...input, near: candidates(input.id, input.received, input.radius) }),
  initial: 'starting',
  on: { turn: { target: '.weighing', actions: 'receive' } }, // rule 1
  states: {
    starting: { always: [{ guard: 'leads', target: 'leading' }, { target: 'following' }] },
    weighing: {
      always: [
        { guard: 'leadsUnchallenged', target: 'leading', actions: lead }, // else rule 2
        { guard: 'noneIsNear', target: 'leading', actions: [...lead, 'announceLeader'] }, // rule 3
        { guard: 'leaderIsNear', target: 'following', actions: follow },
        { target: 'following', actions: [...follow, 'announceLeader'] }, // rule 5
      ],
    },
    leading: {},
    following: {},
  },
});
