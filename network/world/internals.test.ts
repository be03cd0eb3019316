/** The self-check of XState's private fields notices each change, steps have a public replacement, and no other file uses the fields. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { assign, createActor, emit, setup, type AnyActor } from 'xstate';
import { describe, expect, test } from 'vitest';
import { arm, effects, send } from '../../machines/effects.js';
import { missingFieldNames, missingFields, requireInternals } from './internals.js';
import { Effects, interpreter, publicSteps } from './kernel.js';

describe('the self-check', () => {
  test('passes with the installed version of XState', () => {
    expect(missingFieldNames).toEqual([]);
  });

  const without = (change: (actor: any) => void) =>
    missingFields(((...given: Parameters<typeof createActor>) => {
      const actor = createActor(...given) as AnyActor;
      change(actor);
      return actor;
    }) as never);
  const gone = { value: undefined, configurable: true, writable: true };
  test.each<[string, (actor: any) => void]>([
    ['snapshot._nodes', (actor) => (actor.getSnapshot = () => ({}))],
    ['actor._parent', (actor) => delete actor._parent],
    ['actor.eventListeners', (actor) => Object.defineProperty(actor, 'eventListeners', gone)],
    ['actor._stop', (actor) => (actor._stop = () => {})],
    ['system._relay', (actor) => (actor.system._relay = () => {})],
    ['system._sendInspectionEvent', (actor) => delete actor.system._sendInspectionEvent],
    ['system.scheduler', (actor) => (actor.system.getSnapshot = () => ({}))],
  ])('notices a change of %s', (field, change) => {
    expect(without(change)).toContain(field);
  });

  test('features without a public replacement throw an error with a fix', () => {
    expect(() => requireInternals('createCluster')).not.toThrow();
    expect(() => requireInternals('createCluster', ['actor._stop'])).toThrow(
      'createCluster needs XState 5.33, and this version differs inside (actor._stop). Install xstate 5.33.',
    );
  });
});

test('steps by the public functions of XState give the same states and effects', () => {
  const machine = setup({
    types: { context: {} as { n: number }, events: {} as { type: 'go' | 'back' | 'again' } },
    actions: effects(),
  }).createMachine({
    context: { n: 0 },
    entry: arm(() => ({ timer: 'retry', delay: 5 })),
    type: 'parallel',
    states: {
      left: { initial: 'a', states: { a: { on: { go: 'b' } }, b: { on: { back: 'a' } } } },
      right: {
        initial: 'a',
        states: {
          a: {
            on: {
              go: {
                target: 'b',
                actions: [
                  assign({ n: ({ context }) => context.n + 1 }),
                  send(({ context }: any) => ({ to: 'x', message: { type: `m${context.n}` } })),
                ],
              },
            },
          },
          b: {
            always: { guard: ({ context }: any) => context.n > 1, target: 'a', actions: emit({ type: 'round' }) },
            on: { again: 'a' },
          },
        },
      },
    },
  } as any);
  const run = ({ begin, step }: typeof publicSteps) => {
    const asked = new Effects();
    let snapshot = begin(machine as never, undefined, asked);
    const seen = [];
    for (const type of ['go', 'again', 'go', 'back', 'go']) {
      snapshot = step(machine as never, snapshot, { type }, asked);
      seen.push(JSON.stringify([snapshot.value, snapshot.context]));
    }
    return [seen, asked.all()];
  };
  const [seen, asked] = run(publicSteps);
  expect([seen, asked]).toEqual(run(interpreter));
  expect(asked).toHaveLength(6);
});

describe('private fields of XState', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const FIELDS =
    /\b(_relay|_scheduledEvents|_sendInspectionEvent|_processingStatus|_actorScope|_bookId|_syncSnapshot|_stopProcedure|_unregister|eventListeners)\b|\._parent\b|\._nodes\b|'resolve' in /;
  /** Actors of a machine under test run on a separate stage, which replaces more than the product may. */
  const MAY = /^(network\/world\/internals\.ts|test\/machine\/|inspector\/live\/actors\.ts|adapters\/cluster\/actor-ref\.ts)/;

  test('are used in one file, and by the stage of the machine tester', () => {
    const files = execFileSync('git', ['ls-files', '*.ts'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
    const shipped = files.filter((file) => /^(machines|network|adapters|test|inspector|bin|entries)\//.test(file));
    const using = shipped.filter(
      (file) =>
        !/\.(test|deep|fixtures?)\.ts$|-?fixtures?\.ts$/.test(file) && FIELDS.test(readFileSync(`${root}${file}`, 'utf8')),
    );
    expect(using.filter((file) => !MAY.test(file))).toEqual([]);
    expect(using.length).toBeGreaterThan(0);
  });
});
