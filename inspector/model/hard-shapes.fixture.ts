/** Configs of machines that are hard to draw: deep, dense, long, empty, or with constructs that are rare. */
export const hardShapes: Readonly<Record<string, object>> = {
  'payment with history': {
    initial: 'method',
    states: {
      method: {
        initial: 'cash',
        states: {
          cash: { on: { SWITCH_CHECK: 'check' } },
          check: { on: { SWITCH_CASH: 'cash' } },
          last: { type: 'history', target: 'cash' },
        },
        on: { NEXT: 'review' },
      },
      review: { on: { PREVIOUS: 'method.last', CONFIRM: 'paid' } },
      paid: { type: 'final', entry: 'sendReceipt' },
    },
  },

  'deep nesting': {
    initial: 'a',
    states: {
      a: {
        initial: 'b',
        states: {
          b: {
            initial: 'c',
            states: {
              c: {
                initial: 'd',
                states: {
                  d: { initial: 'e', states: { e: { on: { UP: '#top', DOWN: 'f' } }, f: { type: 'final' } }, onDone: 'g' },
                  g: { on: { RESTART: 'd' } },
                },
                on: { ESCAPE: '#outside' },
              },
            },
          },
        },
        id: 'top',
        on: { LEAVE: 'outside' },
      },
      outside: { id: 'outside', on: { ENTER: 'a.b.c.d', DIVE: 'a.b.c.d.e' } },
    },
  },

  'long labels': {
    initial: 'waitingForTheConfirmationOfTheExternalPaymentProvider',
    states: {
      waitingForTheConfirmationOfTheExternalPaymentProvider: {
        on: {
          'payment.provider.confirmation.received.with.signature': {
            target: 'confirmedAndWaitingForTheWarehouseToPackEverything',
            guard: 'theSignatureOfTheProviderIsValidAndNotOlderThanFiveMinutes',
            actions: ['rememberTheConfirmation', 'notifyTheCustomerByMailAndMessage', 'startThePackingOfTheOrder'],
          },
          CANCEL: 'canceled',
        },
        invoke: { src: 'waitForTheConfirmationOfTheExternalPaymentProvider', id: 'confirmationOfTheProvider' },
      },
      confirmedAndWaitingForTheWarehouseToPackEverything: { entry: ['reserveTheItemsInTheWarehouse', 'printTheLabel'] },
      canceled: { type: 'final' },
    },
  },

  wildcard: {
    initial: 'listening',
    states: {
      listening: {
        on: { 'mouse.*': { actions: 'trackMouse' }, 'key.*': 'typing', '*': { target: 'unknown', actions: 'log' } },
      },
      typing: { on: { 'key.enter': 'listening', '*': {}, 'mouse.*': undefined } },
      unknown: { always: [{ guard: 'isFatal', target: 'stopped' }, { target: 'listening' }] },
      stopped: { type: 'final' },
    },
  },

  'guarded counter': {
    initial: 'counting',
    context: { count: 0 },
    states: {
      counting: {
        always: { guard: 'isFull', target: 'full' },
        on: { INC: { actions: 'increment' }, DEC: { guard: 'isPositive', actions: 'decrement' } },
      },
      full: { on: { DEC: { target: 'counting', actions: 'decrement' } } },
    },
  },

  'self transitions': {
    initial: 'one',
    states: {
      one: {
        on: { AGAIN: 'one', REENTER: { target: 'one', reenter: true, actions: 'count' }, STAY: { actions: 'stay' }, NEXT: 'two' },
      },
      two: {
        initial: 'inner',
        on: { SELF: 'two', RESTART: { target: 'two', reenter: true }, CHILD: '.other' },
        states: { inner: { on: { SWAP: 'other' } }, other: { on: { OUT: '#self.two' } } },
      },
    },
    id: 'self',
  },

  'many events': {
    initial: 'a',
    states: {
      a: { on: Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`EVENT_${i}`, { target: 'b', guard: `guard${i}` }])) },
      b: { on: { BACK: 'a' } },
    },
  },

  'complete graph': {
    initial: 's0',
    states: Object.fromEntries(
      Array.from({ length: 6 }, (_, i) => [
        `s${i}`,
        {
          on: Object.fromEntries(
            Array.from({ length: 6 }, (__, j) => j)
              .filter((j) => j !== i)
              .map((j) => [`TO_${j}`, `s${j}`]),
          ),
        },
      ]),
    ),
  },

  'long chain': {
    initial: 'step0',
    states: Object.fromEntries(
      Array.from({ length: 15 }, (_, i) => [`step${i}`, i === 14 ? { type: 'final' } : { on: { NEXT: `step${i + 1}` } }]),
    ),
  },

  star: {
    initial: 'hub',
    states: {
      hub: { on: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`GO_${i}`, `spoke${i}`])) },
      ...Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`spoke${i}`, { on: { HOME: 'hub' } }])),
    },
  },

  'fork and join': {
    initial: 'draft',
    states: {
      draft: { on: { PUBLISH: { target: ['release.build.running', 'release.review.legal'], actions: 'notify' } } },
      release: {
        type: 'parallel',
        onDone: 'published',
        states: {
          build: {
            initial: 'queued',
            states: { queued: { on: { START: 'running' } }, running: { on: { BUILT: 'built' } }, built: { type: 'final' } },
          },
          review: {
            initial: 'technical',
            states: { technical: { on: { OK: 'legal' } }, legal: { on: { OK: 'approved' } }, approved: { type: 'final' } },
          },
        },
        on: { REJECT: 'draft' },
      },
      published: { type: 'final' },
    },
  },

  'empty machine': {},

  'states without events': { initial: 'a', states: { a: {}, b: {}, c: { type: 'final' } } },

  'names with spaces': {
    initial: 'in stock',
    states: {
      'in stock': { on: { 'sell one': [{ guard: 'is the last', target: 'sold out' }, { actions: 'count down' }] } },
      'sold out': { on: { 'new delivery': 'in stock' } },
    },
  },
};
