/** A process that ends and restarts, and other rare events of a world. */
import { describe, expect, test } from 'vitest';
import { STORAGE, storageMachine } from '../../machines/storage.js';
import { ask, frameOf, give, owned } from './box.fixture.js';
import { apply, beginWorld, enabled } from './enabled.js';

const box = { role: 'box', chart: 'box', input: undefined };
const reload = () => [box];
const again = { reload, roles: () => [{ role: STORAGE, chart: STORAGE, input: { stored: {}, delay: 3 } }, box] };
const events = [
  { do: 'crash', node: 'a' },
  { do: 'reload', node: 'a' },
] as const;

describe('a process that restarts', () => {
  test('manual reload: neighbors are notified, timers are gone, channels are to come up', () => {
    const { world, news, received } = owned({ more: again });
    give(world, 'a', 'wind');
    give(world, 'a', 'say', { to: 'b' });
    world.perform({ do: 'crash', node: 'a' });
    news();
    world.perform({ do: 'reload', node: 'a' });
    const [ab, ba] = [world.flights.channelOf('a', 'b'), world.flights.channelOf('b', 'a')];
    expect(news()).toEqual([
      'channel ba down',
      `emptied ${ba}`,
      '3@17 link b link.down in box',
      'channel ab down',
      'landed 0',
      'lost 0 link down',
      `emptied ${ab}`,
      '4@17 reload a reload',
      'returning [["b","a"],["a","b"]]',
    ]);
    expect([received('a'), received('b'), world.pendingOf('a').armed, world.links.neighbors('b')]).toEqual([
      [],
      ['link.down a'],
      [],
      ['c'],
    ]);
    world.perform({ do: 'reload', node: 'a' });
    expect(news()).toEqual([]);
    // No end is notified before its own channel comes up, and an explicit notification counts as a change by hand.
    expect([world.noteProcess('a', 'c'), world.noteProcess('b', 'c'), world.make({ notification: ['a', 'b'] })]).toEqual([
      false,
      false,
      true,
    ]);
    expect([news(), world.links.up('a', 'b'), world.links.up('b', 'a')]).toEqual([
      ['channel ab up', '5@17 link a link.up in box'],
      true,
      false,
    ]);
    expect([world.noteProcess('b', 'a'), world.noteProcess('b', 'a'), world.links.up('b', 'a')]).toEqual([true, false, true]);
    expect(news()).toEqual(['channel ba up', '6@17 link b link.up in box']);
  });

  test('with two reloads, the driver gets the channels of the right node', () => {
    const { world, news } = owned({ more: again });
    for (const node of ['a', 'c']) {
      world.perform({ do: 'crash', node });
      world.perform({ do: 'reload', node });
    }
    expect(news().filter((line) => line.startsWith('returning'))).toEqual([
      'returning [["b","a"],["a","b"]]',
      'returning [["b","c"],["c","b"]]',
    ]);
  });

  test('by the script in one go', () => {
    const { world, news } = owned({ more: again, events });
    world.make({ event: 0 });
    news();
    expect([world.make({ event: 1 }), world.links.neighbors('a'), world.links.neighbors('b')]).toEqual([true, [], ['c']]);
    expect(news().filter((line) => line.includes('@'))).toEqual(['1@17 link b link.down in box', '2@17 reload a reload']);
  });

  test('without time, it is a choice after all notifications, as is each channel', () => {
    let { world } = beginWorld(frameOf({ more: again, events }));
    const choices: object[][] = [];
    for (const choice of [
      { event: 0 },
      { notification: ['b', 'a'] },
      { event: 1 },
      { notification: ['a', 'b'] },
      { notification: ['b', 'a'] },
    ] as const) {
      choices.push([...enabled(world)]);
      world = apply(world, choice).world;
    }
    choices.push([...enabled(world)]);
    const [ab, ba] = [{ notification: ['a', 'b'] }, { notification: ['b', 'a'] }];
    expect(choices).toEqual([[{ event: 0 }], [ba], [{ event: 1 }], [ba, ab], [ba], []]);
    expect([world.links.up('a', 'b'), world.links.up('b', 'a')]).toEqual([true, true]);
  });

  test('has its stored data', () => {
    expect(storageMachine.id).toBe('storage');
    const given: unknown[] = [];
    const { world } = owned({ more: { ...again, reload: (...args: unknown[]) => (given.push(args), [box]) } });
    world.perform({ do: 'crash', node: 'a' });
    world.perform({ do: 'reload', node: 'a' });
    expect(given).toEqual([['a', world.frame.instance, {}]]);
  });
});

describe('unusual commands and notifications', () => {
  test('the event of a reaction may be used without a command, other names may not', () => {
    const reactions = () => [
      { on: 'locked', event: { type: 'poke' }, after: 1 },
      { on: 'locked', event: { type: 'prod' }, after: 1 },
    ];
    const { world, news } = owned({ more: { reactions } });
    expect([world.make({ command: ['a', 'poke'] }), world.make({ command: ['a', 'other'] }), news()]).toEqual([
      true,
      false,
      ['0@17 command a poke in box'],
    ]);
    give(world, 'a', 'lock');
    expect(world.pendingOf('a').reactions).toEqual([0, 1]);
    world.make({ command: ['a', 'prod'] });
    expect(world.pendingOf('a').reactions).toEqual([0]);
  });

  test('a command by hand of another name than that of the workload is none of its', () => {
    const { world } = owned({ workload: { command: 'lock', sequential: ['b'] } });
    world.make({ command: ['b', 'release'] });
    expect(world.environment.issued).toBe(0);
  });

  test('a command that arrives while others wait is not taken before them', () => {
    const { world, news } = owned();
    world.perform({ do: 'pause', node: 'a' });
    give(world, 'a', 'lock');
    world.environment.paused.clear();
    give(world, 'a', 'lock');
    expect([news(), world.environment.hasWaiting]).toEqual([[], true]);
  });

  test('a notification takes the next change of the same channel in the script', () => {
    const { world } = owned({
      events: [ask('a', 'wind'), { do: 'cut', link: ['b', 'c'] }, { do: 'cut', link: ['a', 'b'] }],
    });
    world.make({ notification: ['a', 'b'] });
    expect([world.links.up('a', 'b'), world.links.up('b', 'a'), world.links.up('b', 'c'), world.links.up('c', 'b')]).toEqual([
      false,
      true,
      true,
      true,
    ]);
    expect(world.environment.places).toEqual([0, 0, 0, 1, 0]);
    world.make({ notification: ['c', 'b'] });
    expect(world.environment.places).toEqual([0, 0, 1, 1, 0]);
  });

  test('repeated changes of single channels in the script are not an error', () => {
    const { world } = owned({
      events: [
        { do: 'down', channel: ['a', 'b'] },
        { do: 'up', channel: ['b', 'c'] },
      ],
    });
    expect([world.make({ event: 0 }), world.make({ event: 0 }), world.make({ event: 1 })]).toEqual([true, true, true]);
  });

  test('with ports, a link changes before both notifications, also manually', () => {
    const ports = () => [
      ['a', 1, 'b', 2],
      ['b', 1, 'c', 1],
    ];
    const { world, received } = owned({ more: { ports, network: { reach: 'links', order: 'fifo', addressing: 'ports' } } });
    world.perform({ do: 'cut', link: ['a', 'b'] });
    expect([received('a'), received('b')]).toEqual([['link.down 1'], ['link.down 2']]);
  });

  test('where messages are routed, a change that is none measures nothing', () => {
    let measured = 0;
    const { world } = owned({ more: { network: { reach: 'routed', order: 'fifo' } } });
    (world.frame as { measure: unknown }).measure = () => (measured++, { distance: () => 1 });
    world.perform({ do: 'up', channel: ['a', 'b'] });
    expect(measured).toBe(0);
    world.perform({ do: 'down', channel: ['a', 'b'] });
    expect(measured).toBe(1);
  });
});

test('a message that was duplicated or lost by hand is so', () => {
  const { world, news } = owned();
  give(world, 'a', 'say', { to: 'b' });
  news();
  world.perform({ do: 'duplicate', message: 0 });
  world.perform({ do: 'drop', message: 0 });
  expect(news()).toEqual(['launched 1', 'duplicated 1', 'landed 0', 'lost 0 loss']);
});
