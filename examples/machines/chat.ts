/** A chat on a socket that reconnects with growing delays; messages wait during an outage. */
import { assign, fromCallback, sendTo, setup, type AnyEventObject } from 'xstate';

interface Chat {
  readonly attempt: number;
  readonly outbox: readonly string[];
  readonly seen: number;
}

const ATTEMPTS_MAX = 3;
const OUTBOX_MAX = 2;

export const chat = setup({
  types: {
    context: {} as Chat,
    events: {} as
      | { type: 'CONNECT' }
      | { type: 'LEAVE' }
      | { type: 'WRITE'; text: string }
      | { type: 'socket.open' }
      | { type: 'socket.message'; text: string }
      | { type: 'socket.closed' },
  },
  actors: { socket: fromCallback<AnyEventObject>(() => () => {}) },
  actions: {
    queue: assign({
      outbox: ({ context, event }) => (event.type === 'WRITE' ? [...context.outbox, event.text] : context.outbox),
    }),
    flush: sendTo('socket', ({ context }) => ({ type: 'send', texts: context.outbox })),
    empty: assign({ outbox: [] }),
    show: assign({ seen: ({ context }) => Math.min(context.seen + 1, 2) }),
    countAttempt: assign({ attempt: ({ context }) => context.attempt + 1 }),
    resetAttempts: assign({ attempt: 0 }),
  },
  guards: {
    isHopeless: ({ context }) => context.attempt >= ATTEMPTS_MAX,
    hasRoom: ({ context }) => context.outbox.length < OUTBOX_MAX,
    hasMail: ({ context }) => context.outbox.length > 0,
  },
  delays: { backoff: ({ context }) => 1000 * 2 ** context.attempt, openLimit: 8000 },
}).createMachine({
  id: 'chat',
  context: { attempt: 0, outbox: [], seen: 0 },
  initial: 'away',
  on: { WRITE: { guard: 'hasRoom', actions: 'queue' } },
  states: {
    away: { on: { CONNECT: 'online' } },
    online: {
      on: { LEAVE: { target: 'away', actions: 'resetAttempts' } },
      initial: 'linked',
      states: {
        linked: {
          invoke: { id: 'socket', src: 'socket' },
          initial: 'opening',
          on: { 'socket.closed': 'lost' },
          states: {
            opening: {
              on: { 'socket.open': { target: 'open', actions: 'resetAttempts' } },
              after: { openLimit: '#chat.online.lost' },
            },
            open: {
              on: { 'socket.message': { actions: 'show' } },
              always: { guard: 'hasMail', actions: ['flush', 'empty'] },
            },
          },
        },
        lost: {
          entry: 'countAttempt',
          always: { guard: 'isHopeless', target: '#chat.away', actions: 'resetAttempts' },
          after: { backoff: 'linked' },
        },
      },
    },
  },
});
