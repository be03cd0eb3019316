/**
 * Another tab, as this tab knows it: received lately, or silent for a number of this tab's beats.
 *
 * A browser may run the timers of a hidden tab only once a second or once a minute, but delivers its messages. A silent tab is therefore
 * asked, and its reply depends on a message and not on a timer. A tab that does not reply within the patience is gone.
 *
 * The browser may report that a tab has ended. The report may be wrong, so it only shortens the patience: the tab is asked again, and a
 * tab that runs replies in time.
 *
 * States.
 *    present   it has sent a message since the last beat
 *    silent    it has not, and is asked at each beat
 *    reported  the browser has reported that it has ended, and it was asked again
 *    gone      it has sent `bye`, or was silent for too long
 * Invariant: `silence` is at most `patience`.
 */
import { assign, emit, setup } from 'xstate';
import { arm, chartTypes, effects, send, tell, type NodeId, type TimerEvent } from '../effects.js';
import { TAB, type TabMessage, type TabNotification } from './messages.js';

export interface PeerInput {
  readonly peer: NodeId;
  /** The number of beats for which it may be silent. */
  readonly patience: number;
  /** Ticks within which a tab that runs has replied. */
  readonly reply: number;
}

export interface PeerContext extends PeerInput {
  /** The beats of this tab since the last message from it. */
  readonly silence: number;
}

export type PeerEvent =
  | (TabMessage & { readonly from: NodeId })
  | TimerEvent
  /** From this tab: a beat is due, or the browser has reported that the other tab has ended. */
  | { readonly type: 'due' | 'ended' };

type In = { context: PeerContext };

const question = ({ context: { peer } }: In) => ({ to: peer, message: { type: 'ping' as const } });
const answer = ({ context: { peer } }: In) => ({ to: peer, message: { type: 'beat' as const } });
const replyTime = ({ context: { reply } }: In) => ({ timer: 'reply', delay: reply });
const leaving = tell(({ context: { peer } }: In) => ({ role: TAB, message: { type: 'gone' as const, peer } as const }));

/**
 * Another tab, as this tab knows it: `present`, `silent` or `gone`.
 *
 * @public
 */
export const peerMachine = setup({
  types: chartTypes<{ context: PeerContext; events: PeerEvent; input: PeerInput; emitted: TabNotification }>(),
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
  initial: 'present',
  on: { beat: '.present', ping: { target: '.present', actions: send(answer) }, bye: '.gone', ended: '.reported' },
  states: {
    present: { entry: 'forgive', on: { due: 'silent' } },
    silent: {
      entry: ['count', send(question)],
      on: {
        due: [
          { guard: 'isPatienceOver', target: 'gone' },
          { target: 'silent', reenter: true },
        ],
      },
    },
    reported: { entry: [send(question), arm(replyTime)], on: { timer: 'gone' } },
    // It sends `bye` once.
    gone: { entry: ['announceDown', leaving], on: { bye: {} } },
  },
});
