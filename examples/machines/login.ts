/** A login whose token is renewed before it expires, with a logout at any moment. */
import { assign, fromPromise, setup } from 'xstate';

interface Session {
  readonly user: string | null;
  readonly token: string | null;
}

export const login = setup({
  types: {
    context: {} as Session,
    events: {} as { type: 'LOG_IN'; user: string; password: string } | { type: 'LOG_OUT' } | { type: 'REFUSED' },
  },
  actors: {
    authenticate: fromPromise<{ token: string }, { user: string | null }>(async () => {
      throw new Error('this example has no server');
    }),
    refresh: fromPromise<{ token: string }, { token: string | null }>(async () => {
      throw new Error('this example has no server');
    }),
  },
  actions: {
    keepToken: assign({ token: (_, { token }: { token: string }) => token }),
    forget: assign({ user: null, token: null }),
  },
  guards: { isFilled: ({ event }) => event.type === 'LOG_IN' && event.user !== '' && event.password !== '' },
  delays: { lifetime: 60_000, patience: 5000 },
}).createMachine({
  id: 'login',
  context: { user: null, token: null },
  initial: 'loggedOut',
  states: {
    loggedOut: {
      entry: 'forget',
      on: { LOG_IN: { guard: 'isFilled', target: 'authenticating', actions: assign({ user: ({ event }) => event.user }) } },
    },
    authenticating: {
      invoke: {
        src: 'authenticate',
        input: ({ context }) => ({ user: context.user }),
        onDone: { target: 'loggedIn', actions: { type: 'keepToken', params: ({ event }) => event.output } },
        onError: 'loggedOut',
      },
      on: { LOG_OUT: 'loggedOut' },
    },
    loggedIn: {
      initial: 'fresh',
      on: { LOG_OUT: 'loggedOut' },
      states: {
        fresh: { after: { lifetime: 'renewing' }, on: { REFUSED: 'renewing' } },
        renewing: {
          invoke: {
            src: 'refresh',
            input: ({ context }) => ({ token: context.token }),
            onDone: { target: 'fresh', actions: { type: 'keepToken', params: ({ event }) => event.output } },
            onError: '#login.loggedOut',
          },
          after: { patience: '#login.loggedOut' },
        },
      },
    },
  },
});
