/** A form of three pages. A service checks the name a moment after the last key; the other fields are checked at once. */
import { assign, fromPromise, setup } from 'xstate';

interface Form {
  readonly name: string;
  /** Last name that the service reported as available. */
  readonly free: string | null;
  readonly age: number | null;
}

export const formWizard = setup({
  types: {
    context: {} as Form,
    events: {} as { type: 'NAME'; name: string } | { type: 'AGE'; age: number } | { type: 'NEXT' } | { type: 'BACK' },
  },
  actors: {
    checkName: fromPromise<boolean, { name: string }>(async () => true),
    submit: fromPromise<void, Form>(async () => {}),
  },
  actions: {
    setName: assign({ name: ({ event, context }) => (event.type === 'NAME' ? event.name : context.name), free: null }),
    setAge: assign({ age: ({ event, context }) => (event.type === 'AGE' ? event.age : context.age) }),
    keepFree: assign({ free: ({ context }) => context.name }),
  },
  guards: {
    isEmpty: ({ event }) => event.type === 'NAME' && event.name === '',
    isAdult: ({ context }) => context.age !== null && context.age >= 18,
  },
}).createMachine({
  id: 'wizard',
  context: { name: '', free: null, age: null },
  initial: 'name',
  states: {
    name: {
      initial: 'empty',
      on: {
        NAME: [
          { guard: 'isEmpty', target: '.empty', actions: 'setName' },
          { target: '.typing', actions: 'setName', reenter: true },
        ],
      },
      states: {
        empty: {},
        typing: { after: { 300: 'checking' } },
        checking: {
          invoke: {
            src: 'checkName',
            input: ({ context }) => ({ name: context.name }),
            onDone: [{ guard: ({ event }) => event.output, target: 'free', actions: 'keepFree' }, { target: 'taken' }],
            onError: 'unknown',
          },
        },
        free: { on: { NEXT: '#wizard.age' } },
        taken: {},
        unknown: { on: { NEXT: 'checking' } },
      },
    },
    age: {
      on: {
        AGE: { actions: 'setAge' },
        NEXT: { guard: 'isAdult', target: 'review' },
        BACK: 'name',
      },
    },
    review: { on: { NEXT: 'submitting', BACK: 'age' } },
    submitting: {
      invoke: { src: 'submit', input: ({ context }) => context, onDone: 'done', onError: 'review' },
    },
    done: { type: 'final' },
  },
});
