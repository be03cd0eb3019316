/** A chart without live actors: each step matches a live actor's step, its requests are data, and states can be restored. */
import {
  assign,
  cancel,
  createActor,
  fromCallback,
  fromPromise,
  raise,
  sendTo,
  setup,
  spawnChild,
  stopChild,
  type AnyActorLogic,
} from 'xstate';
import { describe, expect, test } from 'vitest';
import { ChartAlone } from './alone.js';
import type { TakenTransition } from '../../network/world/kernel.js';
import { heldLogic, settleService, type LogicKind, type StageHooks } from './stage.js';

/** A clock that the test winds. */
class Clock {
  now = 0;
  private next = 0;
  readonly timers = new Map<number, { at: number; run: () => void }>();
  setTimeout = (run: () => void, ms: number): number => {
    this.timers.set(++this.next, { at: this.now + ms, run });
    return this.next;
  };
  clearTimeout = (id: number): void => void this.timers.delete(id);
  get due(): number[] {
    return [...this.timers.values()].map(({ at }) => at);
  }
  wind(to: number): void {
    this.now = to;
    for (const [id, { at, run }] of Array.from(this.timers)) if (at <= to && this.timers.delete(id)) run();
  }
}

/** Services do nothing by themselves, except for machines. */
function aloneOf(machine: AnyActorLogic, input?: unknown) {
  const clock = new Clock();
  const notified: string[] = [];
  const services = new Map<string, readonly [actor: any, kind: LogicKind]>();
  const hooks: StageHooks = {
    created: (actor, kind) => {
      services.set(actor.id, [actor, kind]);
      return kind === 'machine'
        ? actor.logic
        : heldLogic(actor.logic, (event) => void notified.push(`${actor.id} hears ${event.type}`));
    },
    performs: (_, { type }) => (notified.push(`does ${type}`), true),
    perform: () => expect.unreachable(),
    relays: ({ type }) => void notified.push(`relays ${type}`),
    taken: ({ eventType, index }: TakenTransition) => void notified.push(`takes ${eventType}/${index}`),
    schedules: ({ event, id }) => void notified.push(`arms ${id} for ${event.type}`),
    broke: (thrown) => void notified.push(`broke: ${(thrown as Error).message}`),
  };
  const alone = new ChartAlone(machine, { input }, clock as never, hooks);
  const value = () => alone.root.getSnapshot().value;
  const context = () => alone.root.getSnapshot().context;
  const send = (type: string, more: object = {}) => (alone.root.system as any)._relay(undefined, alone.root, { type, ...more });
  const news = () => notified.splice(0);
  const settle = (id: string, how: 'done' | 'fails', data?: unknown) =>
    settleService(services.get(id)![0], services.get(id)![1], { how, value: data });
  return { alone, clock, hooks, services, value, context, send, news, settle };
}

const types = { types: { context: {} as any, events: {} as any } };

describe('the requests of a step', () => {
  const door = setup({ ...types, actions: { ring: () => expect.unreachable() } }).createMachine({
    context: ({ input }: any) => ({ n: input ?? 0 }),
    initial: 'closed',
    states: {
      closed: {
        entry: 'ring',
        on: { open: { target: 'open', actions: ['ring', assign({ n: ({ context }: any) => context.n + 1 })] } },
      },
      open: { after: { 5: 'closed' }, on: { hold: 'held' } },
      held: {},
    },
  });

  test('nothing runs before the start, and nothing but the steps after it', () => {
    const { alone, value, context, send, news } = aloneOf(door, 7);
    expect([value(), context(), news()]).toEqual(['closed', { n: 7 }, ['does ring']]);
    alone.start();
    expect(news()).toEqual([]);
    send('open');
    expect([value(), context()]).toEqual(['open', { n: 8 }]);
    expect(news().filter((one) => !one.startsWith('arms'))).toEqual(['relays open', 'does ring', 'takes open/0']);
  });

  test('a delayed event is armed, comes in its time, and is canceled with its state', () => {
    const { alone, clock, value, send, news } = aloneOf(door);
    alone.start();
    send('open');
    expect([clock.due, news().some((one) => one.startsWith('arms xstate.after.5'))]).toEqual([[5], true]);
    clock.wind(4);
    expect(value()).toBe('open');
    clock.wind(5);
    expect([value(), clock.due]).toEqual(['closed', []]);
    send('open');
    send('hold');
    expect([value(), clock.due]).toEqual(['held', []]);
  });

  test('the chart comes back to where it stood, with its timers on another clock', () => {
    const { alone, clock, hooks, value, context, send } = aloneOf(door);
    alone.start();
    send('open');
    const { standing } = alone;
    clock.wind(5);
    send('open');
    send('hold');
    expect([value(), context()]).toEqual(['held', { n: 2 }]);
    const again = Object.assign(new Clock(), { now: 100 });
    for (const timer of standing.timers.values()) again.timers.set(timer as number, { at: 105, run: () => send('hold') });
    alone.comeBack(standing, again as never, hooks);
    expect([value(), context()]).toEqual(['open', { n: 1 }]);
    send('hold');
    expect([value(), again.due, clock.due]).toEqual(['held', [], []]);
  });

  test('a chart that ends, or is stopped, has no timers left and takes nothing more', () => {
    const ending = setup(types).createMachine({
      initial: 'a',
      states: { a: { entry: raise({ type: 'late' }, { delay: 5 }), on: { end: 'b', late: 'b' } }, b: { type: 'final' } },
    });
    const ended = aloneOf(ending);
    ended.alone.start();
    ended.send('end');
    expect([ended.value(), ended.clock.due]).toEqual(['b', []]);
    ended.news();
    ended.send('end');
    expect(ended.news()).toEqual(['relays end']);
    const stopped = aloneOf(ending);
    stopped.alone.start();
    expect(stopped.clock.due).toEqual([5]);
    stopped.alone.stop();
    expect(stopped.clock.due).toEqual([]);
  });
});

describe('delayed events', () => {
  const timed = setup(types).createMachine({
    context: { received: [] },
    on: {
      arm: { actions: raise({ type: 'rang' }, { delay: 5, id: 'bell' }) },
      self: { actions: sendTo(({ self }) => self, { type: 'rang' }, { delay: 3 }) },
      now: { actions: [sendTo(({ self }) => self, { type: 'rang' }), raise({ type: 'rang' })] },
      hush: { actions: cancel('bell') },
      rang: { actions: assign({ received: ({ context }: any) => [...context.received, 'rang'] }) },
    },
  });

  test('are raised, sent and canceled by id; those without an id stay distinct', () => {
    const { alone, clock, context, send, news } = aloneOf(timed);
    alone.start();
    send('arm');
    expect(news()).toContain('arms bell for rang');
    send('hush');
    expect(clock.due).toEqual([]);
    send('hush');
    for (const type of ['self', 'self', 'arm']) send(type);
    expect(clock.due).toEqual([3, 3, 5]);
    clock.wind(3);
    expect(context().received).toHaveLength(2);
    clock.wind(5);
    expect([context().received.length, clock.due, alone.standing.timers.size]).toEqual([3, [], 0]);
  });

  test('sent events come after the step, and raised ones within it', () => {
    const { alone, context, send, news } = aloneOf(timed);
    alone.start();
    send('now');
    expect(context().received).toHaveLength(2);
    expect(news().filter((one) => one.startsWith('relays'))).toEqual(['relays now', 'relays rang']);
  });
});

describe('actors of a chart', () => {
  const work = fromPromise(async () => 'never');
  const listen = fromCallback(() => expect.unreachable());
  const parent = setup({ ...types, actors: { work, listen } }).createMachine({
    context: { result: null },
    initial: 'idle',
    on: {
      tell: { actions: sendTo('ear', ({ event }: any) => ({ type: 'word', text: event.text })) },
      spawn: { actions: spawnChild('listen', { id: 'ear' }) },
      adopt: { actions: assign({ ear: ({ spawn }: any) => spawn('listen', { id: 'own' }) }) },
      dismiss: { actions: stopChild('ear') },
    },
    states: {
      idle: { on: { go: 'busy' } },
      busy: {
        invoke: {
          id: 'job',
          src: 'work',
          onDone: { target: 'idle', actions: assign({ result: ({ event }: any) => event.output }) },
          onError: { target: 'failed', actions: assign({ result: ({ event }: any) => event.error }) },
        },
        on: { leave: 'idle' },
      },
      failed: {},
    },
  });

  test('are created without work: their results are passed to the chart', () => {
    const { alone, value, context, send, services, settle } = aloneOf(parent);
    alone.start();
    send('go');
    expect([value(), services.get('job')![1], alone.root.getSnapshot().children['job'].getSnapshot().status]).toEqual([
      'busy',
      'promise',
      'active',
    ]);
    settle('job', 'done', 42);
    expect([value(), context().result]).toEqual(['idle', 42]);
    send('go');
    settle('job', 'fails', 'no');
    expect([value(), context().result]).toEqual(['failed', 'no']);
  });

  test('the actor of a left state is stopped, and its late result is ignored', () => {
    const { alone, value, send, services, settle } = aloneOf(parent);
    alone.start();
    send('go');
    const [job] = services.get('job')!;
    send('leave');
    expect([value(), job.getSnapshot().status, job._processingStatus === 1]).toEqual(['idle', 'stopped', false]);
    settle('job', 'done', 42);
    expect(value()).toBe('idle');
  });

  test('a spawned actor receives events until its stop, also if assign spawned it', () => {
    const { alone, send, news, services } = aloneOf(parent);
    alone.start();
    for (const type of ['spawn', 'tell', 'dismiss']) send(type);
    expect(news().filter((one) => one.startsWith('ear'))).toEqual(['ear hears word']);
    expect(services.get('ear')![0]._processingStatus).not.toBe(1);
    send('adopt');
    expect(services.get('own')![0]._processingStatus).toBe(1);
    alone.stop();
    expect(services.get('own')![0]._processingStatus).not.toBe(1);
  });

  test('they stand again with the chart', () => {
    const { alone, clock, hooks, value, send, settle, services } = aloneOf(parent);
    alone.start();
    send('go');
    const { standing } = alone;
    settle('job', 'done', 1);
    expect(value()).toBe('idle');
    alone.comeBack(standing, clock as never, hooks);
    expect([value(), services.get('job')![0].getSnapshot().status]).toEqual(['busy', 'active']);
    settle('job', 'done', 2);
    expect([value(), alone.root.getSnapshot().context.result]).toEqual(['idle', 2]);
  });

  test('the chart receives snapshots on request', () => {
    const counter = setup(types).createMachine({
      context: { n: 0 },
      on: { inc: { actions: assign({ n: ({ context }: any) => context.n + 1 }) } },
    });
    const watching = setup({ ...types, actors: { counter } }).createMachine({
      context: { seen: [] },
      invoke: {
        id: 'counter',
        src: 'counter',
        onSnapshot: { actions: assign({ seen: ({ context, event }: any) => [...context.seen, event.snapshot.context.n] }) },
      },
      on: { inc: { actions: sendTo('counter', { type: 'inc' }) } },
    });
    const own = aloneOf(watching);
    const live = createActor(watching).start();
    own.alone.start();
    for (let i = 0; i < 2; i++) {
      own.send('inc');
      live.send({ type: 'inc' });
    }
    expect(own.context().seen).toEqual(live.getSnapshot().context.seen);
    live.stop();
  });
});

test('an error of a chart ends it, is reported, and removes its timers', () => {
  const failing = setup(types).createMachine({
    entry: raise({ type: 'late' }, { delay: 5 }),
    on: {
      fail: {
        actions: assign(() => {
          throw new Error('mine');
        }),
      },
    },
  });
  const { alone, clock, send, news } = aloneOf(failing);
  alone.start();
  send('fail');
  expect([alone.root.getSnapshot().status, clock.due, news().at(-1)]).toEqual(['error', [], 'broke: mine']);
  send('fail');
  expect(news()).toEqual(['relays fail']);
});
