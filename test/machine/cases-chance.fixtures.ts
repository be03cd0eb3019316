/** Machines that read chance and time, and what once was judged by a search that was cut off. */
import { assign, setup, spawnChild, stopChild } from 'xstate';
import type { Case } from './cases.fixtures.js';

const any = (config: object, implementations: object = {}): any => setup(implementations as never).createMachine(config as never);

const track = any({ id: 'track', initial: 'on', states: { on: { on: { MUTE: 'off' } }, off: { on: { MUTE: 'on' } } } });

export const chance: readonly Case[] = [
  {
    id: 'N8',
    about: 'a random id and a time in the context',
    machine: any({
      id: 'note',
      context: { id: '', at: 0 },
      on: { WRITE: { actions: assign({ id: () => crypto.randomUUID(), at: () => Date.now() }) } },
    }),
    result: /^valid/,
  },
  {
    id: 'B11',
    about: 'a mixer whose tracks are child machines with random ids',
    machine: any(
      {
        id: 'mixer',
        context: { ids: [] },
        on: {
          ADD: {
            guard: ({ context }: any) => context.ids.length < 2,
            actions: [
              assign({ ids: ({ context }: any) => [...context.ids, `track-${Math.random().toString(36).slice(7)}`] }),
              spawnChild('track', { id: ({ context }: any) => context.ids.at(-1) } as never),
            ],
          },
          REMOVE: {
            actions: [
              stopChild(({ context }: any) => context.ids[0]),
              assign({ ids: ({ context }: any) => context.ids.slice(1) }),
            ],
          },
        },
      },
      { actors: { track } },
    ),
    tests: { children: { track: { MUTE: [{}] } } },
    result: /^valid/,
  },
  {
    id: 'W3',
    about: 'guards that chance and the clock decide',
    machine: any({
      id: 'session',
      context: { since: 0 },
      initial: 'out',
      states: {
        out: {
          on: {
            LOG_IN: [
              { guard: () => Math.random() < 0.1, target: 'checked' },
              { target: 'in', actions: assign({ since: () => Date.now() }) },
            ],
          },
        },
        checked: { on: { CODE: 'out' } },
        in: { on: { ACT: [{ guard: ({ context }: any) => Date.now() - context.since > 1_800_000, target: 'out' }, {}] } },
      },
    }),
    result: /^valid/,
  },
  {
    id: 'D2',
    about: 'an invariant that breaks after 15 events',
    machine: any({
      id: 'deep',
      context: { n: 0 },
      on: { INC: { actions: assign({ n: ({ context }: any) => context.n + 1 }) } },
    }),
    tests: { invariants: { 'fewer than 15': ({ context }: any) => context.n < 15 } },
    result: /^invalid: "fewer than 15" after 15 steps/,
  },
];

/** Cases that no single machine shows, and their tests. */
export const elsewhere: readonly (readonly [id: string, about: string, result: string])[] = [
  ['D7', "XState's error of two lines", 'printed whole (`bin/quiver.test.ts`)'],
  ['D8', 'the page about `compile` and `spawn`', 'corrected: `spawn` works in `assign`'],
  ['W2', 'findings without a property', '68 machines with and without (`findings-*.test.ts`)'],
  ['W4', 'parts that follow from one missing sample', 'one line that names the sample (`fold.test.ts`)'],
  ['W7', 'factories, and a default export next to named ones', 'called, or refused with both names (`bin/modules.test.ts`)'],
  ['W10', 'timers after a restore', 'armed by the tests, with a note that names them (`restore.test.ts`)'],
  [
    'W11',
    'a page in the package',
    '`docs/recipes/playwright.md` needs nothing else; `docs/recipes/react.md` the same for components',
  ],
  ['section D', 'driving a page, and a component', '`examples/machines/page` and `examples/machines/react`, a test per path'],
];
