/**
 * Links with peers that are in no list here, such as clients with generated ids.
 *
 * A guest knows this node and sends frames to it. The first reply is a challenge, for which nothing is stored. Only a frame that echoes the
 * nonce of the challenge proves that its sender receives what is sent to that id, and opens an end of a link (machine.ts). A process that
 * writes in the names of others can therefore not use memory here. When the guest has left, the end is closed, and nothing of it stays.
 *
 * The ends of one guest must differ in session and nonce: otherwise a late frame of an earlier end could take part in the next one. Both
 * grow by one whenever an end closes, and a frame proves only the present nonce.
 */
import { assign, emit, setup } from 'xstate';
import { chartTypes, close, effects, type NodeId, open, type Received, send, tell, withEvent } from '../effects.js';
import { challengeFrame, type Bye, type Frame, type LinkInput } from './frames.js';
import { newEnd } from './machine.js';
import { CHART, roleTo } from './view.js';

export interface GuestsInput {
  /** The input of each end, with the session and the nonce of the first one. */
  readonly end: Omit<LinkInput, 'peer' | 'relays'>;
  /** The largest number of guests at a time. */
  readonly guestsMax: number;
}

export interface GuestsContext extends GuestsInput {
  readonly present: number;
}

export type GuestsEvent = Received<Frame> | Received<Bye> | { readonly type: 'forgotten'; readonly peer: NodeId };

export type GuestsNotification =
  /** The guest has left, and nothing of it stays here. */
  | { readonly type: 'guest.forgotten'; readonly peer: NodeId }
  /** The guest is refused, because there are too many of them. */
  | { readonly type: 'guest.refused'; readonly peer: NodeId };

type In<E> = { context: GuestsContext; event: E };
type Opening = In<Received<Frame>>;

const endWith = ({ end }: GuestsContext, peer: NodeId): LinkInput => ({ ...end, peer, relays: [], isGuest: true });

const openEnd = open(({ context, event }: Opening) => ({
  role: roleTo(event.from),
  chart: CHART,
  input: endWith(context, event.from),
}));
const handOver = tell(({ event }: Opening) => ({ role: roleTo(event.from), message: event }));
const closeEnd = close(({ event }: In<{ peer: NodeId }>) => ({ role: roleTo(event.peer) }));
const challenge = send(({ context, event }: Opening) => ({
  to: event.from,
  message: challengeFrame(newEnd(endWith(context, event.from)), event),
}));

export const guestsMachine = setup({
  types: chartTypes<{ context: GuestsContext; events: GuestsEvent; input: GuestsInput; emitted: GuestsNotification }>(),
  actions: {
    ...effects<Frame>(),
    welcome: assign({ present: ({ context }) => context.present + 1 }),
    forget: assign(({ context: { end, present } }) => ({
      present: present - 1,
      end: { ...end, session: end.session + 1, nonce: end.nonce + 1 },
    })),
    announceForgotten: emit((_, { peer }: { peer: NodeId }) => ({ type: 'guest.forgotten' as const, peer })),
    announceRefused: emit((_, { from }: Received<Frame>) => ({ type: 'guest.refused' as const, peer: from })),
  },
  guards: {
    isProven: ({ context }, { echo }: Frame) => echo === context.end.nonce,
    isFull: ({ context }) => context.present >= context.guestsMax,
  },
}).createMachine({
  id: 'guests',
  context: ({ input }) => ({ ...input, present: 0 }),
  initial: 'open',
  states: {
    open: {
      on: {
        frame: [
          { guard: 'isFull', actions: withEvent('announceRefused') },
          { guard: withEvent('isProven'), actions: [openEnd, handOver, 'welcome'] },
          { actions: challenge },
        ],
        forgotten: { actions: [closeEnd, 'forget', withEvent('announceForgotten')] },
      },
    },
  },
});
