/** Ordinary machines that talk to each other: every order is gone through, and what cannot be taken is named. */
import { describe, expect, test } from 'vitest';
import {
  assign,
  cancel,
  createActor,
  createMachine,
  emit,
  enqueueActions,
  forwardTo,
  fromPromise,
  raise,
  sendParent,
  sendTo,
  setup,
  spawnChild,
  type AnyStateMachine,
} from 'xstate';
import { Simulation } from '../../network/simulation.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { systemWalks } from '../system/tours.js';
import { checkActors, defineActors, type ActorsQuestion, type ActorViews } from './actors.js';

const stateOf = (views: ActorViews): string =>
  Object.entries(views)
    .map(([name, { value, context }]) => `${name} ${JSON.stringify(value)} ${JSON.stringify(context)}`)
    .join(', ');

/** Everything that the search comes to, as text. */
function reached(actors: Readonly<Record<string, AnyStateMachine>>, question: ActorsQuestion = {}): ReadonlySet<string> {
  const seen = new Set<string>();
  const see = (views: ActorViews) => seen.add(stateOf(views)).size > 0;
  expect(checkActors(actors, { ...question, always: { see } }).verdict).not.toBe('unknown');
  return seen;
}

const server = createMachine({
  context: { served: 0 },
  on: {
    ASK: {
      actions: sendTo(
        ({ event }: any) => event.sender,
        ({ event }: any) => ({ type: 'ANSWER', n: event.n }),
      ),
    },
  },
});

const clientWith = (answered: object) =>
  setup({}).createMachine({
    context: ({ input }: any) => ({ server: input.server, n: 0, got: 0 }),
    initial: 'idle',
    states: {
      idle: { on: { GO: 'waiting' } },
      waiting: {
        entry: [
          assign({ n: ({ context }) => (context.n % 2) + 1 }),
          sendTo(
            ({ context }) => context.server,
            ({ context, self }) => ({ type: 'ASK', n: context.n, sender: self }),
          ),
        ],
        on: { ANSWER: answered as never, GIVE_UP: 'idle' },
      },
    },
  });

const question: ActorsQuestion = {
  input: { client: ({ ref }: { ref(actor: string): unknown }) => ({ server: ref('server') }) },
  events: { client: { GO: [{}], GIVE_UP: [{}] } },
};
const ownAnswer = ({ client }: ActorViews): boolean =>
  !client!.matches('idle') || client!.context.got === 0 || client!.context.got === client!.context.n;

describe('two actors that refer to each other', () => {
  const taking = { target: 'idle', actions: assign({ got: ({ event }: any) => event.n }) };
  const limit = { bounds: { states: 3000 } };

  test('a late answer is taken for that to the next question: the shortest path', () => {
    const { verdict, counterexample } = checkActors(
      { client: clientWith(taking), server },
      { ...question, ...limit, always: { ownAnswer } },
    );
    expect(verdict).toBe('invalid');
    expect(counterexample!.property).toBe('ownAnswer');
    expect(counterexample!.steps).toHaveLength(5);
  });

  test('one that looks whose answer it is holds in every state', () => {
    const careful = { ...taking, guard: ({ context, event }: any) => event.n === context.n };
    const found = checkActors(
      { client: clientWith(careful), server },
      {
        ...question,
        always: { ownAnswer },
        script: ['GO', 'GIVE_UP', 'GO'].map((type) => ({ actor: 'client', event: { type } })),
      },
    );
    expect(found).toMatchObject({ verdict: 'valid' });
    // It can always give up.
    expect(found.vacuous).toEqual(['no node is stuck']);
  });
});

/** Each takes its own fork and then asks the other for its. */
const fork = (other: string) =>
  createMachine({
    context: ({ input }: any) => input,
    initial: 'free',
    states: {
      free: { on: { TAKE: 'mine', PLEASE: { actions: sendTo(({ context }) => context[other], { type: 'YOURS' }) } } },
      mine: { entry: sendTo(({ context }) => context[other], { type: 'PLEASE' }), on: { YOURS: 'both' } },
      both: { on: { PUT: 'free' } },
    },
  });

test('two actors that wait for each other forever, without a property', () => {
  const { counterexample } = checkActors(
    { ann: fork('bob'), bob: fork('ann') },
    {
      input: {
        ann: ({ ref }: { ref(actor: string): unknown }) => ({ bob: ref('bob') }),
        bob: ({ ref }: { ref(actor: string): unknown }) => ({ ann: ref('ann') }),
      },
      events: { ann: { TAKE: [{}], PUT: [{}] }, bob: { TAKE: [{}], PUT: [{}] } },
    },
  );
  expect(counterexample!.property).toBe('no node is stuck');
  expect(counterexample!.steps.slice(0, 2)).toEqual([expect.stringContaining('TAKE'), expect.stringContaining('TAKE')]);
});

describe('a machine and those that its root invokes', () => {
  const worker = setup({}).createMachine({
    context: ({ input }: any) => ({ share: input.share }),
    initial: 'idle',
    states: {
      idle: { on: { WORK: 'busy' } },
      busy: { entry: sendParent(({ context }: any) => ({ type: 'DONE_SOME', share: context.share })), on: { ENOUGH: 'over' } },
      over: { type: 'final', output: ({ context }: any) => context.share },
    },
    output: ({ event }: any) => event.output * 10,
  });
  const boss = setup({
    actors: { worker },
    actions: { note: assign({ log: ({ context, event }: any) => [...context.log, event.share ?? event.output] }) },
  }).createMachine({
    context: { log: [] as number[], base: 1 },
    invoke: [
      { id: 'left', src: 'worker', input: ({ context }: any) => ({ share: context.base }), onDone: { actions: 'note' } },
      { id: 'right', src: 'worker', input: { share: 2 }, onDone: { actions: 'note' } },
    ],
    initial: 'open',
    states: {
      open: {
        on: { START: { target: 'going', actions: [sendTo('left', { type: 'WORK' }), sendTo('right', { type: 'WORK' })] } },
      },
      going: {},
    },
    on: {
      DONE_SOME: { actions: ['note', sendTo(({ event }) => (event['share'] === 1 ? 'left' : 'right'), { type: 'ENOUGH' })] },
    },
  });
  const asked: ActorsQuestion = { script: [{ actor: 'boss', event: { type: 'START' } }], events: { boss: { START: [{}] } } };
  const logs = (states: ReadonlySet<string>) =>
    [...states].flatMap((state) =>
      state.includes('left "over"') && state.includes('right "over"') ? [/"log":(\[.*?\])/.exec(state)![1]!] : [],
    );

  test('input, messages both ways, output at the end: in every order', () => {
    const all = logs(reached({ boss }, asked)).filter((log) => log.split(',').length === 4);
    // Each share before its output: of 24 orders 6.
    expect(all.toSorted()).toEqual(['[1,10,2,20]', '[1,2,10,20]', '[1,2,20,10]', '[2,1,10,20]', '[2,1,20,10]', '[2,20,1,10]']);
  });

  test('the order of XState in one process is one of these', () => {
    const live = createActor(boss).start();
    live.send({ type: 'START' });
    const { log } = live.getSnapshot().context;
    expect(log).toHaveLength(4);
    expect(logs(reached({ boss }, asked))).toContain(JSON.stringify(log));
  });
});

describe('time', () => {
  const timed = (exit: object) =>
    createMachine({
      context: { received: 0 },
      initial: 'a',
      states: {
        a: { after: { 100: 'late' }, on: { X: 'b' }, entry: raise({ type: 'SLOW' }, { delay: 50, id: 'slow' }) },
        b: { ...exit, on: { '*': { actions: assign({ received: ({ context }) => Math.min(context.received + 1, 2) }) } } },
        late: {},
      },
    });
  const asked: ActorsQuestion = { script: [{ actor: 'one', event: { type: 'X' } }], events: { one: { X: [{}] } } };

  test('a timer ends with its state; a delayed event arrives unless canceled, past "*"', () => {
    expect(reached({ one: timed({}) }, asked)).toEqual(
      new Set(['one "a" {"received":0}', 'one "late" {"received":0}', 'one "b" {"received":0}', 'one "b" {"received":1}']),
    );
  });

  test('one that is taken back does not', () => {
    expect(reached({ one: timed({ entry: cancel('slow') }) }, asked)).toEqual(
      new Set(['one "a" {"received":0}', 'one "late" {"received":0}', 'one "b" {"received":0}']),
    );
  });

  test('a delayed event of enqueueActions, with its payload', () => {
    const one = createMachine({
      context: { n: 0 },
      entry: enqueueActions(({ enqueue }: any) => {
        enqueue.raise({ type: 'SET', n: 1 }, { delay: 10 });
        enqueue.raise({ type: 'SET', n: 2 }, { delay: 10, id: 'second' });
        enqueue.raise({ type: 'SET', n: 3 }, { delay: 10, id: 'third' });
        enqueue.cancel('third');
      }),
      on: { SET: { actions: assign({ n: ({ context, event }: any) => context.n * 10 + event.n }) } },
    });
    const numbers = [...reached({ one })].map((state) => Number(/"n":(\d+)/.exec(state)![1]));
    expect(numbers.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 12, 21]);
  });

  test('named delays, and a message that is sent late', () => {
    const child = createMachine({ initial: 'deaf', states: { deaf: { on: { PING: 'hears' } }, hears: {} } });
    const sender = setup({ actors: { child }, delays: { soon: ({ context }: any) => context.wait } }).createMachine({
      context: { wait: 5 },
      entry: sendTo('child', { type: 'PING' }, { delay: 'soon' }),
      invoke: { id: 'child', src: 'child' },
    });
    expect([...reached({ sender })]).toEqual(['sender {} {"wait":5}, child "deaf" {}', 'sender {} {"wait":5}, child "hears" {}']);
  });
});

test('an event to itself comes first; enqueueActions, forwardTo, emit and functions', () => {
  const seen: string[] = [];
  const echo = createMachine({
    context: { n: 0 },
    on: {
      GO: {
        actions: [
          () => seen.push('performed'),
          emit({ type: 'reported' }),
          enqueueActions(({ enqueue, self, check }) => {
            if (check(() => true)) enqueue.sendTo(self, { type: 'SELF' });
            enqueue.assign({ n: 1 });
            enqueue({ type: 'unknown' });
          }),
          forwardTo('other'),
        ],
      },
      SELF: { guard: ({ context }) => context.n === 1, actions: assign({ n: 2 }) },
    },
    invoke: {
      id: 'other',
      src: createMachine({ context: { received: '' }, on: { GO: { actions: assign({ received: 'GO' }) } } }),
    },
  });
  const all = reached({ echo }, { script: [{ actor: 'echo', event: { type: 'GO' } }], events: { echo: { GO: [{}] } } });
  expect([...all]).toEqual([
    'echo {} {"n":0}, other {} {"received":""}',
    'echo {} {"n":2}, other {} {"received":""}',
    'echo {} {"n":2}, other {} {"received":"GO"}',
  ]);
  expect(seen).toEqual([]);
});

test('a machine that has ended takes nothing more, also at its root', () => {
  const one = createMachine({
    context: { n: 0 },
    initial: 'a',
    states: { a: { on: { END: 'z' } }, z: { type: 'final' } },
    on: { X: { actions: assign({ n: 1 }) } },
  });
  const script = ['END', 'X'].map((type) => ({ actor: 'one', event: { type } }));
  expect([...reached({ one }, { script, events: { one: { END: [{}], X: [{}] } } })]).toEqual([
    'one "a" {"n":0}',
    'one "z" {"n":0}',
  ]);
});

describe('as a protocol', () => {
  test('its walks, shakes and systems are of these actors', () => {
    expect(protocol.systems).toEqual([
      {
        topology: { nodes: ['client', 'server'], links: [['client', 'server', 1]] },
        events: [
          { at: 0, node: 'client', do: 'GO' },
          { at: 0, node: 'client', do: 'GIVE_UP' },
        ],
      },
    ]);
    expect(systemWalks(protocol).walks.length).toBeGreaterThan(0);
  });

  const protocol = defineActors({ client: clientWith({ target: 'idle' }), server }, { ...question, name: 'asking' });

  test('it runs in the simulator, in time', () => {
    const json = {
      protocol: 'asking',
      topology: { nodes: ['client', 'server'], links: [['client', 'server', 1]] },
      events: [{ at: 0, node: 'client', do: 'GO' }],
    };
    const report = new Simulation(parseScenario(json, { asking: protocol })).run();
    expect(report).toMatchObject({ verdict: 'valid', messages: { total: 2, byType: { ASK: 1, ANSWER: 1 } } });
  });
});

describe('unsupported parts are named with their place and a remedy', () => {
  const inState = (state: object, implementations: object = {}) =>
    createMachine({ id: 'm', initial: 'a', context: { peer: null }, states: { a: state } }, implementations);
  const child = createMachine({});
  test.each<[string, AnyStateMachine, RegExp]>([
    [
      'a promise',
      inState({ invoke: { src: 'load' } }, { actors: { load: fromPromise(async () => 1) } }),
      /^actor one: state a invokes load, which the checker cannot take; list it .* is for describeMachine/,
    ],
    [
      'a service without a name',
      inState({ invoke: { src: fromPromise(async () => 1) } }),
      /state a invokes a service without a name/,
    ],
    [
      'an actor that comes and goes',
      inState({ invoke: { id: 'one', src: child } }),
      /state a invokes one, an actor that comes and goes.*invoke it at the root/,
    ],
    ['a spawned actor', inState({ entry: spawnChild(child) }), /entry of state a has spawnChild.*list it among the actors/],
    [
      'one spawned in an assignment',
      inState({ entry: assign({ peer: ({ spawn }: any) => spawn(child) }) }),
      /entry of state a spawns an actor/,
    ],
    [
      'one spawned by enqueueActions',
      inState({ entry: enqueueActions(({ enqueue }) => enqueue.spawnChild(child)) }),
      /entry of state a has spawnChild/,
    ],
    [
      'a function that sends',
      inState({ on: { X: { actions: ({ context }: any) => context.peer.send({ type: 'Y' }) } } }),
      /state a, X has a function that calls send.*use sendTo/,
    ],
    [
      'a stranger',
      inState({ entry: sendTo('nobody', { type: 'X' }) }),
      /entry of state a names the actor "nobody".*the actors are one/,
    ],
    ['a parent that is not there', inState({ entry: sendParent({ type: 'X' }) }), /sends to its parent.*list the one that does/],
    ['an event that hosts use', inState({ on: { timer: {} } }), /state a has a transition for "timer".*rename the event/],
    ['a context that is no JSON', createMachine({ context: { day: new Date(0) } }), /context.day is a Date/],
    ['what is no machine', {} as never, /^actor one is not a machine/],
  ])('%s', (_, machine, description) => {
    expect(() => checkActors({ one: machine })).toThrow(description);
  });

  test('names that are none', () => {
    expect(() => checkActors({ one: child }, { events: { two: { X: [{}] } } })).toThrow(
      'input or events name "two", which is not an actor. The actors are one',
    );
  });

  test.each<[object, RegExp]>([
    [{ events: { one: { GOO: [{}] } } }, /events\.one\.GOO: actor one has no transition for it/],
    [{ alway: {} }, /checkActors has no option alway. Did you mean "always"/],
    [{ always: { x: true } }, /^always\["x"\] is not a function\. Pass \(actors, inFlight\) => boolean/],
    [{ eventually: { x: { when: () => true } } }, /^eventually\["x"\]\.holds is missing/],
    [{ events: { one: { X: [{}, 3] } } }, /^events\.one\.X\[1\] is 3\. Pass the payload as an object/],
    [{ bounds: { stats: 3 } }, /^bounds\.stats is not known. Did you mean "states"/],
    [
      {
        script: [
          { actor: 'one', event: { type: 'X' } },
          { actor: 'on', event: { type: 'X' } },
        ],
      },
      /^script\[1\] names on, .*Did you mean "one"/,
    ],
    [
      {
        script: [
          { actor: 'one', event: { type: 'X' } },
          { actor: 'one', event: { type: 'XX' } },
        ],
      },
      /^script\[1\] sends XX: actor one has no/,
    ],
    [{ script: [{ actor: 'one' }] }, /^script\[0\] is {"actor":"one"}\. Pass { actor: '…', event/],
  ])('%j', (question, description) => {
    expect(() => checkActors({ one: createMachine({ on: { X: { actions: () => {} } } }) }, question)).toThrow(description);
  });
});
