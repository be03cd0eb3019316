/** The effects of each choice and each scenario event on a world in place, and the calls of driver and witness. */
import { beforeEach, describe, expect, test } from 'vitest';
import { ask, give, owned } from './box.fixture.js';
import { ALL_FUSED } from './script.js';

describe('messages', () => {
  let at: ReturnType<typeof owned>;
  beforeEach(() => {
    at = owned();
    give(at.world, 'a', 'say', { to: 'b' });
    give(at.world, 'a', 'say', { to: 'b' });
    at.news();
  });

  test('messages arrive, are lost and are duplicated by number; others are invalid', () => {
    const { world, news, received } = at;
    expect(world.make({ deliver: 0 })).toBe(true);
    expect([news(), received('b')]).toEqual([['landed 0', '2@17 deliver b word in box'], ['word a']]);
    expect(world.make({ duplicate: 1 })).toBe(true);
    expect(news()).toEqual(['launched 2', 'duplicated 2']);
    expect(world.make({ drop: 1 })).toBe(true);
    expect(news()).toEqual(['landed 1', 'lost 1 loss']);
    expect([world.make({ deliver: 1 }), world.make({ drop: 0 }), world.make({ duplicate: 9 }), news()]).toEqual([
      false,
      false,
      false,
      [],
    ]);
  });

  test('are lost where their receiver has crashed', () => {
    at.world.perform({ do: 'crash', node: 'b' });
    at.news();
    at.world.make({ deliver: 0 });
    expect([at.news(), at.received('b')]).toEqual([['landed 0', 'lost 0 node down'], []]);
  });

  test('may be lost, duplicated, delayed and released by hand', () => {
    const { world, news, received } = at;
    world.perform({ do: 'hold', message: 1 });
    expect([world.traffic.holdsUp, [...world.traffic.held]]).toEqual([true, [1]]);
    world.perform({ do: 'deliver', message: 1 });
    expect([received('b'), world.traffic.holdsUp]).toEqual([['word a'], false]);
    world.perform({ do: 'duplicate', message: 0 });
    world.perform({ do: 'drop', message: 0 });
    news();
    world.perform({ do: 'drop', message: 0 });
    expect(news()).toEqual(['refused - drop: message 0 is not in flight']);
  });

  test('a paused node and a clogged channel delay messages until they are released', () => {
    const { world, news } = at;
    world.perform({ do: 'clog', channel: ['a', 'b'] });
    world.perform({ do: 'pause', node: 'b' });
    expect([[...world.environment.clogged], [...world.environment.paused], news()]).toEqual([['a\nb'], ['b'], []]);
    world.perform({ do: 'unclog', channel: ['a', 'b'] });
    world.perform({ do: 'unclog', channel: ['a', 'b'] });
    expect([news(), world.environment.clogged.size]).toEqual([['released'], 0]);
    world.perform({ do: 'resume', node: 'b' });
    world.perform({ do: 'resume', node: 'b' });
    expect([news(), world.environment.paused.size]).toEqual([['released'], 0]);
    world.perform({ do: 'slow', channel: ['a', 'b'], by: 3 });
    expect(news()).toEqual([`slow ${world.flights.channelOf('a', 'b')} 3`]);
  });
});

describe('timers', () => {
  test('are armed, disarmed and go off, once', () => {
    const { world, news, received } = owned();
    give(world, 'a', 'wind');
    expect(news()).toEqual(['armed a bell 5', '0@17 command a wind in box']);
    give(world, 'a', 'unwind');
    expect(news()).toEqual(['disarmed a bell', '1@17 command a unwind in box']);
    expect(world.make({ timer: ['a', 'box', 'bell'] })).toBe(false);
    give(world, 'a', 'wind');
    news();
    expect(world.make({ timer: ['a', 'box', 'bell'] })).toBe(true);
    expect([news(), received('a')]).toEqual([['disarmed a bell', '3@17 timer a timer in box'], ['timer bell']]);
    expect([world.make({ timer: ['a', 'box', 'bell'] }), world.make({ timer: ['x', 'box', 'bell'] })]).toEqual([false, false]);
  });

  test('pause while their node is down, and continue with the remaining time', () => {
    const { world, news } = owned();
    give(world, 'a', 'wind');
    news();
    world.perform({ do: 'crash', node: 'a' });
    world.perform({ do: 'crash', node: 'a' });
    expect([news(), world.pendingOf('a').armed]).toEqual([['disarmed a bell', '1@17 crash a crash'], []]);
    world.perform({ do: 'restart', node: 'a' });
    world.perform({ do: 'restart', node: 'a' });
    expect(news()).toEqual(['armed a bell 3', '2@17 restart a restart']);
    world.perform({ do: 'crash', node: 'b' });
    world.perform({ do: 'restart', node: 'b' });
    expect(news()).toEqual(['3@17 crash b crash', '4@17 restart b restart']);
  });
});

describe('draws', () => {
  test('the driver answers the draws of a node and receives them with its step', () => {
    const { world, news, received } = owned();
    give(world, 'b', 'throw');
    give(world, 'b', 'unwind');
    expect([news(), received('b')]).toEqual([
      ['draw 6 b', '0@17 command b throw in box drawn 4', '1@17 command b unwind in box'],
      ['drawn 4'],
    ]);
  });
});

describe('links', () => {
  test('a cut and a join notify each end; messages in flight are lost', () => {
    const { world, news, received } = owned();
    give(world, 'a', 'say', { to: 'b' });
    news();
    world.perform({ do: 'cut', link: ['a', 'b'] });
    const [ab, ba] = [world.flights.channelOf('a', 'b'), world.flights.channelOf('b', 'a')];
    expect(news()).toEqual([
      'channel ab down',
      'landed 0',
      'lost 0 link down',
      `emptied ${ab}`,
      '1@17 link a link.down in box',
      'channel ba down',
      `emptied ${ba}`,
      '2@17 link b link.down in box',
    ]);
    world.perform({ do: 'join', link: ['a', 'b'], weight: 6 });
    expect(news()).toEqual(['channel ab up', '3@17 link a link.up in box', 'channel ba up', '4@17 link b link.up in box']);
    expect([world.links.weight('a', 'b'), received('a')]).toEqual([6, ['link.down b', 'link.up b']]);
    world.perform({ do: 'join', link: ['a', 'b'] });
    expect(news()).toEqual(['refused - join: the link between a and b is up already']);
    world.perform({ do: 'down', channel: ['a', 'b'] });
    world.perform({ do: 'down', channel: ['a', 'b'] });
    world.perform({ do: 'join', link: ['a', 'b'] });
    expect(news().filter((line) => !line.startsWith('emptied'))).toEqual([
      'channel ab down',
      '5@17 link a link.down in box',
      'channel ab up',
      '6@17 link a link.up in box',
    ]);
    world.perform({ do: 'up', channel: ['a', 'b'] });
    expect([news(), world.links.weight('a', 'b')]).toEqual([[], 1]);
  });

  test('manual changes need no script entry, but an existing node', () => {
    const { world, news } = owned();
    expect([world.make({ notification: ['a', 'x'] }), world.make({ notification: ['x', 'a'] }), news()]).toEqual([
      false,
      false,
      [],
    ]);
    expect(world.make({ notification: ['a', 'b'] })).toBe(true);
    expect([world.links.up('a', 'b'), world.links.up('b', 'a')]).toEqual([false, true]);
    world.make({ notification: ['a', 'b'] });
    expect(world.links.up('a', 'b')).toBe(true);
  });

  test('a notification consumes only the script entry of the same direction', () => {
    const { world } = owned({
      events: [
        { do: 'cut', link: ['a', 'b'] },
        { do: 'join', link: ['a', 'b'], weight: 8 },
      ],
    });
    world.make({ notification: ['b', 'a'] });
    expect([world.links.up('a', 'b'), world.links.up('b', 'a'), world.environment.places]).toEqual([true, false, [0, 1]]);
    world.make({ notification: ['a', 'b'] });
    world.make({ notification: ['a', 'b'] });
    expect([world.links.up('a', 'b'), world.links.weight('a', 'b'), world.environment.places]).toEqual([true, 8, [2, 1]]);
  });

  test('in routed networks no node is notified, and paths are computed again', () => {
    const { world, news } = owned({ more: { network: { reach: 'routed', order: 'fifo' } } });
    world.perform({ do: 'cut', link: ['a', 'b'] });
    expect(news().filter((line) => line.includes('link.'))).toEqual([]);
    give(world, 'a', 'say', { to: 'c' });
    expect(world.flights.all[0]!.cost).toBe(9);
  });
});

describe('nodes', () => {
  test('a new node is linked to its sponsor and starts once, after that step', () => {
    const { world, news } = owned();
    give(world, 'a', 'bring', { id: 'd' });
    expect(news()).toEqual(['0@17 command a bring in box', '1@17 start d start']);
    expect([world.links.neighbors('d'), [...world.nodes.keys()]]).toEqual([['a'], ['a', 'b', 'c', 'd']]);
    give(world, 'b', 'bring', { id: 'd' });
    expect([news(), world.links.neighbors('d')]).toEqual([['2@17 command b bring in box'], ['a']]);
  });

  test('a role that is not open rejects events, and a crashed node receives none', () => {
    const { world, news } = owned({ more: { route: () => 'elsewhere' } });
    expect(world.dispatch({ kind: 'command', node: 'a', event: { type: 'lock' } })).toBe(false);
    expect([news(), world.accepts('a', { type: 'lock' })]).toEqual([['refused a lock: its role "elsewhere" is not open'], false]);
    const { world: other, news: otherNews } = owned();
    expect(other.accepts('a', { type: 'lock' })).toBe(true);
    other.perform({ do: 'pause', node: 'a' });
    expect(other.accepts('a', { type: 'lock' })).toBe(false);
    other.perform({ do: 'crash', node: 'b' });
    otherNews();
    expect([
      other.accepts('b', { type: 'lock' }),
      other.dispatch({ kind: 'command', node: 'b', event: { type: 'lock' } }),
      otherNews(),
    ]).toEqual([false, false, []]);
  });

  test('a protocol that reads the time has it in every event from outside', () => {
    const { world } = owned({ more: { network: { reach: 'links', order: 'fifo', time: true } } });
    const steps: any[] = [];
    (world as any).witness.step = (step: any) => steps.push(step.event);
    give(world, 'a', 'wind');
    world.make({ timer: ['a', 'box', 'bell'] });
    expect(steps.map(({ type, at }) => [type, at])).toEqual([
      ['wind', 17],
      ['timer', 17],
    ]);
  });

  test('a corruption sets the given states, timers and messages', () => {
    const corruption = {
      node: (_: string, __: object, choose: any) => ({
        roles: { box: { chart: 'box', value: 'locked', context: { received: [String(choose(3))] } } },
        timers: [{ role: 'box', timer: 'bell', delay: 2 }],
      }),
      channel: () => [{ type: 'word' }],
    };
    const { world, news, received } = owned({ more: { corruption } });
    give(world, 'a', 'wind');
    news();
    world.perform({ do: 'corrupt', nodes: ['a', 'b'] });
    const [ab, ba] = [world.flights.channelOf('a', 'b'), world.flights.channelOf('b', 'a')];
    expect(news()).toEqual([
      `emptied ${ab}`,
      'launched 0 its way',
      'placed 0',
      `emptied ${ba}`,
      'launched 1 its way',
      'placed 1',
      'disarmed a bell',
      'armed a bell 2',
      '1@17 corrupt a corrupt',
      'armed b bell 2',
      '2@17 corrupt b corrupt',
    ]);
    expect([received('a'), world.nodes.get('b')!.role('box')!.value, received('c')]).toEqual([['2'], 'locked', []]);
    const calm = owned();
    calm.world.perform({ do: 'corrupt', nodes: ['a'] });
    expect(calm.news()).toEqual([]);
  });

  test('a world may begin in a given state', () => {
    const { world, news, received } = owned();
    const box = (value: string) => ({ box: { chart: 'box', value, context: { received: ['before'] } } });
    const word = { id: 7, from: 'a', to: 'b', message: { type: 'word' }, cost: 2 };
    world.startFrom({ nodes: { a: { roles: box('locked'), timers: [['box', 'bell']] } }, flights: [word] } as any);
    expect([news(), received('a'), received('b'), world.flights.all.length]).toEqual([
      ['armed a bell 0', 'launched 0', 'placed 0'],
      ['before'],
      [],
      1,
    ]);
  });
});

describe('commands', () => {
  test('a waiting command is taken in its turn, the others at once', () => {
    const { world, news } = owned();
    give(world, 'a', 'lock');
    expect(news()).toEqual(['0@17 command a lock in box']);
    give(world, 'a', 'lock');
    expect([news(), world.make({ turn: 'a' }), world.environment.hasWaiting]).toEqual([[], false, true]);
    give(world, 'a', 'release');
    expect(news()).toEqual(['1@17 command a release in box', 'turn a']);
    expect([world.make({ turn: 'a' }), world.make({ turn: 'a' })]).toEqual([true, false]);
    expect(news()).toEqual(['2@17 command a lock in box']);
  });

  test('a command at a paused node is taken when the node resumes', () => {
    const { world, news } = owned();
    world.perform({ do: 'pause', node: 'a' });
    give(world, 'a', 'lock');
    expect(news()).toEqual([]);
    world.perform({ do: 'resume', node: 'a' });
    expect(news()).toEqual(['released', 'turn a']);
  });

  test('fused, the turn is taken with the step that enables it', () => {
    const { world, news } = owned({ fused: ALL_FUSED });
    give(world, 'a', 'lock');
    give(world, 'a', 'lock');
    news();
    world.make({ command: ['a', 'release'] });
    expect(news()).toEqual(['1@17 command a release in box', '2@17 command a lock in box']);
  });

  test('a reaction is pending from its cause on, and precedes a command of its name', () => {
    const reactions = () => [{ on: 'locked', event: { type: 'release' }, after: 2 }];
    const { world, news } = owned({ more: { reactions } });
    give(world, 'a', 'lock');
    expect(news()).toEqual(['0@17 command a lock in box', 'reactionPending a 0']);
    expect(world.make({ command: ['a', 'release'] })).toBe(true);
    expect([news(), world.pendingOf('a').reactions, world.react('a', 0)]).toEqual([['1@17 command a release in box'], [], false]);
    expect([world.make({ command: ['a', 'release'] }), news()]).toEqual([true, ['2@17 command a release in box']]);
    expect(world.make({ command: ['a', 'nothing'] })).toBe(false);
  });

  test('a fused reaction is taken with its cause only if it has no delay', () => {
    const react = (after: number) => ({
      fused: ALL_FUSED,
      events: [ask('a', 'lock')],
      more: { reactions: () => [{ on: 'locked', event: { type: 'release' }, after }] },
    });
    const now = owned(react(0));
    now.world.make({ event: 0 });
    expect(now.news()).toEqual(['0@17 command a lock in box', '1@17 command a release in box']);
    const later = owned(react(1));
    later.world.make({ event: 0 });
    expect(later.news()).toEqual(['0@17 command a lock in box', 'reactionPending a 0']);
  });

  test('workload commands are issued, and their completion is reported', () => {
    const { world, news } = owned({ workload: { command: 'lock', sequential: ['b', 'a'] } });
    expect(world.make({ command: ['b', 'lock'] })).toBe(true);
    expect([news(), world.environment.issued, [...world.environment.underWay]]).toEqual([
      ['0@17 command b lock in box'],
      1,
      ['b'],
    ]);
    world.make({ command: ['b', 'release'] });
    expect([news(), world.environment.underWay.size]).toEqual([['1@17 command b release in box', 'done b'], 0]);
    // Not its turn: this one is given by hand.
    world.make({ command: ['c', 'lock'] });
    expect([news(), world.environment.issued]).toEqual([['2@17 command c lock in box'], 1]);
  });
});

describe('the script', () => {
  test('an event happens once, with all of its entries', () => {
    const { world, news } = owned({
      events: [{ do: 'cut', link: ['a', 'b'] }, { do: 'join', link: ['b', 'c'] }, ask('a', 'wind'), { do: 'pause', node: 'c' }],
    });
    expect([world.make({ event: 0 }), world.make({ event: 0 }), world.links.up('a', 'b'), world.links.up('b', 'a')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    news();
    expect([world.make({ event: 1 }), news()]).toEqual([true, ['refused - join: the link between b and c is up already']]);
    expect([world.make({ event: 2 }), world.make({ event: 2 }), world.make({ event: 9 })]).toEqual([true, false, false]);
    expect([world.make({ event: 3 }), [...world.environment.paused]]).toEqual([true, ['c']]);
  });
});
