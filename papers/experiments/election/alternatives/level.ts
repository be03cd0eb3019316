/**
 * A level of a hierarchy whose leaders follow another rule than presence tables, for the comparison in section 8 of the specification.
 *
 * The rule reads a node and the last news of its neighbors, and returns whether the node leads, its leader, and its own news. Everything
 * else equals the level of machines/election: the election gives each level its turn at every event, and an Update goes to all neighbors
 * when the news changes.
 */
import { assign, setup } from 'xstate';
import { effects, tell, type NodeId } from '../../../../machines/effects.js';
import { isSame, type Height, type Identity } from '../../../../machines/election/height.js';
import { allPeers, heightOf, type LinkTable } from '../../../../machines/election/links.js';
import type { PresenceTable, Turn } from '../../../../machines/election/messages.js';
import type { LevelRule } from '../../../../machines/hierarchy/start.js';

export interface ReceivedSeat<T> {
  readonly peer: NodeId;
  readonly announced: T;
}

/** Input of a rule: the node, its links, and its neighbors' news. */
export interface Look<T> extends Seat<T>, LevelRule {
  readonly id: Identity;
  readonly height: Height;
  readonly links: LinkTable;
  readonly received: readonly ReceivedSeat<T>[];
  readonly now: number;
}

export interface Seat<T> {
  /** Leader of the node; the node itself while it leads. */
  readonly member: Identity;
  readonly announced: T;
  /** Clock at which it first led; `null`: never. */
  readonly birth: number | null;
}

export interface SeatRule<T> {
  /** News of a node that has received none. */
  silent(id: Identity): T;
  judge(look: Look<T>): Omit<Seat<T>, 'birth'>;
}

export interface AlternativeContext<T> extends Seat<T>, LevelRule {
  readonly id: Identity;
  readonly level: number;
  readonly next: string;
  readonly received: readonly ReceivedSeat<T>[];
}

/** The seat that the rule returns, with its time of birth. */
export function seatBy<T>({ judge }: SeatRule<T>, look: Look<T>): Seat<T> {
  const { member, announced } = judge(look);
  return { member, announced, birth: look.birth ?? (isSame(member, look.id) ? look.now : null) };
}

export function alternativeLevel<T>(rule: SeatRule<T>) {
  type In = { context: AlternativeContext<T>; event: Turn };

  const receivedBy = ({ context, event: { received, links } }: In): readonly ReceivedSeat<T>[] => {
    const kept = context.received.filter(({ peer }) => peer !== received?.peer && heightOf(links, peer) !== null);
    return received ? [...kept, { peer: received.peer, announced: received.tables[context.level - 1] as T }] : kept;
  };
  const seat = ({ context, event: { now, links, update } }: In) =>
    seatBy(rule, { ...context, now, links, height: update.height });

  const passOn = tell((args: In) => {
    const { context, event } = args;
    const { announced } = seat(args);
    const to = JSON.stringify(announced) === JSON.stringify(context.announced) ? event.to : allPeers(event.links);
    const update = { ...event.update, tables: [...event.update.tables, announced as PresenceTable] };
    return { role: context.next, message: { ...event, to, update } };
  });

  return setup({
    types: { context: {} as AlternativeContext<T>, events: {} as Turn, input: {} as AlternativeContext<T> },
    actions: {
      ...effects(),
      receive: assign({ received: receivedBy }),
      sit: assign(seat),
    },
    guards: { leads: ({ context: { id, member } }) => isSame(id, member) },
  }).createMachine({
    id: 'level',
    context: ({ input }) => input,
    initial: 'judged',
    on: { turn: { target: '.judged', actions: ['receive', passOn, 'sit'] } },
    states: {
      judged: { always: [{ guard: 'leads', target: 'leading' }, { target: 'following' }] },
      leading: {},
      following: {},
    },
  });
}
