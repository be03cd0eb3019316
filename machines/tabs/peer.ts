/**
 * Another tab, as one tab knows it: heard lately, or silent for so many beats of this tab's own.
 *
 * A browser may let the timers of a hidden tab run once a second or once a minute, but hands it its messages; so who is not heard is
 * asked, and answers from a message and not from a timer. Who does not answer for longer than patience lasts is gone.
 *
 * States.
 *   heard   it has said something since the last beat
 *   silent  it has not, and is asked at each beat
 *   gone    it has said goodbye, or was silent for too long
 * Invariant: `silence` is at most `patience`.
 */
import { assign, emit, setup } from 'xstate';
import { effects, send, tell, type NodeId } from '../effects.js';
import { TAB, type TabMessage, type TabNotification } from './messages.js';

export interface PeerInput {
  readonly peer: NodeId;
  /** So many beats it may be silent. */
  readonly patience: number;
}

export interface PeerContext extends PeerInput {
  /** The beats of this tab since it was heard last. */
  readonly silence: number;
}

export type PeerEvent =
  | (TabMessage & { readonly from: NodeId })
  /** From this tab: it beats. */
  | { readonly type: 'due' };

type In = { context: PeerContext };

const question = ({ context: { peer } }: In) => ({ to: peer, message: { type: 'ping' as const } });
const answer = ({ context: { peer } }: In) => ({ to: peer, message: { type: 'beat' as const } });
const leaving = tell(({ context: { peer } }: In) => ({ role: TAB, message: { type: 'gone' as const, peer } as const }));

/**
 * The chart of another tab as one tab knows it: heard, silent or gone.
 *
 * @public
 */
export const peerMachine = setup({
  types: {} as { context: PeerContext; events: PeerEvent; input: PeerInput; emitted: TabNotification },
  actions: {
    ...effects<TabMessage>(),
    count: assign({ silence: ({ context }) => context.silence + 1 }),
    forgive: assign({ silence: 0 }),
    announceUp: emit(({ context: { peer } }) => ({ type: 'link.up' as const, peer })),
    announceDown: emit(({ context: { peer } }) => ({ type: 'link.down' as const, peer })),
  },
  guards: { isPatienceOver: ({ context: { silence, patience } }) => silence >= patience },
}).createMachine({
  id: 'peer',
  context: ({ input }) => ({ ...input, silence: 0 }),
  entry: 'announceUp',
  initial: 'heard',
  on: {
    beat: '.heard',
    ping: { target: '.heard', actions: send(answer) },
    bye: '.gone',
  },
  states: {
    heard: { entry: 'forgive', on: { due: 'silent' } },
    silent: {
      entry: ['count', send(question)],
      on: {
        due: [
          { guard: 'isPatienceOver', target: 'gone' },
          { target: 'silent', reenter: true },
        ],
      },
    },
    // It says goodbye once.
    gone: { entry: ['announceDown', leaving], on: { bye: {} } },
  },
});
