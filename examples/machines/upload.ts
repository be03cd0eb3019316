/** An upload with retries, growing delays, pause and cancel. */
import { assign, fromPromise, setup } from 'xstate';

interface Upload {
  readonly file: string | null;
  readonly attempt: number;
  readonly url: string | null;
}

const ATTEMPTS_MAX = 3;

export const upload = setup({
  types: {
    context: {} as Upload,
    events: {} as { type: 'FILE'; file: string } | { type: 'HOLD' } | { type: 'GO_ON' } | { type: 'CANCEL' } | { type: 'AGAIN' },
  },
  actors: {
    send: fromPromise<string, { file: string | null }>(async () => {
      throw new Error('this example has no server');
    }),
  },
  actions: {
    count: assign({ attempt: ({ context }) => context.attempt + 1 }),
    forget: assign({ file: null, attempt: 0, url: null }),
  },
  guards: { isLast: ({ context }) => context.attempt >= ATTEMPTS_MAX },
  delays: { backoff: ({ context }) => 500 * 2 ** context.attempt },
}).createMachine({
  id: 'upload',
  context: { file: null, attempt: 0, url: null },
  initial: 'idle',
  states: {
    idle: { on: { FILE: { target: 'active', actions: assign({ file: ({ event }) => event.file }) } } },
    active: {
      initial: 'sending',
      on: { CANCEL: { target: 'idle', actions: 'forget' } },
      states: {
        sending: {
          entry: 'count',
          invoke: {
            src: 'send',
            input: ({ context }) => ({ file: context.file }),
            onDone: { target: '#upload.sent', actions: assign({ url: ({ event }) => event.output }) },
            onError: [{ guard: 'isLast', target: '#upload.failed' }, { target: 'waiting' }],
          },
          on: { HOLD: 'held' },
        },
        waiting: { after: { backoff: 'sending' }, on: { HOLD: 'held' } },
        held: { on: { GO_ON: [{ guard: 'isLast', target: '#upload.failed' }, { target: 'sending' }] } },
      },
    },
    failed: {
      on: { AGAIN: { target: 'active', actions: assign({ attempt: 0 }) }, CANCEL: { target: 'idle', actions: 'forget' } },
    },
    sent: { on: { CANCEL: { target: 'idle', actions: 'forget' } } },
  },
});
