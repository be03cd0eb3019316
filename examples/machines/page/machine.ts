/** A form for a newsletter, as a model of a page: the actions of a visitor, the answers of the server, and timeouts. */
import { fromPromise, setup } from 'xstate';

export const newsletter = setup({
  types: { events: {} as { type: 'SUBSCRIBE'; email: string } | { type: 'AGAIN' } },
  actors: { subscribe: fromPromise<void>(async () => {}) },
  guards: { isAddress: ({ event }) => event.type === 'SUBSCRIBE' && event.email.includes('@') },
  delays: { patience: 8000, thanks: 3000 },
}).createMachine({
  id: 'newsletter',
  initial: 'idle',
  states: {
    idle: { on: { SUBSCRIBE: [{ guard: 'isAddress', target: 'sending' }, { target: 'refused' }] } },
    refused: { on: { SUBSCRIBE: { guard: 'isAddress', target: 'sending' } } },
    sending: {
      invoke: { src: 'subscribe', onDone: 'sent', onError: 'failed' },
      after: { patience: 'failed' },
    },
    failed: { on: { AGAIN: 'sending' } },
    sent: { after: { thanks: 'idle' } },
  },
});
