/** Probes of `ifAvailable`: who is asked, who answers that a request is queued, and when probes are dropped. */
import { Subject } from 'rxjs';
import { beforeEach, expect, test } from 'vitest';
import { directoryRole, EPOCHS, lockRole } from '../../machines/locks/messages.js';
import { createTransport, type DriverListener } from '../transports/driver.js';
import { Availability } from './availability.js';
import { inProcessGuarantees } from '../transports/guarantees.js';

let medium: DriverListener;
let sent: string[];
let arrived: string[];
let roles: Record<string, { context: object }>;
let steps: Subject<{ event: object }>;
let availability: Availability;

const NAME = 'locks/queued';
const asks = (from: string, lock: string, epoch: number) =>
  medium.received(from, { v: 1, name: NAME, message: { type: 'probe', lock, epoch } });
const answers = (from: string, lock: string, epoch: number) =>
  medium.received(from, { v: 1, name: NAME, message: { type: 'queued', lock, epoch } });
/** The node of an epoch, and the requests that its directory of a lock has queued behind its own. */
const serve = (epoch: number, next: Record<string, string> = {}) => {
  roles = { [EPOCHS]: { context: { served: { epoch } } } };
  for (const [lock, by] of Object.entries(next)) roles[directoryRole(epoch, lock)] = { context: { next: by } };
};
const asked = () => (availability as unknown as { asked: Map<string, object> }).asked.size;
const news = () => sent.splice(0);

beforeEach(async () => {
  [sent, arrived, steps] = [[], [], new Subject()];
  const transport = createTransport('a', inProcessGuarantees, (given) => {
    medium = given;
    given.opened({
      send: (to, envelope: any) =>
        void sent.push(`${to} ${envelope.message.type} ${envelope.message.lock} ${envelope.message.epoch}`),
      close: () => {},
    });
  });
  await transport.connect();
  for (const peer of ['b', 'c']) medium.up(peer);
  serve(5);
  const node = { id: 'a', name: 'locks', steps$: steps, role: (name: string) => roles[name] };
  availability = new Availability(node as never, transport as never, (lock) => arrived.push(lock));
});

test('all peers are asked, with the present epoch', () => {
  availability.ask('jobs');
  expect(news()).toEqual(['b probe jobs 5', 'c probe jobs 5']);
});

test.each<[string, { user: string | null; line: string[] }, boolean]>([
  ['a client has the lock, or asked before', { user: 'x', line: ['a'] }, true],
  ['another client stands in line before it', { user: null, line: ['x', 'a'] }, true],
  ['the one before has given it back', { user: null, line: ['a'] }, false],
  ['it is its turn', { user: 'a', line: ['x'] }, false],
])('no peers are asked for a request in line at its own peer: %s', (_, context, isReceived) => {
  roles[lockRole('jobs')] = { context };
  availability.ask('jobs');
  expect([arrived, news().length]).toEqual([isReceived ? ['jobs'] : [], isReceived ? 0 : 2]);
});

test('a node that has queued a request behind another one answers at once, and once', () => {
  serve(5, { jobs: 'b' });
  asks('b', 'jobs', 5);
  expect([news(), asked()]).toEqual([['b queued jobs 5'], 0]);
  asks('c', 'jobs', 5);
  expect([news(), asked()]).toEqual([[], 1]);
});

test('a node that queues it later answers then', () => {
  asks('b', 'jobs', 5);
  expect([news(), asked()]).toEqual([[], 1]);
  serve(5, { jobs: 'b' });
  steps.next({ event: { type: 'find', producer: 'b', lock: 'other' } });
  expect(news()).toEqual([]);
  steps.next({ event: { type: 'find', producer: 'b', lock: 'jobs' } });
  expect([news(), asked()]).toEqual([['b queued jobs 5'], 0]);
});

test('a node with readers answers when a writer recalls', () => {
  asks('b', 'jobs', 5);
  roles[lockRole('jobs')] = { context: { recalledBy: { node: 'b' } } };
  steps.next({ event: { type: 'recall', from: 'b', lock: 'jobs' } });
  expect(news()).toEqual(['b queued jobs 5']);
});

test('probes of an earlier epoch are dropped, and early ones answered with their epoch', () => {
  asks('b', 'jobs', 5);
  asks('c', 'jobs', 6);
  expect(asked()).toBe(2);
  serve(6, { jobs: 'c' });
  steps.next({ event: { type: 'install' } });
  expect([news(), asked()]).toEqual([['c queued jobs 6'], 0]);
  asks('b', 'jobs', 5);
  expect([news(), asked()]).toEqual([[], 0]);
});

test('an answer counts in its own epoch, and malformed messages are ignored', () => {
  answers('b', 'jobs', 5);
  answers('b', 'early', 4);
  answers('b', 'late', 6);
  for (const message of [
    { type: 'queued', lock: 7, epoch: 5 },
    { type: 'queued', lock: 'x', epoch: 0.5 },
    { type: 'other', lock: 'x', epoch: 5 },
  ])
    medium.received('b', { v: 1, name: NAME, message });
  medium.received('b', { v: 1, name: NAME, message: { type: 'queued', lock: 'x'.repeat(10_000), epoch: 5 } });
  expect([arrived, asked()]).toEqual([['jobs'], 0]);
});
