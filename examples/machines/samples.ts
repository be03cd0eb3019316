/** Options of the ten machines for their generated tests, and properties of each. */
import type { AnyStateMachine } from 'xstate';
import type { MachineTests } from 'xstate-quiver/test';
import { chat } from './chat.js';
import { checkout } from './checkout.js';
import { dragAndDrop } from './drag-and-drop.js';
import { editor } from './editor.js';
import { formWizard } from './form-wizard.js';
import { login } from './login.js';
import { mediaPlayer } from './media-player.js';
import { order } from './order.js';
import { trafficLight } from './traffic-light.js';
import { upload } from './upload.js';

export interface Example {
  readonly machine: AnyStateMachine;
  readonly tests: MachineTests;
}

export const examples: Readonly<Record<string, Example>> = {
  checkout: {
    machine: checkout,
    tests: {
      events: { ADD: [{ item: 'book' }], ADDRESS: [{ address: '' }, { address: 'Main Street 1' }] },
      services: { charge: { done: [{ receipt: 'r1' }], fails: [new Error('declined')] } },
      invariants: {
        'a receipt is there when it is paid, and only then': ({ context, value }) =>
          (context.receipt !== null) === (value === 'paid'),
      },
      temporal: {
        'who waits for the payment is not left waiting': {
          when: (state) => state.matches({ payment: 'charging' }),
          eventually: (state) => !state.matches({ payment: 'charging' }),
          within: 1,
        },
        'no payment without an address': { never: ({ value, context }) => value === 'paid' && context.address === null },
      },
    },
  },
  'media player': {
    machine: mediaPlayer,
    tests: {
      events: { SELECT: [{ track: 'a' }, { track: 'b' }] },
      services: { load: { done: ({ input }) => [input?.track] } },
      invariants: {
        'what plays is what was asked for': (state) =>
          !state.matches({ track: 'playing' }) || state.context.loaded === state.context.wanted,
      },
    },
  },
  'form wizard': {
    machine: formWizard,
    tests: {
      reasons: { 'wait without timeout submitting': 'the request has its own timeout' },
      events: { NAME: [{ name: '' }, { name: 'ann' }, { name: 'bob' }], AGE: [{ age: 17 }, { age: 18 }] },
      services: { checkName: { done: [true, false] } },
      invariants: {
        'the name that goes on was found free': ({ context, value }) =>
          typeof value === 'object' || context.free === context.name,
        'no empty name goes on': ({ context, value }) => typeof value === 'object' || context.name !== '',
      },
    },
  },
  upload: {
    machine: upload,
    tests: {
      events: { FILE: [{ file: 'a.png' }] },
      services: { send: { done: ['/a.png'] } },
      invariants: {
        'it is sent three times at most': ({ context }) => context.attempt <= 3,
        'what is idle has nothing': ({ context, value }) => value !== 'idle' || (context.file === null && context.url === null),
      },
      temporal: {
        'an upload comes to an end': {
          when: (state) => state.matches({ active: 'sending' }),
          eventually: (state) => state.matches('sent') || state.matches('failed'),
        },
      },
    },
  },
  login: {
    machine: login,
    tests: {
      events: {
        LOG_IN: [
          { user: 'ann', password: 'x' },
          { user: '', password: '' },
        ],
      },
      services: { authenticate: { done: [{ token: 't1' }] }, refresh: { done: [{ token: 't2' }] } },
      invariants: {
        'who is logged out has no token': (state) => !state.matches('loggedOut') || state.context.token === null,
        'who is logged in has one': (state) => !state.matches('loggedIn') || state.context.token !== null,
      },
    },
  },
  'traffic light': {
    machine: trafficLight,
    tests: {
      invariants: { 'pedestrians never go before cars': (state) => !(state.hasTag('cars go') && state.hasTag('pedestrians go')) },
      temporal: {
        'who presses gets to walk': {
          when: (state) => state.context.isWanted && !state.matches('dark'),
          eventually: (state) => state.matches({ working: { red: 'walk' } }),
          within: 4,
        },
      },
    },
  },
  'drag and drop': {
    machine: dragAndDrop,
    tests: {
      reasons: { 'wait without timeout storing': 'the request has its own timeout' },
      events: { MOVE: [{ by: 1 }, { by: 5 }] },
      // Test only places: the number of states grows with the number of moves.
      filter: (state, step) => !('event' in step) || step.event.type !== 'DOWN' || state.context.at < 5,
      invariants: {
        'at rest the place is the stored one': ({ context, value }) => value !== 'idle' || context.at === context.stored,
      },
      temporal: {
        'who has let go does not drag': {
          when: ({ value }) => value === 'idle',
          holds: ({ value }) => value !== 'dragging',
          until: ({ value }) => value === 'pressed',
        },
      },
    },
  },
  chat: {
    machine: chat,
    tests: {
      events: { WRITE: [{ text: 'hi' }] },
      services: {
        socket: { sends: [{ type: 'socket.open' }, { type: 'socket.message', text: 'hello' }, { type: 'socket.closed' }] },
      },
      invariants: {
        'nothing waits while the line is open': (state) =>
          !state.matches({ online: { linked: 'open' } }) || state.context.outbox.length === 0,
        'one socket at most': (state) => Object.keys(state.children).length <= 1,
      },
    },
  },
  editor: {
    machine: editor,
    tests: {
      events: { KEY: [{ key: 'a' }] },
      services: { save: { done: ({ input }) => [input?.text] } },
      invariants: {
        'what is called saved is saved': (state) => !state.hasTag('saved') || state.context.text === state.context.saved,
      },
      temporal: {
        'what is written is saved in the end': {
          when: (state) => state.matches({ file: 'dirty' }),
          eventually: (state) => state.matches({ file: 'saving' }),
          within: 1,
        },
      },
    },
  },
  order: {
    machine: order,
    tests: {
      reasons: {
        'wait without timeout placing': 'the request has its own timeout',
        'line: wait without timeout checking': 'the request has its own timeout',
      },
      events: { ADD: [{ article: 'pen' }] },
      services: { stock: { done: [true, false] } },
      children: { line: {} },
      invariants: {
        'what is counted is available': ({ context }) =>
          context.available === context.lines.filter((line: any) => line.getSnapshot().matches('available')).length,
      },
    },
  },
};
