/** Every possible next choice, and the world after one. */
import { describe, expect, test } from 'vitest';
import { ask, frameOf, type Choices } from './box.fixture.js';
import { apply, beginWorld, enabled } from './enabled.js';
import type { World } from './world.js';

describe('enabled choices', () => {
  const listed = (choices: Choices, ...made: object[]) => {
    const { world } = beginWorld(frameOf(choices));
    return [...enabled(made.reduce((at: World, choice) => apply(at, choice as any).world, world))];
  };
  const talk = [ask('a', 'say', { to: 'b' }), ask('a', 'say', { to: 'b' })];

  test('FIFO: the first message; unordered: each; lost and duplicated within the budget', () => {
    expect(listed({ events: talk }, { event: 0 }, { event: 1 })).toEqual([{ deliver: 0 }]);
    expect(listed({ events: talk, order: 'unordered' }, { event: 0 }, { event: 1 })).toEqual([{ deliver: 0 }, { deliver: 1 }]);
    expect(listed({ events: talk, budget: { loss: 1 } }, { event: 0 })).toEqual([{ deliver: 0 }, { drop: 0 }, { event: 1 }]);
    expect(listed({ events: talk, budget: { duplicate: 1 } }, { event: 0 })).toEqual([
      { deliver: 0 },
      { duplicate: 0 },
      { event: 1 },
    ]);
  });

  test('one by one, the next event waits until nothing is in flight', () => {
    expect(listed({ events: talk, oneByOne: true }, { event: 0 })).toEqual([{ deliver: 0 }]);
    expect(listed({ events: talk, oneByOne: true }, { event: 0 }, { deliver: 0 })).toEqual([{ event: 1 }]);
  });

  test('armed timers, unless the protocol bounds its delays', () => {
    const events = [ask('a', 'wind')];
    expect(listed({ events }, { event: 0 })).toEqual([{ timer: ['a', 'box', 'bell'] }]);
    expect(listed({ events, more: { mayFire: () => true } }, { event: 0 })).toEqual([{ timer: ['a', 'box', 'bell'] }]);
    expect(listed({ events, more: { mayFire: () => false } }, { event: 0 })).toEqual([]);
  });

  test('each pending reaction, once', () => {
    const reactions = () => [{ on: 'locked', event: { type: 'release' }, after: 2 }];
    expect(listed({ events: [ask('a', 'lock')], more: { reactions } }, { event: 0 })).toEqual([{ command: ['a', 'release'] }]);
  });

  test('commands of the workload, and turns, when the chart takes them', () => {
    const workload = { command: 'lock', sequential: ['b', 'b'] };
    expect(listed({ workload })).toEqual([{ command: ['b', 'lock'] }]);
    expect(listed({ events: [ask('a', 'lock'), ask('a', 'lock')] }, { event: 0 })).toEqual([]);
    const interrupted = [ask('a', 'lock'), ask('a', 'lock'), ask('a', 'release')];
    expect(listed({ events: interrupted }, { event: 0 })).toEqual([{ event: 1 }]);
    expect(listed({ events: interrupted }, { event: 0 }, { event: 1 })).toEqual([{ event: 2 }]);
    expect(listed({ events: interrupted }, { event: 0 }, { event: 1 }, { event: 2 })).toEqual([{ turn: 'a' }]);
  });

  test('changes of links as notices to each end', () => {
    expect(listed({ events: [{ do: 'cut', link: ['a', 'b'] }] })).toEqual([
      { notification: ['a', 'b'] },
      { notification: ['b', 'a'] },
    ]);
  });

  test('an impossible choice is rejected with its text', () => {
    const { world, happened } = beginWorld(frameOf());
    expect(happened).toEqual([]);
    expect(() => apply(world, { turn: 'a' })).toThrow('Choice {"turn":"a"} is not possible here');
  });

  test('reports are selected by kind', () => {
    const { world } = beginWorld(frameOf({ events: [...talk, { do: 'cut', link: ['a', 'b'] }], budget: { duplicate: 1 } }));
    const reported = apply(world, { event: 0 }).world;
    expect(apply(reported, { duplicate: 0 }).happened.map(({ kind }) => kind)).toEqual(['duplicated']);
    expect(apply(reported, { drop: 0 }).happened).toMatchObject([{ kind: 'lost', lost: { why: 'loss' } }]);
    expect(apply(reported, { notification: ['a', 'b'] }).happened.map(({ kind }) => kind)).toEqual(['channel', 'lost', 'step']);
    expect(reported.flights.size).toBe(1);
  });
});

test('a copied world has its own timers, rest and reactions', () => {
  const { world } = beginWorld(frameOf({ events: [ask('a', 'wind'), { do: 'crash', node: 'a' }, { do: 'restart', node: 'a' }] }));
  const wound = apply(world, { event: 0 }).world;
  const crashed = apply(wound, { event: 1 }).world;
  expect([wound.pendingOf('a').armed.length, crashed.pendingOf('a').armed]).toEqual([1, []]);
  const back = apply(crashed, { event: 2 });
  expect(back.world.pendingOf('a').armed).toEqual([{ role: 'box', timer: 'bell' }]);
  expect((back.happened[0] as any).step).toMatchObject({ index: 2, kind: 'restart', timers: [{ timer: 'bell', delay: 0 }] });
  expect([...crashed.environment.crashed]).toEqual(['a']);
});

test('untimed draws are answered by the choice, then by 0, never out of bounds', () => {
  const { world } = beginWorld(frameOf({ events: [ask('a', 'throw')] }));
  const drawn = (choice: object) => apply(world, { event: 0, ...choice } as any).happened[0] as any;
  expect([drawn({ drawn: [5] }).step.drawn, drawn({}).step.drawn]).toEqual([[5], [0]]);
  expect(() => drawn({ drawn: [6] })).toThrow('Random number 1 of the choice must be below 6, but is 6.');
  expect((apply(world, { event: 0 }, { draw: () => 2, at: 8 }).happened[0] as any).step).toMatchObject({ drawn: [2], at: 8 });
  expect(drawn({}).step.at).toBe(0);
});
