/**
 * The ten machines with a typical race in each: a timer that is never canceled, a service that is spawned instead of invoked, a late
 * answer. Their generated tests, the same as of the correct machine, find all of them.
 */
import { assign, raise, setup, spawnChild, type AnyStateMachine } from 'xstate';
import { chartOf, configOf, type ChartConfig, type StateConfig } from '../../test/charts/config.js';
import { chat } from './chat.js';
import { checkout } from './checkout.js';
import { dragAndDrop } from './drag-and-drop.js';
import { editor } from './editor.js';
import { formWizard } from './form-wizard.js';
import { login } from './login.js';
import { mediaPlayer } from './media-player.js';
import { order } from './order.js';
import { upload } from './upload.js';

export interface Race {
  readonly machine: AnyStateMachine;
  /** The rule that it breaks. */
  readonly breaks: string;
}

function changed(machine: AnyStateMachine, change: (config: ChartConfig) => void): AnyStateMachine {
  const config = configOf(machine);
  change(config);
  return chartOf(config, machine);
}

const at = (config: StateConfig, path: string): StateConfig =>
  path.split('.').reduce((state, key) => state.states![key]!, config);

/** The service continues after an exit from its state, because it was spawned there. */
function spawned(state: StateConfig, name: string, input: (args: any) => unknown, id?: (args: any) => string): void {
  delete state.invoke;
  state.entry = [...(state.entry ?? []), spawnChild(name as never, { input, id } as never)];
}

/** The timer continues after an exit from its state, because it was sent with a delay. */
function delayed(state: StateConfig, type: string, delay: number | string): void {
  delete state.after;
  state.entry = [...(state.entry ?? []), raise({ type }, { delay: delay as never })];
}

export const races: Readonly<Record<string, Race>> = {
  checkout: {
    breaks: 'a receipt is there when it is paid, and only then',
    machine: changed(checkout, (config) => {
      spawned(at(config, 'payment.charging'), 'charge', ({ context }) => ({ items: context.items }));
      at(config, 'payment.charging').always = [
        { guard: ({ context }: any) => context.receipt !== null, target: '#checkout.paid' },
      ];
      config.on = {
        'xstate.done.actor.*': [{ actions: [assign({ receipt: ({ event }: any) => event.output.receipt })] }],
        'xstate.error.actor.*': [{ actions: [assign({ problem: 'declined' })] }],
      };
    }),
  },
  'media player': {
    breaks: 'what plays is what was asked for',
    machine: changed(mediaPlayer, (config) => {
      spawned(
        at(config, 'track.loading'),
        'load',
        ({ context }) => ({ track: context.wanted }),
        ({ context }) => `load ${context.wanted}`,
      );
      Object.assign(at(config, 'track').on!, {
        'xstate.done.actor.*': [{ target: '.paused', actions: [assign({ loaded: ({ event }: any) => event.output })] }],
        'xstate.error.actor.*': [{ target: '.broken' }],
      });
    }),
  },
  'form wizard': {
    breaks: 'no empty name goes on',
    machine: changed(formWizard, (config) => {
      delayed(at(config, 'name.typing'), 'CHECK', 300);
      at(config, 'name').on!['CHECK'] = [{ target: '.checking' }];
    }),
  },
  upload: {
    breaks: 'it is sent three times at most',
    machine: changed(upload, (config) => {
      delayed(at(config, 'active.waiting'), 'RETRY', 'backoff');
      at(config, 'active').on!['RETRY'] = [{ target: '.sending' }];
    }),
  },
  login: {
    breaks: 'who is logged out has no token',
    machine: changed(login, (config) => {
      spawned(at(config, 'loggedIn.renewing'), 'refresh', ({ context }) => ({ token: context.token }));
      config.on = {
        'xstate.done.actor.*': [{ actions: [assign({ token: ({ event }: any) => event.output.token })] }],
        'xstate.error.actor.*': [{ target: '.loggedOut' }],
      };
      at(config, 'loggedIn.renewing').always = [{ guard: ({ context }: any) => context.token === 't2', target: 'fresh' }];
    }),
  },
  'traffic light': {
    breaks: 'pedestrians never go before cars',
    // Two timers that should be synchronized: that of the cars, and one from the button to the walk.
    machine: setup({ delays: { green: 10_000, yellow: 2000, red: 9000, approach: 12_000, walk: 6000 } }).createMachine({
      id: 'light',
      context: { isWanted: false },
      type: 'parallel',
      states: {
        cars: {
          initial: 'green',
          states: {
            green: { tags: 'cars go', after: { green: 'yellow' } },
            yellow: { after: { yellow: 'red' } },
            red: { after: { red: 'green' } },
          },
        },
        pedestrians: {
          initial: 'stop',
          states: {
            stop: { on: { BUTTON: 'wait' } },
            wait: { after: { approach: 'go' } },
            go: { tags: 'pedestrians go', after: { walk: 'stop' } },
          },
        },
      },
    }),
  },
  'drag and drop': {
    breaks: 'who has let go does not drag',
    machine: changed(dragAndDrop, (config) => {
      delayed(at(config, 'pressed'), 'LONG', 'longPress');
      config.on = { LONG: [{ target: '.dragging' }] };
    }),
  },
  chat: {
    breaks: 'no actor left running',
    machine: changed(chat, (config) => {
      spawned(at(config, 'online.linked'), 'socket', () => undefined);
      const open = at(config, 'online.linked.open');
      open.always = open.always!.map((choice) => ({ ...choice, actions: ['empty'] }));
    }),
  },
  editor: {
    breaks: 'what is called saved is saved',
    machine: changed(editor, (config) => {
      at(config, 'file.saving').on = { KEY: [{ guard: 'fits', actions: ['type'] }] };
    }),
  },
  order: {
    breaks: 'what is counted is available',
    machine: changed(order, (config) => {
      at(config, 'open').on = { ...at(config, 'open').on, ...config.on };
      delete config.on;
    }),
  },
};
