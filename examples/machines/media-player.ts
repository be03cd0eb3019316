/** A media player: tracks are loaded, play, stall and end; the sound is its own region, and controls hide after a while. */
import { assign, fromPromise, setup } from 'xstate';

interface Player {
  readonly wanted: string | null;
  readonly loaded: string | null;
}

export const mediaPlayer = setup({
  types: {
    context: {} as Player,
    events: {} as
      | { type: 'SELECT'; track: string }
      | { type: 'PLAY' }
      | { type: 'PAUSE' }
      | { type: 'STALLED' }
      | { type: 'RESUMED' }
      | { type: 'ENDED' }
      | { type: 'MUTE' }
      | { type: 'POINTER' },
  },
  actors: {
    load: fromPromise<string, { track: string | null }>(async () => {
      throw new Error('loading is not part of this example');
    }),
  },
  actions: {
    select: assign({ wanted: ({ event, context }) => (event.type === 'SELECT' ? event.track : context.wanted) }),
    startSound: () => {},
    stopSound: () => {},
  },
}).createMachine({
  id: 'player',
  context: { wanted: null, loaded: null },
  type: 'parallel',
  states: {
    track: {
      initial: 'none',
      on: { SELECT: { target: '.loading', actions: 'select' } },
      states: {
        none: {},
        loading: {
          invoke: {
            src: 'load',
            input: ({ context }) => ({ track: context.wanted }),
            onDone: { target: 'paused', actions: assign({ loaded: ({ event }) => event.output }) },
            onError: 'broken',
          },
        },
        paused: { on: { PLAY: 'playing' } },
        playing: {
          entry: 'startSound',
          exit: 'stopSound',
          on: { PAUSE: 'paused', STALLED: 'stalled', ENDED: 'paused' },
        },
        stalled: { on: { RESUMED: 'playing', PAUSE: 'paused' }, after: { 10_000: 'broken' } },
        broken: {},
      },
    },
    sound: {
      initial: 'on',
      states: { on: { on: { MUTE: 'off' } }, off: { on: { MUTE: 'on' } } },
    },
    controls: {
      initial: 'shown',
      states: {
        shown: { on: { POINTER: { target: 'shown', reenter: true } }, after: { 3000: 'hidden' } },
        hidden: { on: { POINTER: 'shown' } },
      },
    },
  },
});
