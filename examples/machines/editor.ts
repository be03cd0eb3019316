/** An editor: typing, undo and redo, a search that returns to the previous mode, and automatic saving when the user pauses. */
import { assign, fromPromise, setup } from 'xstate';

interface Doc {
  readonly text: string;
  readonly past: readonly string[];
  readonly future: readonly string[];
  readonly saved: string;
}

const LENGTH_MAX = 2;

export const editor = setup({
  types: {
    context: {} as Doc,
    events: {} as
      | { type: 'KEY'; key: string }
      | { type: 'UNDO' }
      | { type: 'REDO' }
      | { type: 'MODE' }
      | { type: 'FIND' }
      | { type: 'ESCAPE' },
  },
  actors: { save: fromPromise<string, { text: string }>(async ({ input }) => input.text) },
  actions: {
    type: assign(({ context, event }) =>
      event.type === 'KEY' ? { text: context.text + event.key, past: [...context.past, context.text], future: [] } : {},
    ),
    undo: assign(({ context }) => ({
      text: context.past.at(-1) ?? context.text,
      past: context.past.slice(0, -1),
      future: [context.text, ...context.future],
    })),
    redo: assign(({ context }) => ({
      text: context.future[0] ?? context.text,
      past: [...context.past, context.text],
      future: context.future.slice(1),
    })),
    keep: assign({ saved: (_, { text }: { text: string }) => text }),
  },
  guards: {
    fits: ({ context }) => context.text.length < LENGTH_MAX,
    hasPast: ({ context }) => context.past.length > 0,
    hasFuture: ({ context }) => context.future.length > 0,
    isDirty: ({ context }) => context.text !== context.saved,
  },
  delays: { rest: 1000 },
}).createMachine({
  id: 'editor',
  context: { text: '', past: [], future: [], saved: '' },
  type: 'parallel',
  states: {
    view: {
      initial: 'writing',
      states: {
        writing: {
          initial: 'insert',
          on: { FIND: 'finding' },
          states: {
            insert: { on: { MODE: 'overwrite' } },
            overwrite: { on: { MODE: 'insert' } },
            last: { type: 'history' },
          },
        },
        finding: { on: { ESCAPE: 'writing.last' } },
      },
    },
    file: {
      initial: 'clean',
      on: {
        KEY: { guard: 'fits', target: '.dirty', actions: 'type', reenter: true },
        UNDO: { guard: 'hasPast', target: '.dirty', actions: 'undo', reenter: true },
        REDO: { guard: 'hasFuture', target: '.dirty', actions: 'redo', reenter: true },
      },
      states: {
        clean: { tags: 'saved' },
        dirty: { after: { rest: 'saving' } },
        saving: {
          invoke: {
            src: 'save',
            input: ({ context }) => ({ text: context.text }),
            onDone: [{ target: 'clean', actions: { type: 'keep', params: ({ event }) => ({ text: event.output }) } }],
            onError: [{ guard: 'isDirty', target: 'dirty' }, { target: 'clean' }],
          },
        },
      },
    },
  },
});
