/** Messages of one turn leave together, and the members of a cluster read them as if they were sent one by one. */
import { asyncScheduler, Subscription, VirtualTimeScheduler, type SchedulerAction, type SchedulerLike } from 'rxjs';
import { expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import type { Message } from '../../machines/effects.js';
import { InProcessBus } from '../transports/in-process.js';
import { counter, testCluster } from './cluster.fixture.js';
import { createCluster } from './cluster.js';
import { Mail, parcelOf } from './mail.js';

const message = (type: string): Message => ({ type }) as Message;
const later = () => new Promise((resolve) => setTimeout(resolve, 5));

test.each([
  ["the platform's clock", asyncScheduler],
  ['another clock', new VirtualTimeScheduler()],
])('messages of one turn are one parcel for each peer, with %s', async (_, clock) => {
  const sent: [string, Message][] = [];
  const mail = new Mail(clock, (to, one) => sent.push([to, one]));
  mail.post('b', message('one'));
  mail.whenHandled(() => mail.post('b', message('of the turn')));
  await Promise.resolve().then(() => mail.post('b', message('two')));
  mail.post('c', message('alone'));
  await later();
  expect(sent.map(([to, one]) => [to, parcelOf(one)?.map(({ type }) => type) ?? one.type])).toEqual([
    ['b', ['one', 'two', 'of the turn']],
    ['c', 'alone'],
  ]);
});

test('a parcel inside a parcel and a list of other values are malformed', () => {
  const parcel = (...messages: unknown[]) => ({ type: 'parcel', messages }) as unknown as Message;
  expect(parcelOf(parcel(message('a')))).toEqual([{ type: 'a' }]);
  expect(parcelOf(parcel(parcel()))).toBeNull();
  expect(parcelOf(parcel('a'))).toBeNull();
  expect(parcelOf(message('a'))).toBeNull();
});

test('messages that are too large for one parcel are sent one by one', { timeout: 20_000 }, async () => {
  const text = setup({ types: {} as { context: { text: string }; events: { type: 'SET'; text: string } } }).createMachine({
    context: { text: '' },
    on: { SET: { actions: assign({ text: ({ event }) => event.text }) } },
  });
  // Without long timers, a message that is lost is never repeated.
  let repeats = true;
  const clock: SchedulerLike = {
    now: () => asyncScheduler.now(),
    schedule: <T>(work: (this: SchedulerAction<T>, state: T) => void, delay?: number, state?: T) =>
      repeats || (delay ?? 0) < 100
        ? asyncScheduler.schedule(work as (this: SchedulerAction<T>, state?: T) => void, delay, state)
        : new Subscription(),
  };
  const bus = new InProcessBus();
  const [peers, kinds] = [['a', 'b', 'c'], 12];
  const clusters = peers.map((id) => createCluster({ transport: bus.transport(id), peers, machines: { text }, clock }));
  // Each version is a fifth of the largest message.
  const large = 'x'.repeat(Math.floor(bus.transport('d').guarantees.messageBytesMax / 5));
  const refs = Array.from({ length: kinds }, (_, i) => clusters[0]!.actor('text', `${i}`));
  await Promise.all(refs.map((ref) => ref.send({ type: 'SET', text: '' })));
  repeats = false;
  await Promise.all(refs.map((ref) => ref.send({ type: 'SET', text: large })));
  repeats = true;
  expect(refs.map((ref) => ref.getSnapshot().context.text.length)).toEqual(refs.map(() => large.length));
  await Promise.all(clusters.map((cluster) => cluster.close()));
});

test('a member sends its last messages before it closes: its actor goes on elsewhere', async () => {
  const { of, peers } = await testCluster({ counter });
  const ref = of('a').cluster.actor('counter', 'x');
  await ref.send({ type: 'ADD' });
  const host = (await ref.where())!;
  await of(host).cluster.close();
  const others = peers.filter(({ id }) => id !== host);
  await expect.poll(() => others.flatMap(({ cluster }) => cluster.hosted)).toEqual(['counter/x']);
});
