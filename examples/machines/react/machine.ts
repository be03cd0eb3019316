/** A note that is saved, as a model of a component: the actions of a reader, the answers of the server, and timeouts. */
import { fromPromise, setup } from 'xstate';

export const note = setup({
  types: { events: {} as { type: 'SAVE'; text: string } | { type: 'CANCEL' } | { type: 'RETRY' } },
  actors: { save: fromPromise<void>(async () => {}) },
  guards: { hasText: ({ event }) => event.type === 'SAVE' && event.text !== '' },
  delays: { thanks: 2000 },
}).createMachine({
  id: 'note',
  initial: 'editing',
  states: {
    editing: { on: { SAVE: [{ guard: 'hasText', target: 'saving' }, { target: 'empty' }] } },
    empty: { on: { SAVE: { guard: 'hasText', target: 'saving' } } },
    saving: { invoke: { src: 'save', onDone: 'saved', onError: 'failed' }, on: { CANCEL: 'editing' } },
    failed: { on: { RETRY: 'editing' } },
    saved: { after: { thanks: 'editing' } },
  },
});
