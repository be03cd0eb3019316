/** The objects of this package as children of a machine: the events for their parents, and type errors. */
import { createActor, sendTo, setup, waitFor, type ActorRefFrom, type AnyActorRef, type EventFromLogic } from 'xstate';
import { expect, onTestFinished, test, vi } from 'vitest';
import { bankLogic, createBank } from './controller/bank.js';
import { createElection, type Election } from './election.js';
import { electionLogic, type ElectionNotice } from './election-logic.js';
import { lockLogic, type LockNotice } from './locks/lock.js';
import { createLocks, type Locks } from './locks/locks.js';
import { registerLogic } from './locks/register-logic.js';
import { createRegister } from './locks/register.js';
import { createNames, namesLogic } from './names.js';
import { createNeighborhood, neighborhoodLogic } from './neighborhood.js';
import { createMulticast } from './queue/multicast.js';
import { createQueue, queueLogic } from './queue/queue.js';
import { createQuota, quotaLogic } from './quota.js';
import { ClosedError } from './transports/errors.js';
import { InProcessBus } from './transports/in-process.js';

function placesOf(...peers: readonly string[]) {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  return peers.map((id) => ({ transport: bus.transport(id), peers }));
}
const alone = () => placesOf('a')[0]!;

/** The notices of an actor, which is started. */
function noticesOf(actor: AnyActorRef): any[] {
  const notices: any[] = [];
  actor.on('*', (notice) => notices.push(notice));
  actor.start();
  onTestFinished(() => actor.stop());
  return notices;
}

/** A scheduler that works only while it leads and holds the lock. */
interface SchedulerInput {
  readonly election: Election;
  readonly locks: Locks;
}
const scheduler = setup({
  types: {
    context: {} as SchedulerInput & { readonly fence: number },
    input: {} as SchedulerInput,
    events: {} as ElectionNotice | LockNotice,
  },
  actors: { election: electionLogic, lock: lockLogic },
}).createMachine({
  context: ({ input }) => ({ ...input, fence: 0 }),
  invoke: [
    { id: 'leader', src: 'election', input: ({ context }) => context },
    { id: 'lock', src: 'lock', input: ({ context }) => ({ locks: context.locks, name: 'schedule' }) },
  ],
  on: { leader: [{ guard: ({ event }) => event.isLeader, target: '.leading' }, { target: '.following' }] },
  initial: 'following',
  states: {
    following: {},
    leading: {
      entry: sendTo('lock', { type: 'request' } satisfies EventFromLogic<typeof lockLogic>),
      exit: sendTo('lock', { type: 'release' } satisfies EventFromLogic<typeof lockLogic>),
      on: { granted: '.working' },
      initial: 'waiting',
      states: { waiting: {}, working: {} },
    },
  },
});

test('the first leader works, and the next one after it', async () => {
  const places = placesOf('ann', 'bob');
  const peers = places.map((place) => ({ election: createElection(place), locks: createLocks({ ...place, name: 'jobs' }) }));
  onTestFinished(async () => void (await Promise.all(peers.flatMap(({ election, locks }) => [election.close(), locks.close()]))));
  await Promise.all(peers.map(({ election }) => election.ready));
  const actors = peers.map((input) => createActor(scheduler, { input }).start());
  onTestFinished(() => actors.forEach((actor) => void actor.stop()));
  const isWorking = (actor: (typeof actors)[number]) => actor.getSnapshot().matches({ leading: 'working' });
  await expect.poll(() => actors.filter(isWorking)).toHaveLength(1);
  const first = actors.findIndex(isWorking);
  expect(peers[first]!.election.isLeader).toBe(true);
  await peers[first]!.election.close();
  await expect.poll(() => isWorking(actors[1 - first]!)).toBe(true);
  expect(actors[first]!.getSnapshot().value).toBe('following');
});

test('an election announces its leader at the start, and is done when it closes', async () => {
  const election = createElection(alone());
  await election.elected;
  const actor = createActor(electionLogic, { id: 'cluster', input: { election } });
  const notices = noticesOf(actor);
  expect(notices).toEqual([{ type: 'leader', from: 'cluster', leader: 'a', isLeader: true }]);
  expect(actor.getSnapshot()).toMatchObject({ status: 'active', leader: 'a', isLeader: true });
  await election.close();
  await waitFor(actor, ({ status }) => status === 'done');
  expect(notices[1]).toEqual({ type: 'leader', from: 'cluster', leader: null, isLeader: false });
});

test('the field from distinguishes equal notices of two children', async () => {
  const [place] = placesOf('a');
  const [web, mail] = ['web', 'mail'].map((name) => createQuota({ ...place!, name, budget: 2 }));
  const arrived: string[] = [];
  const parent = setup({ actors: { quota: quotaLogic } }).createMachine({
    invoke: [
      { id: 'web', src: 'quota', input: () => ({ quota: web! }) },
      { id: 'mail', src: 'quota', input: () => ({ quota: mail! }) },
    ],
    entry: [
      sendTo('web', { type: 'take', amount: 2 } satisfies EventFromLogic<typeof quotaLogic>),
      sendTo('mail', { type: 'take', amount: 3 } satisfies EventFromLogic<typeof quotaLogic>),
    ],
    on: { '*': { actions: ({ event }) => arrived.push(`${event['from']} ${event.type}`) } },
  });
  const actor = createActor(parent).start();
  await expect.poll(() => arrived.toSorted()).toEqual(['mail ready', 'mail rejected', 'web granted', 'web ready']);
  actor.stop();
  await Promise.all([web!.close(), mail!.close()]);
});

test('a quota grants and rejects, also a lasting one; an invalid take fails', async () => {
  const place = alone();
  const locks = createLocks(place);
  for (const quota of [createQuota({ ...place, budget: 3 }), createQuota({ locks, budget: 3 })]) {
    const actor = createActor(quotaLogic, { id: 'quota', input: { quota } });
    const notices = noticesOf(actor);
    for (const amount of [2, 2, 0]) actor.send({ type: 'take', amount });
    await expect.poll(() => notices.map(({ type }) => type).toSorted()).toEqual(['failed', 'granted', 'ready', 'rejected']);
    expect(notices.find(({ type }) => type === 'granted')).toMatchObject({ from: 'quota', amount: 2 });
    const { error, event } = notices.find(({ type }) => type === 'failed');
    expect(error).toMatchObject({ name: 'UsageError' });
    expect(event).toEqual({ type: 'take', amount: 0 });
    expect(actor.getSnapshot()).toMatchObject({ status: 'active', remaining: quota.remaining });
  }
  await locks.close();
});

test('names, a bank and a register answer in their order', async () => {
  const place = alone();
  const locks = createLocks(place);
  const names = createActor(namesLogic, { input: { names: createNames(place) } });
  const bank = createBank({ ...place, balance: 1 });
  const account = createActor(bankLogic, { input: { bank } });
  const isValue = (value: unknown): value is number => Number.isSafeInteger(value);
  const register = createRegister({ locks, name: 'visits', initial: 4, isValue });
  const visits = createActor(registerLogic, { input: { register } });
  const typed = createActor(registerLogic.of(register));
  const arrived = [names, account, visits, typed].map(noticesOf);
  names.send({ type: 'next' });
  account.send({ type: 'withdraw', amount: 3 });
  account.send({ type: 'deposit', amount: 2 });
  await expect.poll(() => arrived[0]!.map(({ type }) => type)).toEqual(['ready', 'named']);
  await expect.poll(() => arrived[1]!.map(({ type }) => type).toSorted()).toEqual(['deposited', 'ready', 'withdrawn']);
  await expect.poll(() => arrived[2]!.map(({ value }) => value)).toEqual([4]);
  typed.send({ type: 'change', how: (count) => count + 1 });
  await waitFor(typed, ({ value }) => value === 5);
  typed.send({ type: 'change', how: () => 'many' as never });
  await expect.poll(() => arrived[3]!.map(({ type }) => type)).toEqual(['value', 'value', 'failed']);
  await Promise.all([locks.close(), bank.close()]);
  await waitFor(typed, ({ status }) => status === 'done');
});

test('a neighborhood is held until unlock, and released when its actor stops', async () => {
  const [a, b] = placesOf('a', 'b').map(createNeighborhood);
  await Promise.all([a!.ready, b!.ready]);
  const first = createActor(neighborhoodLogic, { input: { neighborhood: a! } });
  const second = createActor(neighborhoodLogic, { input: { neighborhood: b! } });
  const [arrived, other] = [noticesOf(first), noticesOf(second)];
  first.send({ type: 'lock' });
  await waitFor(first, ({ held }) => held?.has('b') === true);
  second.send({ type: 'lock' });
  first.send({ type: 'lock' });
  await expect.poll(() => arrived.map(({ type }) => type)).toEqual(['unlocked', 'locked', 'failed']);
  expect(other.map(({ type }) => type)).toEqual(['unlocked']);
  first.send({ type: 'unlock' });
  await waitFor(second, ({ held }) => held !== null);
  expect(arrived.at(-1)).toMatchObject({ type: 'unlocked' });
  second.stop();
  first.send({ type: 'lock' });
  await waitFor(first, ({ held }) => held !== null);
  await Promise.all([a!.close(), b!.close()]);
});

test('a lock whose request is aborted is not granted later', async () => {
  const [a, b] = placesOf('a', 'b').map(createNeighborhood);
  await Promise.all([a!.ready, b!.ready]);
  const held = await b!.lock();
  const actor = createActor(neighborhoodLogic, { input: { neighborhood: a! } });
  const arrived = noticesOf(actor);
  actor.send({ type: 'lock' });
  actor.send({ type: 'unlock' });
  held.release();
  await using again = await b!.lock();
  expect(again.has('a')).toBe(true);
  expect(arrived.map(({ type }) => type)).toEqual(['unlocked', 'unlocked']);
  await Promise.all([a!.close(), b!.close()]);
});

test('an object that ends with an error ends its actor and notifies the parent', async () => {
  const [place] = placesOf('a');
  const election = createElection(place!);
  await election.ready;
  const caught = vi.fn<(error: unknown) => void>();
  const parent = setup({ actors: { election: electionLogic } }).createMachine({
    invoke: { src: 'election', input: () => ({ election }), onError: { actions: ({ event }) => caught(event.error) } },
  });
  const actor = createActor(parent).start();
  await place!.transport.close();
  await vi.waitFor(() => expect(caught).toHaveBeenCalledTimes(1));
  expect(caught.mock.calls[0]![0]).toBe(await election.node.closed);
  expect(caught.mock.calls[0]![0]).toBeInstanceOf(Error);
  actor.stop();
});

test('an object that has closed is not ready, and its actor is done', async () => {
  const [first, second] = placesOf('a', 'b');
  const locks = createLocks({ ...first!, peers: ['a'] });
  const place = { ...second!, peers: ['b'] };
  const queue = createQueue(place);
  const [quota, lasting] = [createQuota({ ...place, budget: 1 }), createQuota({ locks, budget: 1 })];
  const [names, lastingNames] = [createNames(place), createNames({ locks })];
  for (const { ready } of [queue, quota, names]) await ready;
  await Promise.all([queue, quota, names, locks].map((object) => object.close()));
  const actors: AnyActorRef[] = [
    createActor(queueLogic, { input: { queue } }),
    ...[quota, lasting].map((one) => createActor(quotaLogic, { input: { quota: one } })),
    ...[names, lastingNames].map((one) => createActor(namesLogic, { input: { names: one } })),
  ];
  const notices = actors.map(noticesOf);
  for (const actor of actors) await waitFor(actor as never, ({ status }: any) => status === 'done');
  expect(notices).toEqual(actors.map(() => []));
});

test.each([
  ['queue "jobs" of peer "a" is closed', (place: any) => createQueue(place), (queue: any) => queue.enqueue()],
  ['multicast "jobs" is closed', (place: any) => createMulticast(place), (multicast: any) => multicast.send(1)],
  ['quota "jobs" of peer "a" is closed', (place: any) => createQuota({ ...place, budget: 1 }), (quota: any) => quota.take(2)],
  ['set of names "jobs" of peer "a" is closed', (place: any) => createNames(place), (names: any) => names.next()],
  ['bank "jobs" of peer "a" is closed', (place: any) => createBank(place), (bank: any) => bank.withdraw(1)],
  ['neighborhood "jobs" is closed', (place: any) => createNeighborhood(place), (neighborhood: any) => neighborhood.lock()],
])('%s: the error of a call during its close and of a later one', async (message, create: (place: object) => any, call) => {
  const object = create({ ...alone(), name: 'jobs' });
  await object.ready;
  const closing = object.close();
  await expect(call(object)).rejects.toThrow(new ClosedError(message));
  await closing;
  await expect(call(object)).rejects.toThrow(new ClosedError(message));
});

test.each([
  [undefined, /^electionLogic needs its election. Pass input: \{ election: createElection\(…\) \}/],
  [{ election: {} }, /^electionLogic: input.election is not what createElection returns/],
])('the input %j is refused', async (input, message) => {
  const actor = createActor(electionLogic, { input: input as never });
  const failed = new Promise<any>((resolve) => actor.subscribe({ error: resolve }));
  actor.start();
  expect((await failed).message).toMatch(message);
});

test('an unknown event fails with the most similar one', async () => {
  const quota = createQuota({ ...alone(), budget: 3 });
  const actor = createActor(quotaLogic, { input: { quota } });
  const notices = noticesOf(actor);
  (actor as AnyActorRef).send({ type: 'take ' });
  await expect
    .poll(() => notices.find(({ type }) => type === 'failed')?.error.message)
    .toMatch(/has no event "take "\. Did you mean "take"\?/);
  await quota.close();
});

test('a machine restored from text announces the state of its new object', async () => {
  const [place, other] = placesOf('a', 'b');
  const parent = setup({
    types: { context: {} as { leaders: (string | null)[] }, events: {} as ElectionNotice },
    actors: { election: electionLogic },
  }).createMachine({
    context: { leaders: [] },
    invoke: { src: 'election', input: () => ({ election: election! }) },
    on: { leader: { actions: ({ context, event }) => context.leaders.push(event.leader) } },
  });
  let election: Election | undefined = createElection({ ...place!, peers: ['a'] });
  await election.elected;
  const text = JSON.stringify(createActor(parent).start().getPersistedSnapshot());
  await election.close();
  election = undefined;
  const again = createElection({ ...other!, peers: ['b'] });
  await again.elected;
  const restored = createActor(parent.provide({ actors: { election: electionLogic.of(again) } }), {
    snapshot: JSON.parse(text),
  }).start();
  await expect.poll(() => restored.getSnapshot().context.leaders).toEqual(['a', 'b']);
  restored.stop();
  await again.close();
});

test('a misspelled event or notice does not compile', () => {
  const wrong = (
    quota: ActorRefFrom<typeof quotaLogic>,
    election: ActorRefFrom<typeof electionLogic>,
    lock: ActorRefFrom<typeof lockLogic>,
  ) => [
    // @ts-expect-error a misspelled event
    quota.send({ type: 'taek' }),
    // @ts-expect-error a missing input
    createActor(quotaLogic, {}),
    // @ts-expect-error an event with a wrong field
    quota.send({ type: 'take', amount: 'all' }),
    // @ts-expect-error an event without its field
    { type: 'deposit' } satisfies EventFromLogic<typeof bankLogic>,
    // @ts-expect-error an election takes no events
    election.send({ type: 'leader' }),
    // @ts-expect-error a misspelled event of a lock
    lock.send({ type: 'releaze' }),
    // @ts-expect-error a misspelled event that a parent sends to a lock
    sendTo(() => lock, { type: 'releaze' }),
    // @ts-expect-error a misspelled event to a child that is named by a string, which XState does not check
    sendTo('lock', { type: 'releaze' } satisfies EventFromLogic<typeof lockLogic>),
    // @ts-expect-error a misspelled notice
    election.on('leadr', () => {}),
    // @ts-expect-error a field that the notice does not have
    election.on('leader', ({ fence }) => fence),
    // @ts-expect-error a misspelled notice of a quota
    quota.on('grantd', () => {}),
    // @ts-expect-error an input that is not the object
    createActor(quotaLogic, { input: { election } }),
    setup({ types: { events: {} as ElectionNotice | LockNotice } }).createMachine({
      on: {
        // @ts-expect-error a parent that waits for a misspelled notice
        leadr: {},
      },
    }),
  ];
  expect(wrong).toBeTypeOf('function');
});
