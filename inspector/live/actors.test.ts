/** Reports of XState's actors: every event once, in the order of processing, with its sender, its time and its cause. */
import {
  assign,
  createActor,
  createMachine,
  fromCallback,
  fromPromise,
  raise,
  sendParent,
  sendTo,
  SimulatedClock,
  setup,
  spawnChild,
} from 'xstate';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isStep, type TraceLine } from '../../network/trace.js';
import { Inbox } from './inbox.js';
import { Merger } from './merge.js';
import { recordActors, stepsOf, traceOf } from './actors.fixture.js';

/** Answers a ping at once. */
const kid = createMachine({
  id: 'kid',
  initial: 'up',
  states: { up: { on: { ping: { actions: sendParent({ type: 'pong' }) } } } },
});

describe('an answer that comes at once', () => {
  test('of a child: the parent took the first event first, though the clock stands still', () => {
    const standing = vi.spyOn(performance, 'now').mockReturnValue(1000);
    onTestFinished(() => standing.mockRestore());
    const reports = recordActors();
    const parent = setup({ actors: { kid } }).createMachine({
      id: 'par',
      entry: spawnChild('kid', { id: 'kid' }),
      initial: 'a',
      states: {
        a: { on: { go: { target: 'b', actions: sendTo('kid', { type: 'ping' }) } } },
        b: { on: { pong: 'c' } },
        c: {},
      },
    });
    const actor = createActor(parent).start();
    actor.send({ type: 'go' });
    actor.stop();
    expect(stepsOf(reports())).toEqual([
      'par: start',
      'kid: start',
      'par: go [a/go] > kid ping',
      'kid: ping of par [up/ping] > par pong',
      'par: pong of kid [b/pong]',
      'par: xstate.stop',
      'kid: xstate.stop',
      'kid: ended',
      'par: ended',
    ]);
    const lines = traceOf(reports()).flatMap((line) =>
      'roles' in line && 'par' in line.roles ? [line.roles['par']!.value] : [],
    );
    expect(lines).toEqual(['a', 'b', 'c', 'c']);
  });

  test('of a callback, in a step and by itself', () => {
    const reports = recordActors();
    let later = () => {};
    const echo = fromCallback(({ sendBack, receive }) => {
      sendBack({ type: 'hello' });
      receive(() => sendBack({ type: 'echo' }));
      later = () => sendBack({ type: 'tick' });
    });
    const machine = setup({ actors: { echo } }).createMachine({
      id: 'par',
      invoke: { src: 'echo', id: 'cb' },
      on: { x: { actions: [raise({ type: 'y' }), sendTo('cb', { type: 'hey' })] }, y: {}, '*': {} },
    });
    const actor = createActor(machine).start();
    actor.send({ type: 'x' });
    later();
    expect(stepsOf(reports())).toEqual([
      'par: start',
      'cb: start > par hello',
      'par: hello of cb [/*]',
      'par: x [/x] [/y] > cb hey',
      'cb: hey of par > par echo',
      'par: echo of cb [/*]',
      'par: tick of cb [/*]',
    ]);
  });

  test('of the actor itself: in a step, and after a delay', () => {
    const reports = recordActors();
    const clock = new SimulatedClock();
    const machine = setup({}).createMachine({
      id: 'par',
      initial: 'a',
      states: {
        a: {
          after: { 20: 'b' },
          on: {
            x: { actions: [sendTo(({ self }) => self, { type: 'now' }), raise({ type: 'later' }, { delay: 10 })] },
            now: {},
            later: {},
          },
        },
        b: {},
      },
    });
    createActor(machine, { clock }).start().send({ type: 'x' });
    clock.increment(10);
    clock.increment(10);
    expect(stepsOf(reports())).toEqual([
      'par: start',
      'par: x [a/x] > par now',
      'par: now of par [a/now]',
      'par: later [a/later]',
      'par: xstate.after.20.par.a [a/xstate.after.20.par.a]',
    ]);
    const lines = traceOf(reports());
    expect(lines.map(({ kind }) => kind)).toEqual(['start', 'command', 'deliver', 'timer', 'timer']);
    expect(lines.flatMap((line) => ('message' in line ? [line.message] : []))).toEqual([0]);
  });

  test('of a callback that just sent the same event by itself: two messages', () => {
    const reports = recordActors();
    let later = () => {};
    const echo = fromCallback(({ sendBack, receive }) => {
      later = () => sendBack({ type: 'tick' });
      receive(later);
    });
    const machine = setup({ actors: { echo } }).createMachine({
      id: 'par',
      invoke: { src: 'echo', id: 'cb' },
      on: { go: { actions: [() => later(), sendTo('cb', { type: 'hey' })] } },
    });
    createActor(machine).start().send({ type: 'go' });
    expect(stepsOf(reports()).slice(2)).toEqual([
      'par: go [/go] > cb hey',
      'cb: hey of par > par tick',
      'par: tick of cb',
      'par: tick of cb',
    ]);
    const lines = traceOf(reports()).filter((line) => 'message' in line);
    const ids = lines.map(({ kind, message }) => [kind, message]);
    expect(ids).toEqual([
      ['deliver', 0],
      ['placed', 2],
      ['deliver', 2],
      ['deliver', 1],
    ]);
  });

  test('as a snapshot, and of a child that is done', () => {
    const reports = recordActors();
    const bike = createMachine({
      id: 'courier',
      initial: 'riding',
      states: { riding: { on: { hop: { actions: assign({}) }, arrived: 'there' } }, there: { type: 'final' } },
    });
    const shop = setup({ actors: { bike } }).createMachine({
      id: 'shop',
      on: {
        buy: { actions: spawnChild('bike', { id: 'bike', syncSnapshot: true }) },
        ride: { actions: sendTo('bike', { type: 'hop' }) },
        drop: { actions: sendTo('bike', { type: 'arrived' }) },
        '*': {},
      },
    });
    const actor = createActor(shop).start();
    for (const type of ['buy', 'ride', 'drop']) actor.send({ type });
    expect(stepsOf(reports())).toEqual([
      'shop: start',
      'shop: buy [/buy]',
      'bike: start > shop xstate.snapshot.bike',
      'shop: xstate.snapshot.bike of bike [/*]',
      'shop: ride [/ride] > bike hop',
      'bike: hop of shop [riding/hop] > shop xstate.snapshot.bike',
      'shop: xstate.snapshot.bike of bike [/*]',
      'shop: drop [/drop] > bike arrived',
      'bike: arrived of shop [riding/arrived] > shop xstate.done.actor.bike',
      'bike: ended',
      'shop: xstate.done.actor.bike of bike [/*]',
    ]);
    const started = reports().find(({ kind, node }) => kind === 'start' && node === 'shop/bike');
    expect(started!.roles['courier']!.value).toBe('riding');
  });
});

test('on a page, no delivery waits for a reported sending', () => {
  const reports = recordActors();
  const parent = setup({ actors: { kid } }).createMachine({
    id: 'par',
    entry: spawnChild('kid', { id: 'kid' }),
    on: { go: { actions: sendTo('kid', { type: 'ping' }) }, pong: {} },
  });
  createActor(parent).start().send({ type: 'go' });
  vi.useFakeTimers({ now: reports().at(-1)!.at, toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: TraceLine[] = [];
  const began = reports()[0]!.at;
  const inbox = new Inbox(new Merger(began, (line) => lines.push(line)));
  inbox.putAll({ program: { name: 'p', run: '1' }, reports: reports() });
  vi.advanceTimersByTime(400);
  const steps = lines.filter(isStep).filter(({ kind }) => kind !== 'start');
  expect(steps.map(({ node, event, sent }) => [node, event.type, sent.map(({ to }) => to)])).toEqual([
    ['p/par', 'go', ['p/par/kid']],
    ['p/par/kid', 'ping', ['p/par']],
    ['p/par', 'pong', []],
  ]);
  const times = reports().filter(({ kind }) => kind !== 'start');
  for (const [i, { at }] of steps.entries()) expect(at).toBeCloseTo(times[i]!.at - began, 2);
  inbox.close();
});

describe('events that XState does not report', () => {
  test('events from before the start, and one that an action sends to its own actor', () => {
    const reports = recordActors();
    const machine = createMachine({
      id: 'm',
      on: { one: { actions: ({ self, event }) => event.by || self.send({ type: 'one', by: 'm' }) }, two: {} },
    });
    const actor = createActor(machine);
    actor.send({ type: 'one', by: '' });
    actor.send({ type: 'two' });
    actor.start();
    expect(stepsOf(reports())).toEqual(['m: start', 'm: one [/one]', 'm: two [/two]', 'm: one [/one]']);
    expect(reports().map(({ event }) => (event as { by?: string }).by)).toEqual([undefined, '', undefined, 'm']);
  });

  test('events sent to a child before its start', () => {
    const reports = recordActors();
    const parent = createMachine({
      id: 'par',
      on: {
        go: {
          actions: assign(({ spawn }) => {
            spawn(kid, { id: 'kid' }).send({ type: 'ping' });
            return {};
          }),
        },
        again: { actions: sendTo('kid', { type: 'ping' }) },
      },
    });
    const actor = createActor(parent).start();
    actor.send({ type: 'go' });
    actor.send({ type: 'again' });
    expect(stepsOf(reports())).toEqual([
      'par: start',
      'par: go [/go]',
      'kid: start',
      'kid: ping [up/ping] > par pong',
      'par: pong of kid',
      'par: again [/again] > kid ping',
      'kid: ping of par [up/ping] > par pong',
      'par: pong of kid',
    ]);
  });

  test('a step that fails, of a child and of the root, and an actor that starts again', async () => {
    const reports = recordActors();
    const failing = createMachine({
      id: 'failing',
      on: {
        go: {
          actions: () => {
            throw new RangeError('too far');
          },
        },
      },
    });
    const parent = setup({ actors: { failing } }).createMachine({
      id: 'par',
      entry: spawnChild('failing', { id: 'kid' }),
      on: { go: { actions: sendTo('kid', { type: 'go' }) } },
    });
    const actor = createActor(parent);
    actor.subscribe({ error: () => {} });
    actor.start().send({ type: 'go' });
    const root = createActor(failing);
    root.subscribe({ error: () => {} });
    root.start().send({ type: 'go' });
    const again = createActor(createMachine({ id: 'again' })).start();
    again.stop();
    again.start();
    expect(stepsOf(reports())).toEqual([
      'par: start',
      'kid: start',
      'par: go [/go] > kid go',
      'kid: go of par > par xstate.error.actor.kid',
      'kid: failed',
      'par: xstate.error.actor.kid of kid',
      'par: failed',
      'failing: start',
      'failing: go',
      'failing: failed',
      'again: start',
      'again: xstate.stop',
      'again: ended',
      'again: start',
    ]);
    const notified = reports().find(({ event }) => event.type === 'xstate.error.actor.kid');
    expect(notified!.event).toMatchObject({ error: { name: 'RangeError', message: 'too far' } });
  });

  test('a failed promise has its error', async () => {
    const reports = recordActors();
    const pay = fromPromise(async () => Promise.reject(new Error('card refused')));
    const machine = setup({ actors: { pay } }).createMachine({
      id: 'm',
      initial: 'pays',
      states: { pays: { invoke: { src: 'pay', id: 'pay', onError: 'refused' } }, refused: {} },
    });
    createActor(machine).start();
    await new Promise((resolve) => setImmediate(resolve));
    expect(stepsOf(reports())).toEqual([
      'm: start',
      'pay: start',
      'pay: xstate.promise.reject > m xstate.error.actor.pay',
      'pay: failed',
      'm: xstate.error.actor.pay of pay [pays/xstate.error.actor.pay]',
    ]);
    expect(reports().at(-1)!.event).toMatchObject({ error: { name: 'Error', message: 'card refused' } });
  });
});
