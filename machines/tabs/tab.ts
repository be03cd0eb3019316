/**
 * Who is there, of the tabs of one origin: each of them says hello as it comes, and is answered by all who are there.
 *
 * Ours. A channel of the browser (BroadcastChannel) keeps its order and loses nothing between tabs that are open, but tells nobody who they
 * are. Of two tabs one has opened the channel first, so it hears the hello of the other, and answers; so of any two at least one knows
 * of the other from the start, and soon both. A tab takes part (`present`) once all whom somebody present has named have answered, or,
 * where they do not or nobody is there, `answer` beats after the last answer: longer than any tab takes that has not stopped. Beats are counted,
 * and not time: who was stopped itself meanwhile hears what has come before it counts on.
 *
 * Assumes that channel, ids that are never used twice, and that a tab which is there answers within `answer` as somebody comes and within
 * the patience of others later. A tab that does not, because it was frozen, is counted as gone; as soon as it speaks again it is told
 * so (`missed`), and can only come back as somebody else. Who leaves says goodbye.
 *
 * States.
 *   away              has not opened the channel
 *   there.arriving    has said hello, and is answered; who beats has heard it, or will, and answers
 *   there.present     takes part
 *   left              has said goodbye
 *   missed            was counted as gone, and is
 * Invariants: `peers` are those whose roles are open, while `there`; `waited < answer`.
 */
import { assign, emit, setup } from 'xstate';
import {
  arm,
  close,
  disarm,
  effects,
  open,
  send,
  tell,
  withEvent,
  type Message,
  type NodeId,
  type TimerEvent,
} from '../effects.js';
import { PEER, peerRole, type Here, type TabMessage, type TabNotification } from './messages.js';
import type { PeerInput } from './peer.js';

export interface TabInput {
  readonly id: NodeId;
  /** Whom to send what is for everybody. */
  readonly everybody: readonly NodeId[];
  /** Ticks between two beats. */
  readonly beat: number;
  /** So many beats another tab may be silent. */
  readonly patience: number;
  /** So many beats a tab that comes waits for an answer. */
  readonly answer: number;
}

export interface TabContext extends TabInput {
  /** Whom it has met, and who is not gone. */
  readonly peers: readonly NodeId[];
  /** Whom somebody who is present knows; `null` before somebody present has answered. */
  readonly named: readonly NodeId[] | null;
  /** Beats since the last answer, while it arrives. */
  readonly waited: number;
}

type From<M> = M & { readonly from: NodeId };
/** From the role of another tab. */
type Gone = { readonly type: 'gone'; readonly peer: NodeId };
export type TabEvent = From<TabMessage> | TimerEvent | { readonly type: 'arrive' | 'leave' } | Gone;

type In<E = unknown> = { context: TabContext; event: E };

const toAll =
  <T extends 'hello' | 'beat' | 'bye'>(type: T) =>
  ({ context: { everybody } }: In) => ({ to: everybody, message: { type } });

const here =
  (isPresent: boolean) =>
  ({ context: { peers }, event: { from } }: In<From<Message>>) => ({
    to: from,
    message: { type: 'here' as const, peers, isPresent },
  });
const missed = ({ event: { from } }: In<From<Message>>) => ({ to: from, message: { type: 'missed' as const } });

const nextBeat = ({ context: { beat } }: In) => ({ timer: 'beat', delay: beat });
const meeting = open(({ context: { patience }, event: { from } }: In<From<Message>>) => {
  const input: PeerInput = { peer: from, patience };
  return { role: peerRole(from), chart: PEER, input };
});
const due = tell(({ context: { peers } }: In) => ({ role: peers.map(peerRole), message: { type: 'due' } }));
const roleOfGone = close(({ event: { peer } }: In<Gone>) => ({ role: peerRole(peer) }));

const meet = [withEvent('meet'), meeting] as const;
const stranger = { guard: withEvent('isStranger'), actions: send(missed) } as const;

/**
 * The chart of one tab: away, arriving, present, and gone.
 *
 * @public
 */
export const tabMachine = setup({
  types: {} as { context: TabContext; events: TabEvent; input: TabInput; emitted: TabNotification },
  actions: {
    ...effects<TabMessage | Message>(),
    meet: assign({ peers: ({ context }, { from }: From<Message>) => [...context.peers, from].sort() }),
    part: assign({ peers: ({ context }, gone: Gone) => context.peers.filter((peer) => peer !== gone.peer) }),
    hearAnswer: assign(({ context }, { peers, isPresent }: Here) => ({
      waited: 0,
      ...(isPresent && { named: [...new Set([...(context.named ?? []), ...peers])].sort() }),
    })),
    count: assign({ waited: ({ context }) => context.waited + 1 }),
    announcePresent: emit({ type: 'present' }),
    announceMissed: emit({ type: 'missed' }),
  },
  guards: {
    isStranger: ({ context }, { from }: From<Message>) => !context.peers.includes(from),
    hasWaited: ({ context: { waited, answer } }) => waited + 1 >= answer,
    hasMetAll: ({ context: { id, peers, named } }) =>
      named !== null && named.every((peer) => peer === id || peers.includes(peer)),
  },
}).createMachine({
  id: 'tab',
  context: ({ input }) => ({ ...input, peers: [], named: null, waited: 0 }),
  initial: 'away',
  states: {
    away: { on: { arrive: 'there' } },
    there: {
      entry: [send(toAll('hello')), arm(nextBeat)],
      exit: disarm(nextBeat),
      initial: 'arriving',
      states: {
        arriving: {
          always: { guard: 'hasMetAll', target: 'present' },
          on: {
            hello: { guard: withEvent('isStranger'), actions: [...meet, send(here(false))] },
            here: [
              { guard: withEvent('isStranger'), actions: [...meet, withEvent('hearAnswer'), arm(nextBeat)] },
              { actions: [withEvent('hearAnswer'), arm(nextBeat)] },
            ],
            timer: [{ guard: 'hasWaited', target: 'present' }, { actions: ['count', arm(nextBeat)] }],
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
        leave: { target: 'left', actions: send(toAll('bye')) },
      },
    },
    left: {},
    missed: { entry: 'announceMissed' },
  },
});
