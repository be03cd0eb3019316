/** Machines of the shapes that people write, for tests of the picture: from tutorials, forms, games, editors and services. */
import { createMachine, type AnyStateMachine } from 'xstate';
import { hardShapes } from './hard-shapes.fixture.js';

const configs: Readonly<Record<string, object>> = {
  'traffic light': {
    initial: 'green',
    states: {
      green: { after: { 20000: 'yellow' }, tags: 'go' },
      yellow: { after: { 3000: 'red' } },
      red: {
        tags: 'stop',
        initial: 'walk',
        after: { 30000: 'green' },
        states: {
          walk: { after: { 10000: 'wait' } },
          wait: { after: { 5000: 'stop' } },
          stop: { type: 'final' },
        },
      },
    },
    on: { POWER_OUTAGE: '.red', POWER_RESTORED: { target: '.green', actions: 'resetClock' } },
  },

  checkout: {
    type: 'parallel',
    states: {
      session: {
        initial: 'active',
        states: {
          active: { on: { IDLE: 'active' }, after: { 900000: 'expired' } },
          expired: { on: { LOGIN: 'active' } },
          loggedOut: { type: 'final' },
        },
        on: { LOGOUT: '.loggedOut' },
      },
      purchase: {
        initial: 'loading',
        states: {
          loading: { invoke: { src: 'loadCart', id: 'load', onDone: 'cart', onError: 'failed' } },
          cart: { on: { CHECKOUT: { target: 'form', guard: 'hasItems' } } },
          form: {
            initial: 'address',
            on: { CANCEL: 'cart', HELP: 'help' },
            onDone: 'paying',
            states: {
              address: { on: { NEXT: 'shipping' } },
              shipping: {
                initial: 'choosing',
                on: { BACK: 'address' },
                onDone: 'payment',
                states: { choosing: { on: { PICK: 'picked' } }, picked: { type: 'final' } },
              },
              payment: { on: { BACK: 'shipping', PAY: 'done' } },
              done: { type: 'final' },
              hist: { type: 'history', history: 'deep' },
            },
          },
          help: { on: { CLOSE: 'form.hist' } },
          paying: {
            invoke: {
              src: 'charge',
              id: 'charge',
              onDone: 'paid',
              onError: [{ target: 'retrying', guard: 'canRetry' }, { target: 'failed' }],
            },
          },
          retrying: { after: { 2000: 'paying' } },
          failed: { on: { RETRY: 'loading' } },
          paid: { type: 'final' },
        },
      },
    },
  },

  'media player': {
    initial: 'idle',
    states: {
      idle: { on: { SELECT: { target: 'loading', actions: 'rememberTrack' } } },
      loading: {
        entry: 'showSpinner',
        exit: 'hideSpinner',
        invoke: { src: 'loadTrack', onDone: { target: 'ready', actions: 'assignTrack' }, onError: 'failed' },
      },
      ready: {
        type: 'parallel',
        on: { SELECT: 'loading' },
        states: {
          playback: {
            initial: 'paused',
            states: {
              paused: { on: { PLAY: 'playing' } },
              playing: { on: { PAUSE: 'paused', END: 'ended' }, invoke: { src: 'audio', id: 'audio' } },
              ended: { on: { PLAY: { target: 'playing', actions: ['rewind', 'play'] } } },
            },
          },
          volume: {
            initial: 'normal',
            states: { normal: { on: { MUTE: 'muted' } }, muted: { on: { UNMUTE: 'normal' } } },
            on: { VOLUME: { actions: 'setVolume' } },
          },
          screen: {
            initial: 'small',
            states: { small: { on: { ENLARGE: 'full' } }, full: { on: { SHRINK: 'small', ESC: 'small' } } },
          },
        },
      },
      failed: { on: { RETRY: 'loading' }, tags: ['error', 'retryable'] },
    },
  },

  'word editor': {
    type: 'parallel',
    on: { RESET: { target: ['.bold.off', '.italics.off', '.list.none'] } },
    states: {
      bold: { initial: 'off', states: { on: { on: { TOGGLE_BOLD: 'off' } }, off: { on: { TOGGLE_BOLD: 'on' } } } },
      italics: { initial: 'off', states: { on: { on: { TOGGLE_ITALICS: 'off' } }, off: { on: { TOGGLE_ITALICS: 'on' } } } },
      list: {
        initial: 'none',
        states: {
          none: { on: { BULLETS: 'bullets', NUMBERS: 'numbers' } },
          bullets: { on: { NONE: 'none', NUMBERS: 'numbers' } },
          numbers: { on: { BULLETS: 'bullets', NONE: 'none' } },
        },
      },
    },
  },

  fetch: {
    initial: 'idle',
    states: {
      idle: { on: { FETCH: 'loading' } },
      loading: {
        invoke: { src: 'fetchData', onDone: { target: 'success', actions: 'store' }, onError: 'failure' },
        on: { CANCEL: 'idle' },
      },
      success: { type: 'final' },
      failure: {
        after: { retryDelay: { target: 'loading', guard: 'attemptsLeft', actions: 'countAttempt' } },
        on: { RETRY: 'loading' },
      },
    },
  },

  wizard: {
    initial: 'name',
    states: {
      name: { on: { NEXT: { target: 'address', guard: 'hasName' } } },
      address: { on: { NEXT: { target: 'payment', guard: 'hasAddress' }, BACK: 'name' } },
      payment: { on: { NEXT: { target: 'review', guard: 'hasCard' }, BACK: 'address' } },
      review: { on: { BACK: 'payment', EDIT_NAME: 'name', EDIT_ADDRESS: 'address', SUBMIT: 'sent' } },
      sent: { type: 'final' },
    },
    on: { QUIT: '.sent' },
  },

  login: {
    initial: 'signedOut',
    states: {
      signedOut: { on: { LOG_IN: { target: 'authenticating', guard: 'isComplete' } } },
      authenticating: {
        invoke: {
          src: 'authenticate',
          onDone: 'signedIn',
          onError: [
            { guard: 'isLocked', target: 'locked' },
            { target: 'signedOut', actions: 'showProblem' },
          ],
        },
        after: { 10000: { target: 'signedOut', actions: 'showTimeout' } },
      },
      signedIn: {
        initial: 'active',
        states: {
          active: { after: { 900000: 'idle' }, on: { ACTIVITY: { target: 'active', reenter: true } } },
          idle: { on: { ACTIVITY: 'active' }, after: { 60000: '#login.signedOut' } },
        },
        on: { LOG_OUT: 'signedOut' },
      },
      locked: { after: { lockTime: 'signedOut' } },
    },
  },

  elevator: {
    initial: 'stopped',
    states: {
      stopped: {
        initial: 'closed',
        states: {
          closed: { on: { OPEN: 'opening' } },
          opening: { after: { 2000: 'open' } },
          open: { after: { 5000: 'closing' }, on: { HOLD: { target: 'open', reenter: true } } },
          closing: { on: { OBSTACLE: 'opening' }, after: { 2000: 'closed' } },
        },
        on: { UP: 'moving.up', DOWN: 'moving.down' },
      },
      moving: {
        initial: 'up',
        states: { up: {}, down: {} },
        on: { ARRIVED: 'stopped', EMERGENCY: 'emergency' },
      },
      emergency: { on: { RESET: 'stopped' } },
    },
  },

  'vending machine': {
    initial: 'idle',
    states: {
      idle: { on: { COIN: { target: 'collecting', actions: 'addCoin' } } },
      collecting: {
        on: {
          COIN: { actions: 'addCoin' },
          SELECT: [
            { guard: 'isSoldOut', actions: 'beep' },
            { guard: 'isEnough', target: 'vending', actions: ['take', 'count'] },
            { actions: 'showMissing' },
          ],
          REFUND: { target: 'idle', actions: 'refund' },
        },
        after: { 60000: { target: 'idle', actions: 'refund' } },
      },
      vending: { entry: 'turnMotor', invoke: { src: 'dropSensor', onDone: 'idle', onError: 'broken' } },
      broken: { type: 'final' },
    },
  },

  'tic tac toe': {
    initial: 'playing',
    states: {
      playing: {
        always: [
          { target: 'over.won', guard: 'hasWinner' },
          { target: 'over.draw', guard: 'isFull' },
        ],
        on: { PLAY: { target: 'playing', guard: 'isFree', actions: 'updateBoard' } },
      },
      over: {
        initial: 'won',
        states: { won: { tags: 'winner' }, draw: { tags: 'draw' } },
        on: { RESET: { target: 'playing', actions: 'resetGame' } },
      },
    },
  },

  websocket: {
    initial: 'disconnected',
    states: {
      disconnected: { on: { CONNECT: 'connecting' } },
      connecting: {
        invoke: { src: 'socket', id: 'socket', onError: 'waiting' },
        on: { OPEN: 'connected', DISCONNECT: 'disconnected' },
      },
      connected: {
        type: 'parallel',
        states: {
          heartbeat: {
            initial: 'quiet',
            states: { quiet: { after: { 30000: 'asked' } }, asked: { on: { PONG: 'quiet' }, after: { 5000: '#lost' } } },
          },
          queue: {
            initial: 'empty',
            states: { empty: { on: { SEND: 'draining' } }, draining: { on: { DRAINED: 'empty', SEND: { actions: 'enqueue' } } } },
          },
        },
        on: { CLOSE: 'waiting', DISCONNECT: 'disconnected' },
      },
      waiting: { id: 'lost', after: { backoff: [{ guard: 'mayRetry', target: 'connecting' }, { target: 'failed' }] } },
      failed: { type: 'final' },
    },
  },

  microwave: {
    type: 'parallel',
    states: {
      door: { initial: 'closed', states: { closed: { on: { OPEN: 'open' } }, open: { on: { CLOSE: 'closed' } } } },
      engine: {
        initial: 'off',
        states: {
          off: { on: { START: { target: 'cooking', guard: { type: 'stateIn', params: { state: 'door.closed' } } } } },
          cooking: {
            initial: 'heating',
            on: { OPEN: '.paused', STOP: 'off' },
            after: { cookingTime: { target: 'off', actions: 'beep' } },
            states: { heating: { entry: 'heat', exit: 'cool' }, paused: { on: { CLOSE: 'heating' } } },
          },
        },
      },
    },
  },

  'order service': {
    initial: 'created',
    states: {
      created: {
        invoke: {
          src: 'reserveStock',
          id: 'stock',
          onDone: 'reserved',
          onError: { target: 'rejected', actions: 'notifyCustomer' },
        },
      },
      reserved: { on: { PAID: 'paid', CANCEL: 'canceling' }, after: { paymentLimit: 'canceling' } },
      paid: { invoke: { src: 'ship', id: 'shipment', onDone: 'shipped', onError: 'refunding' } },
      shipped: { on: { DELIVERED: 'completed', LOST: 'refunding' } },
      refunding: { invoke: { src: 'refund', onDone: 'canceling', onError: { target: 'refunding', reenter: true } } },
      canceling: { invoke: { src: 'releaseStock', onDone: 'rejected', onError: 'manual' } },
      manual: { tags: 'attention', on: { RESOLVED: 'rejected' } },
      rejected: { type: 'final' },
      completed: { type: 'final' },
    },
    on: { '*': { actions: 'logUnexpected' } },
  },

  'modal in a page': {
    initial: 'loading',
    invoke: { src: 'auth', id: 'auth' },
    states: {
      loading: { on: { LOADED: 'page' } },
      page: {
        type: 'parallel',
        states: {
          modal: {
            initial: 'closed',
            states: {
              closed: { id: 'closed', on: { OPEN_MODAL: 'open' } },
              open: {
                initial: 'idle',
                on: { CLOSE_MODAL: 'closed' },
                states: {
                  idle: { on: { SAVE: 'saving' } },
                  saving: { invoke: { src: 'save', onDone: '#closed', onError: 'idle' } },
                },
              },
            },
          },
          content: {
            initial: 'reading',
            states: { reading: { on: { EDIT: 'editing' } }, editing: { on: { DONE: 'reading' } }, back: { type: 'history' } },
          },
        },
        on: { LOG_OUT: 'loading', RETURN: '.content.back' },
      },
    },
  },

  toggle: {
    initial: 'inactive',
    states: { inactive: { on: { TOGGLE: 'active' } }, active: { on: { TOGGLE: 'inactive' } } },
  },
  'drag and drop': {
    initial: 'idle',
    states: {
      idle: { on: { 'mouse.down': { target: 'dragging', actions: 'assignPoint' } } },
      dragging: {
        on: {
          'mouse.move': { actions: 'assignDelta' },
          'mouse.up': [
            { guard: 'isOverTarget', target: 'dropped' },
            { target: 'idle', actions: 'resetPosition' },
          ],
          'key.escape': { target: 'idle', actions: 'resetPosition' },
        },
      },
      dropped: { after: { 300: 'idle' } },
    },
  },
  ...hardShapes,
};

/** By name. */
export const publicShapes: Readonly<Record<string, AnyStateMachine>> = Object.fromEntries(
  Object.entries(configs).map(([name, config]) => [name, createMachine({ id: name, ...config } as never) as AnyStateMachine]),
);
