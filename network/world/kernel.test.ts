/** A step depends only on value and context, and not on how the state was reached. */
import { assign, createActor, setup } from 'xstate';
import { describe, expect, test } from 'vitest';
import { effects, send, type Message } from '../../machines/effects.js';
import { createHost } from './hosts.js';
import { begin, restore, macrostep } from './remembering.js';

const description = (what: string) => send(() => ({ to: 'x', message: { type: what } }));
const region = (name: string) => ({
  initial: 'off',
  states: {
    off: { on: { [name]: 'on' } },
    on: { on: { [`${name}.off`]: 'off' }, always: { guard: 'isAsked', target: 'notified', actions: description(name) } },
    notified: {},
  },
});
/** Both regions react to a change of the context, without their own event. */
const chart = setup({
  types: { context: {} as { asked: boolean }, events: {} as Message },
  actions: effects(),
  guards: { isAsked: ({ context }) => context.asked },
}).createMachine({
  context: { asked: false },
  type: 'parallel',
  on: { tell: { actions: assign({ asked: true }) } },
  states: { left: region('left'), right: region('right') },
} as any);

const entered = [
  ['left', 'right'],
  ['right', 'left'],
  ['left', 'right', 'left.off', 'left'],
] as const;

describe('regions are taken in the order of the document', () => {
  test('XState takes them in the order of their last entry', () => {
    // If this fails, XState has changed, and the kernel may leave the order to it.
    const orders = entered.map((events) => {
      const actor = createActor(chart).start();
      for (const type of events) actor.send({ type });
      return (actor.getSnapshot() as any)._nodes.map(({ id }: { readonly id: string }) => id).join(' ');
    });
    expect(new Set(orders).size).toBeGreaterThan(1);
  });

  test('however they were entered, on the kernel', () => {
    const notified = entered.map((events) => {
      let { snapshot } = begin(chart as any, undefined);
      for (const type of events) snapshot = macrostep(chart as any, snapshot, { type }).snapshot;
      const again = restore(chart as any, snapshot);
      const effectsOf = (from: typeof snapshot) => JSON.stringify(macrostep(chart as any, from, { type: 'tell' }).effects);
      expect(effectsOf(again)).toBe(effectsOf(snapshot));
      return effectsOf(snapshot) + JSON.stringify(snapshot.value);
    });
    expect(new Set(notified).size).toBe(1);
    expect(notified[0]).toMatch(/"left".*"right"/);
  });

  test.each(['snapshots', 'actors'] as const)('however they were entered, on %s', (kind) => {
    const notified = entered.map((events) => {
      const { role } = createHost(kind, { charts: { chart: chart as any } }).start('chart', undefined);
      for (const type of events) role.send({ type });
      return JSON.stringify([role.send({ type: 'tell' }), role.view().value]);
    });
    expect(new Set(notified).size).toBe(1);
  });
});
