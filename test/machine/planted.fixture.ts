/** Seven machines of everyday kinds with a mistake in each, as they get into programs. */
import { assign, fromPromise, raise, sendTo, setup, spawnChild, type AnyStateMachine } from 'xstate';
import type { MachineTests } from './options.js';

interface Planted {
  readonly machine: AnyStateMachine;
  readonly tests?: MachineTests;
  /** The finding, by its name, or the part that is not covered. */
  readonly finds: string;
}

const works = fromPromise(async () => 1);

export const planted: Readonly<Record<string, Planted>> = {
  'a guard that can only be true': {
    finds: 'constant guard form: SUBMIT',
    machine: setup({ guards: { isFilled: ({ context }) => context.fields.length >= 0 } }).createMachine({
      id: 'form',
      context: { fields: [] as string[] },
      initial: 'form',
      states: {
        form: {
          on: {
            FILL: {
              guard: ({ context }) => context.fields.length < 2,
              actions: assign({ fields: ({ context }) => [...context.fields, 'x'] }),
            },
            SUBMIT: [{ guard: 'isFilled', target: 'sent' }, { target: 'refused' }],
          },
        },
        refused: { on: { AGAIN: 'form' } },
        sent: { type: 'final' },
      },
    }),
  },
  'a dead end': {
    finds: 'dead end lost',
    machine: setup({ actors: { connect: works } }).createMachine({
      id: 'device',
      context: { tries: 0 },
      initial: 'off',
      states: {
        off: { on: { SCAN: 'connecting' } },
        connecting: {
          invoke: {
            src: 'connect',
            onDone: 'up',
            onError: [
              {
                guard: ({ context }) => context.tries < 1,
                target: 'rest',
                actions: assign({ tries: ({ context }) => context.tries + 1 }),
              },
              { target: 'lost' },
            ],
          },
          on: { CANCEL: 'off' },
        },
        rest: { after: { 500: 'connecting' } },
        up: { on: { DROP: 'off' } },
        lost: {},
      },
    }),
  },
  'a delayed event that is not canceled': {
    finds: 'late event EXPIRE',
    machine: setup({}).createMachine({
      id: 'offer',
      initial: 'closed',
      states: {
        closed: { on: { OPEN: 'open' } },
        open: { entry: raise({ type: 'EXPIRE' }, { delay: 5000, id: 'expiry' }), on: { ACCEPT: 'accepted', EXPIRE: 'closed' } },
        accepted: { on: { EXPIRE: 'closed', DONE: 'closed' } },
      },
    }),
  },
  'a promise that outlives CANCEL': {
    finds: 'late result search',
    machine: setup({ actors: { search: works } }).createMachine({
      id: 'search',
      context: { found: null as unknown },
      initial: 'idle',
      on: {
        'xstate.done.actor.search': { target: '.shown', actions: assign({ found: ({ event }) => event['output'] }) },
        'xstate.error.actor.search': '.idle',
      },
      states: {
        idle: { on: { FIND: 'searching' } },
        searching: { entry: spawnChild('search', { id: 'search' }), on: { CANCEL: 'canceled' } },
        canceled: { on: { BACK: 'shown' } },
        shown: { on: { CLOSE: 'idle' } },
      },
    }),
  },
  'an event that a child drops': {
    finds: 'dropped event PAUSE of player',
    machine: setup({
      actors: {
        player: setup({}).createMachine({
          id: 'player',
          initial: 'playing',
          states: {
            playing: { after: { 1000: 'resting' }, on: { PAUSE: 'paused' } },
            resting: { after: { 500: 'playing' } },
            paused: { on: { PLAY: 'playing' } },
          },
        }),
      },
    }).createMachine({
      id: 'show',
      initial: 'on',
      invoke: { src: 'player', id: 'player' },
      states: {
        on: { on: { STOP: { target: 'off', actions: sendTo('player', { type: 'PAUSE' }) } } },
        off: { on: { GO: { target: 'on', actions: sendTo('player', { type: 'PLAY' }) } } },
      },
    }),
  },
  'rounds that are not reset': {
    finds: 'context not reset rounds',
    machine: setup({}).createMachine({
      id: 'game',
      context: { rounds: 0 },
      initial: 'menu',
      states: {
        menu: { on: { START: 'playing' } },
        playing: {
          on: {
            ROUND: [
              { guard: ({ context }) => context.rounds >= 2, target: 'over' },
              { actions: assign({ rounds: ({ context }) => context.rounds + 1 }) },
            ],
          },
        },
        over: { on: { AGAIN: 'playing', QUIT: 'menu' } },
      },
    }),
  },
  'a save that waits forever': {
    finds: 'wait without timeout saving',
    machine: setup({ actors: { save: works } }).createMachine({
      id: 'note',
      initial: 'editing',
      states: {
        editing: { on: { SAVE: 'saving' } },
        saving: { invoke: { src: 'save', onDone: 'saved', onError: 'editing' } },
        saved: { on: { EDIT: 'editing' } },
      },
    }),
  },
};
