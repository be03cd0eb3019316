/**
 * One level of a hierarchy of leaders, as a role of a node beside its election (spec section 8).
 *
 * The source announces the hierarchy in title and abstract and never specifies it; the presence tables are our construction. Every
 * node is at most `radius` hops from its leader of this level, and two leaders are more than `separation` hops apart. Heights play no
 * part: districts survive the loss of the top leader.
 *
 * States: `leading` this level, or `following` a leader of it. Each event of the node gives every level its turn, lowest first, after
 * the election has had its own; what the node then sends comes back to the election with every level's table on it.
 * Invariants: D1 to D3 of hierarchy.ts at rest; `birth` is set once and never again; `member` is the node itself while it leads.
 */
import { assign, emit, setup } from 'xstate';
import { effects, tell } from '../effects.js';
import { isSame, type Identity } from './height.js';
import type { DistrictChange, Turn } from './messages.js';
import { candidates, hasSenior, isSameTable, memberOf, withOwn, type Heard, type Presence, type Table } from './presence.js';

export interface LevelContext {
  readonly id: Identity;
  /** From 1 up. */
  readonly level: number;
  readonly radius: number;
  readonly separation: number;
  /** The role that has its turn after this one. */
  readonly next: string;
  /** When it first led this level; `null`: never. */
  readonly birth: number | null;
  /** Whom it follows; itself while it leads. */
  readonly member: Identity;
  readonly table: Table;
  /** Of each neighbour, ordered by name. */
  readonly heard: readonly Heard[];
}

type In = { context: LevelContext; event: Turn };

/** The neighbours' tables with this turn's news. */
function heardBy({ context, event }: In): readonly Heard[] {
  const news = event.heard && { peer: event.heard.peer, table: event.heard.tables[context.level - 1]! };
  const kept = context.heard.filter(({ peer }) => event.neighbours.includes(peer) && peer !== news?.peer);
  return news ? [...kept, news].sort((a, b) => (a.peer < b.peer ? -1 : 1)) : kept;
}

const near = (args: In): Table => candidates(args.context.id, heardBy(args), args.context.radius);

const own = ({ context: { id, birth }, event }: In): Presence => ({ birth: birth ?? event.now, id, distance: 0 });

const tableOfLeader = (args: In): Table => withOwn(own(args), near(args));

/** Puts this level's table on the Update and lets the next role have its turn. */
const passOn = (tableOf: (args: In) => Table) =>
  tell((args: In) => {
    const { context, event } = args;
    const table = tableOf(args);
    const to = isSameTable(table, context.table) ? event.to : event.everybody;
    const update = { ...event.update, tables: [...event.update.tables, table] };
    return { role: context.next, message: { ...event, to, update } };
  });

const lead = [passOn(tableOfLeader), 'lead'] as const;
const follow = [passOn(near), 'follow'] as const;

export const levelMachine = setup({
  types: {
    context: {} as LevelContext,
    events: {} as Turn,
    input: {} as LevelContext,
    emitted: {} as DistrictChange,
  },
  actions: {
    ...effects(),
    lead: assign((args: In) => ({
      heard: heardBy(args),
      table: tableOfLeader(args),
      birth: own(args).birth,
      member: args.context.id,
    })),
    follow: assign((args: In) => ({
      heard: heardBy(args),
      table: near(args),
      member: memberOf(args.context.member, near(args)),
    })),
    announceLeader: emit(({ context: { level, member } }: In) => ({ type: 'district' as const, level, leader: member[1] })),
  },
  guards: {
    isOwnLeader: ({ context: { id, member } }) => isSame(id, member),
    nobodyIsNear: (args) => near(args).length === 0,
    leaderIsGone: (args) => !isSame(memberOf(args.context.member, near(args)), args.context.member),
    seniorIsNear: (args) => hasSenior(own(args), near(args), args.context.separation),
  },
}).createMachine({
  id: 'level',
  context: ({ input }) => input,
  initial: 'starting',
  states: {
    starting: { always: [{ guard: 'isOwnLeader', target: 'leading' }, { target: 'following' }] },
    following: {
      on: {
        turn: [
          { guard: 'nobodyIsNear', target: 'leading', actions: [...lead, 'announceLeader'] }, // rule 3
          { guard: 'leaderIsGone', actions: [...follow, 'announceLeader'] },
          { actions: follow },
        ],
      },
    },
    leading: {
      on: {
        turn: [
          { guard: 'seniorIsNear', target: 'following', actions: [...follow, 'announceLeader'] }, // rule 2
          { actions: lead },
        ],
      },
    },
  },
});
