/**
 * Presence of the tabs of one origin: each tab sends `hello` when it arrives, and all tabs that are present reply.
 *
 * The design is our own. A channel of the browser (BroadcastChannel) keeps its order and loses nothing between open tabs, but does not list
 * them. The first of any two tabs to open the channel receives the other's `hello`, and replies. At least one of the two therefore
 * knows the other from the start, and soon both do. A tab participates (`present`) once all tabs that a present one has named have replied.
 * If they do not, or no tab is present, it participates `answer` beats after the last reply: longer than a running tab takes to reply. It
 * counts beats and not time: a tab that was frozen itself handles the messages that have come before it counts on.
 *
 * A browser may know which tabs exist (Web Locks): it lists them to an arriving tab, and reports later which of them have ended. It cannot
 * list a tab that holds no Web Lock. Both reports therefore only shorten waits, and replace no question. After a list, the tab waits `reply`
 * ticks for the tabs that are not in it, instead of `answer` beats. The listed ones are waited for like those that a present tab has named.
 * If every tab has its Web Lock before it requests the list, at least one of any two is in the list of the other, however late replies are.
 *
 * Assumptions: that channel; ids that are never used twice; and replies within `answer` to an arriving tab, and later within the patience
 * of other tabs. A tab that was frozen and did not reply is counted as gone. When it sends a message again, it is notified (`missed`), and
 * can only come back with another id. A tab that leaves sends `bye`.
 *
 * States.
 *   away              has not opened the channel
 *   there.arriving    has sent `hello` and receives replies; a tab that sends `beat` has received it, or will, and replies
 *     .waiting        waits for named tabs, or for any
 *     .listed         the browser has listed the tabs, and any other one has `reply` ticks to reply
 *   there.present     participates
 *   left              has sent `bye`
 *   missed            was counted as gone, and stays gone
 * Invariants: `peers` are those whose roles are open, while `there`; `waited < answer`.
 */
import { assign, emit, setup } from 'xstate';
import {
  arm,
  chartTypes,
  close,
  disarm,
  effects,
  type Message,
  type NodeId,
  open,
  send,
  tell,
  type TimerEvent,
  withEvent,
} from '../effects.js';
import { PEER, peerRole, type Here, type TabMessage, type TabNotification } from './messages.js';
import type { PeerInput } from './peer.js';

export interface TabInput {
  readonly id: NodeId;
  /** The receivers of a broadcast. */
  readonly audience: readonly NodeId[];
  /** Ticks between two beats. */
  readonly beat: number;
  /** The number of beats for which another tab may be silent. */
  readonly patience: number;
  /** The number of beats for which an arriving tab waits for a reply. */
  readonly answer: number;
  /** Ticks within which a tab that runs has replied. */
  readonly reply: number;
}

export interface TabContext extends TabInput {
  /** The tabs that it has met and that are not gone. */
  readonly peers: readonly NodeId[];
  /** The tabs that it waits for: present tabs or the browser have named them. `null` before either. */
  readonly named: readonly NodeId[] | null;
  /** The tabs that exist, as far as the browser has reported. */
  readonly listed: readonly NodeId[];
  /** Beats since the last reply, while it arrives. */
  readonly waited: number;
}

type From<M> = M & { readonly from: NodeId };
/** From the role of another tab: that tab is gone. */
type Gone = { readonly type: 'gone'; readonly peer: NodeId };
/** The browser reports, rightly or wrongly, that a tab exists or has ended. */
type Report = { readonly type: 'exists' | 'ended'; readonly peer: NodeId };
export type TabEvent = From<TabMessage> | TimerEvent | { readonly type: 'arrive' | 'arriveListed' | 'leave' } | Gone | Report;

type In<E = unknown> = { context: TabContext; event: E };

const toAll =
  <T extends 'hello' | 'beat' | 'bye'>(type: T) =>
  ({ context: { audience } }: In) => ({ to: audience, message: { type } });

const here =
  (isPresent: boolean) =>
  ({ context: { peers }, event: { from } }: In<From<Message>>) => ({
    to: from,
    message: { type: 'here' as const, peers, isPresent },
  });
const missed = ({ event: { from } }: In<From<Message>>) => ({ to: from, message: { type: 'missed' as const } });

const nextBeat = ({ context: { beat } }: In) => ({ timer: 'beat', delay: beat });
const replyTime = ({ context: { reply } }: In) => ({ timer: 'beat', delay: reply });
const meeting = open(({ context: { patience, reply }, event: { from } }: In<From<Message>>) => {
  const input: PeerInput = { peer: from, patience, reply };
  return { role: peerRole(from), chart: PEER, input };
});
const due = tell(({ context: { peers } }: In) => ({ role: peers.map(peerRole), message: { type: 'due' } }));
/** A tab that has ended answers no more questions. */
const rolesOfAll = close(({ context: { peers } }: In) => ({ role: peers.map(peerRole) }));
const ended = tell(({ event: { peer } }: In<Report>) => ({ role: peerRole(peer), message: { type: 'ended' } }));
const roleOfGone = close(({ event: { peer } }: In<Gone>) => ({ role: peerRole(peer) }));

const meet = [withEvent('meet'), meeting] as const;
const answeredByStranger = { guard: withEvent('isStranger'), actions: [...meet, withEvent('receiveAnswer')] } as const;
const answered = { actions: withEvent('receiveAnswer') } as const;
const stranger = { guard: withEvent('isStranger'), actions: send(missed) } as const;

const union = (some: readonly NodeId[] | null, more: readonly NodeId[]) => [...new Set([...(some ?? []), ...more])].sort();

/**
 * The chart of one tab: it announces itself, meets the other tabs that are open, and participates when they have replied or its wait for
 * them is over. It emits `missed` if the others have counted it as gone.
 *
 * @public
 */
export const tabMachine = setup({
  types: chartTypes<{ context: TabContext; events: TabEvent; input: TabInput; emitted: TabNotification }>(),
  actions: {
    ...effects<TabMessage | Message>(),
    meet: assign({ peers: ({ context }, { from }: From<Message>) => [...context.peers, from].sort() }),
    part: assign(({ context: { peers, named, listed } }, { peer }: Gone | Report) => {
      const others = (tabs: readonly NodeId[]) => tabs.filter((tab) => tab !== peer);
      return { peers: others(peers), named: named && others(named), listed: others(listed) };
    }),
    receiveAnswer: assign(({ context }, { peers, isPresent }: Here) => ({
      waited: 0,
      ...(isPresent && { named: union(context.named, peers) }),
    })),
    list: assign({ listed: ({ context }, { peer }: Report) => union(context.listed, [peer]) }),
    awaitListed: assign({ named: ({ context: { named, listed } }) => union(named, listed) }),
    count: assign({ waited: ({ context }) => context.waited + 1 }),
    announcePresent: emit({ type: 'present' }),
    announceMissed: emit({ type: 'missed' }),
  },
  guards: {
    isStranger: ({ context }, { from }: From<Message>) => !context.peers.includes(from),
    isMet: ({ context }, { peer }: Report) => context.peers.includes(peer),
    hasWaited: ({ context: { waited, answer } }) => waited + 1 >= answer,
    hasMetAll: ({ context: { id, peers, named } }) =>
      named !== null && named.every((peer) => peer === id || peers.includes(peer)),
  },
}).createMachine({
  id: 'tab',
  context: ({ input }) => ({ ...input, peers: [], named: null, listed: [], waited: 0 }),
  initial: 'away',
  states: {
    away: { on: { exists: { actions: withEvent('list') }, arrive: 'there', arriveListed: 'there.arriving.listed' } },
    there: {
      entry: send(toAll('hello')),
      exit: disarm(nextBeat),
      initial: 'arriving',
      states: {
        arriving: {
          always: { guard: 'hasMetAll', target: 'present' },
          on: { hello: { guard: withEvent('isStranger'), actions: [...meet, send(here(false))] } },
          initial: 'waiting',
          states: {
            waiting: {
              entry: arm(nextBeat),
              on: {
                here: [
                  { ...answeredByStranger, target: 'waiting', reenter: true },
                  { ...answered, target: 'waiting', reenter: true },
                ],
                timer: [{ guard: 'hasWaited', target: '#tab.there.present' }, { actions: ['count', arm(nextBeat)] }],
              },
            },
            listed: {
              entry: arm(replyTime),
              on: { here: [answeredByStranger, answered], timer: { target: 'waiting', actions: 'awaitListed' } },
            },
          },
        },
        present: {
          entry: ['announcePresent', arm(nextBeat)],
          on: {
            hello: { guard: withEvent('isStranger'), actions: [...meet, send(here(true))] },
            here: { guard: withEvent('isStranger'), actions: meet },
            beat: stranger,
            ping: stranger,
            timer: { actions: [send(toAll('beat')), due, arm(nextBeat)] },
          },
        },
      },
      on: {
        missed: { target: 'missed', actions: send(toAll('bye')) },
        gone: { actions: [withEvent('part'), roleOfGone] },
        ended: [{ guard: withEvent('isMet'), actions: ended }, { actions: withEvent('part') }],
        leave: { target: 'left', actions: [send(toAll('bye')), rolesOfAll] },
      },
    },
    left: {},
    missed: { entry: 'announceMissed' },
  },
});
