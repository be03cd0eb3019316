/** A chart with every construct of XState 5, for the picture to be held against. */
import { and, assign, createMachine, fromPromise, not, raise, stateIn, type AnyStateMachine } from 'xstate';

const load = fromPromise(() => Promise.resolve(1));

export const conformance: AnyStateMachine = createMachine({
  id: 'shop',
  type: 'parallel',
  description: 'Everything that a chart can say.',
  tags: 'open',
  context: { count: 0, items: [] as string[] },
  entry: [assign({ count: 0, items: [] }), 'greet'],
  exit: 'farewell',
  invoke: { src: 'clock', onSnapshot: { actions: 'tick' } },
  on: {
    'link.*': { actions: 'note' },
    '*': { guard: not('isQuiet'), actions: { type: 'log', params: { level: 'warn' } } },
    leave: '.order.done',
    reset: { target: ['#shop.order.browsing', '#pay'], reenter: true, description: 'from the start' },
  },
  states: {
    order: {
      initial: 'browsing',
      onDone: { actions: 'ship' },
      states: {
        browsing: {
          description: 'Nothing is loaded yet.',
          tags: ['calm', 'idle'],
          after: {
            5000: 'loading',
            patience: [{ guard: 'isLate', target: 'failed' }, { actions: 'remind' }],
          },
          on: {
            search: [
              { guard: and(['isOnline', not(stateIn('#pay'))]), target: 'loading' },
              { target: 'failed', actions: ['count', 'blame'] },
            ],
            // Not answered here, whatever the states around would do.
            leave: undefined,
            '*': {},
          },
        },
        loading: {
          entry: [raise({ type: 'begun' }), ({ context }: any) => context, 'spin'],
          exit: ['stopSpinning'],
          invoke: [
            {
              id: 'loader',
              src: 'fetchItems',
              onDone: { target: 'loaded', actions: assign({ items: [] }) },
              onError: [
                { guard: { type: 'isRetriable', params: { times: 3 } }, target: 'loading', reenter: true },
                { target: 'failed' },
              ],
              onSnapshot: { actions: 'show' },
            },
            { src: load, onDone: 'loaded', onError: '#shop.order.failed' },
          ],
          on: { begun: { target: undefined, actions: 'noted' } },
        },
        loaded: {
          initial: { target: 'list', actions: 'sort' },
          states: {
            list: {
              always: [{ guard: ({ context }: any) => context.count > 9, target: 'empty' }],
              on: { open: '.', pick: 'detail' },
            },
            detail: { on: { back: { target: 'list' } } },
            empty: { id: 'empty', route: {} },
            last: { type: 'history', history: 'deep', target: 'detail' },
            before: { history: true },
          },
          on: { again: { target: 'loaded.last' }, sort: '.list', refresh: { target: 'loaded', reenter: true } },
        },
        failed: { on: { retry: 'loaded.before', cancel: 'done' } },
        done: { type: 'final', entry: 'thank', output: 7 },
      },
    },
    payment: {
      id: 'pay',
      initial: 'open',
      states: { open: { on: { 'paid.by.card': 'closed' } }, closed: { type: 'final' } },
    },
  },
} as never) as AnyStateMachine;
