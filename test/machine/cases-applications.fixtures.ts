/** Machines with the shape of applications: small, and written for this table. */
import { assign, fromCallback, fromPromise, setup } from 'xstate';
import type { Case } from './cases.fixtures.js';

const any = (config: object, implementations: object = {}): any => setup(implementations as never).createMachine(config as never);
const once = fromPromise(async () => 1);
const socket = fromCallback(() => () => {});

export const applications: readonly Case[] = [
  {
    id: 'B1',
    about: 'a command palette that validates what is chosen; the end of the validation taken in "on"',
    machine: any(
      {
        id: 'palette',
        context: { command: null },
        initial: 'closed',
        states: {
          closed: { on: { OPEN: 'choosing' } },
          choosing: {
            on: { CHOOSE: { target: 'checking', actions: assign({ command: ({ event }: any) => event.name }) }, CLOSE: 'closed' },
          },
          checking: {
            invoke: { src: 'check', id: 'check', onError: 'choosing' },
            on: { 'xstate.done.actor.check': 'running', CLOSE: 'closed' },
          },
          running: { always: { target: 'closed', actions: assign({ command: null }) } },
        },
      },
      { actors: { check: once } },
    ),
    tests: { events: { CHOOSE: [{ name: 'extrude' }] } },
    result: /^valid/,
    covers: ['transition checking: xstate.done.actor.check'],
  },
  {
    id: 'B2',
    about: 'an editor that is read-only for one input, in one run',
    machine: any({
      id: 'editor',
      context: ({ input }: any) => ({ mayEdit: input.mayEdit }),
      initial: 'idle',
      states: {
        idle: { on: { EDIT: { guard: ({ context }: any) => context.mayEdit, target: 'editing' } } },
        editing: { on: { SAVE: 'idle' } },
      },
    }),
    tests: { starts: [{ input: { mayEdit: true } }, { input: { mayEdit: false } }] },
    result: /^valid/,
  },
  {
    id: 'B3',
    about: 'an indexer that goes from epoch to epoch',
    machine: any(
      {
        id: 'indexer',
        context: { epoch: 0 },
        initial: 'fetch',
        states: {
          fetch: {
            invoke: {
              src: 'fetch',
              onDone: [
                { guard: ({ context }: any) => context.epoch >= 5, target: 'done' },
                { target: 'fetch', reenter: true, actions: assign({ epoch: ({ context }: any) => context.epoch + 1 }) },
              ],
              onError: 'wait',
            },
          },
          wait: { after: { 1000: 'fetch' } },
          done: { type: 'final' },
        },
      },
      { actors: { fetch: once } },
    ),
    result: /^valid/,
  },
  {
    id: 'B4',
    about: 'live dictation: a socket and a microphone',
    machine: any(
      {
        id: 'dictation',
        initial: 'idle',
        states: {
          idle: { on: { START: 'live' } },
          live: { invoke: { src: 'socket', id: 'socket' }, on: { text: { actions: [] }, 'socket.lost': 'lost', STOP: 'idle' } },
          lost: { after: { 2000: 'live' }, on: { STOP: 'idle' } },
        },
      },
      { actors: { socket } },
    ),
    tests: { services: { socket: { sends: [{ type: 'text' }, { type: 'socket.lost' }] } } },
    result: /^valid/,
  },
  {
    id: 'B5',
    about: 'a video player: playback, volume and controls in parallel',
    machine: any({
      id: 'video',
      type: 'parallel',
      states: {
        playback: {
          initial: 'paused',
          states: {
            paused: { on: { PLAY: 'playing' } },
            playing: { on: { PAUSE: 'paused', END: 'ended' } },
            ended: { on: { PLAY: 'playing' } },
          },
        },
        volume: { initial: 'loud', states: { loud: { on: { MUTE: 'muted' } }, muted: { on: { MUTE: 'loud' } } } },
        controls: { initial: 'shown', states: { shown: { after: { 3000: 'hidden' } }, hidden: { on: { MOVE: 'shown' } } } },
      },
    }),
    result: /^valid/,
  },
  {
    id: 'B6',
    about: 'an upload manager whose child machine has no output',
    machine: any(
      {
        id: 'uploads',
        context: { id: 0 },
        initial: 'a',
        states: {
          a: {
            invoke: {
              src: 'upload',
              id: 'upload',
              onDone: { target: 'b', actions: assign({ id: ({ event }: any) => event.output.id }) },
            },
          },
          b: {},
        },
      },
      {
        actors: {
          upload: any(
            {
              id: 'up',
              initial: 'a',
              states: {
                a: { invoke: { src: 'put', id: 'put', onDone: 'b', onError: 'a' } },
                b: { type: 'final', output: { id: 1 } },
              },
            },
            { actors: { put: once } },
          ),
        },
      },
    ),
    tests: { services: { put: { done: [1] } } },
    result: /^invalid/,
    failure: /upload, an actor of machine upload, ended without output.*output: \(\{ event \}\) => event\.output/,
  },
  {
    id: 'B7',
    about: 'an agent that stops at a limit of turns',
    machine: any(
      {
        id: 'agent',
        context: { turns: 0 },
        initial: 'thinking',
        states: {
          thinking: {
            invoke: {
              src: 'model',
              onDone: [
                { guard: ({ context }: any) => context.turns >= 12, target: 'limit' },
                { target: 'acting', actions: assign({ turns: ({ context }: any) => context.turns + 1 }) },
              ],
              onError: 'limit',
            },
          },
          acting: { on: { RESULT: 'thinking', STOP: 'limit' } },
          limit: { type: 'final' },
        },
      },
      { actors: { model: once } },
    ),
    result: /^valid/,
  },
  {
    id: 'B8',
    about: 'a memory game that is won with the last pair',
    machine: any({
      id: 'memory',
      context: { open: 0, pairs: 0 },
      initial: 'play',
      states: {
        play: {
          on: {
            FLIP: [
              { guard: ({ context }: any) => context.open === 1 && context.pairs === 2, target: 'won' },
              {
                guard: ({ context }: any) => context.open === 1,
                actions: assign({ open: 0, pairs: ({ context }: any) => context.pairs + 1 }),
              },
              { actions: assign({ open: 1 }) },
            ],
          },
        },
        won: { on: { AGAIN: { target: 'play', actions: assign({ open: 0, pairs: 0 }) } } },
      },
    }),
    result: /^valid/,
  },
  {
    id: 'B9',
    about: 'a device that connects again with back-off',
    machine: any(
      {
        id: 'device',
        context: { tries: 0 },
        initial: 'off',
        states: {
          off: { on: { CONNECT: 'connecting' } },
          connecting: {
            invoke: {
              src: 'connect',
              onDone: { target: 'on', actions: assign({ tries: 0 }) },
              onError: [
                {
                  guard: ({ context }: any) => context.tries < 2,
                  target: 'waiting',
                  actions: assign({ tries: ({ context }: any) => context.tries + 1 }),
                },
                { target: 'off', actions: assign({ tries: 0 }) },
              ],
            },
          },
          waiting: { after: { backoff: 'connecting' }, on: { CANCEL: { target: 'off', actions: assign({ tries: 0 }) } } },
          on: { on: { DROP: 'connecting', DISCONNECT: 'off' } },
        },
      },
      { actors: { connect: once }, delays: { backoff: ({ context }: any) => 500 * 2 ** context.tries } },
    ),
    result: /^valid/,
  },
  {
    id: 'B10',
    about: 'a checkout with a child machine for the payment',
    machine: any(
      {
        id: 'shop',
        initial: 'cart',
        states: {
          cart: { on: { PAY: 'paying' } },
          paying: { invoke: { src: 'payment', id: 'payment', onDone: 'paid' }, on: { CANCEL: 'cart' } },
          paid: { type: 'final' },
        },
      },
      {
        actors: {
          payment: any(
            {
              id: 'payment',
              initial: 'charging',
              states: {
                charging: { invoke: { src: 'charge', onDone: 'end', onError: 'again' } },
                again: { after: { 1000: 'charging' } },
                end: { type: 'final' },
              },
            },
            { actors: { charge: once } },
          ),
        },
      },
    ),
    result: /^valid/,
  },
];
