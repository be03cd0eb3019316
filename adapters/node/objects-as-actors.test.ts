/** Equal behavior of an object and of the actor of its node, from start to end. */
import { createNames } from '../names.js';
import { createQuota } from '../quota.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { waitFor, type AnyActor } from 'xstate';
import { createBank } from '../controller/bank.js';
import { createElection } from '../election.js';
import { createLocks } from '../locks/locks.js';
import { Neighborhood } from '../neighborhood.js';
import { InProcessBus } from '../transports/in-process.js';
import type { LiveNode } from './node.js';
import type { NodeActor } from './node-logic.js';

interface Shell {
  readonly node: LiveNode;
  readonly actor: NodeActor;
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

function placesOf(...peers: readonly string[]) {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  return peers.map((id) => ({ transport: bus.transport(id), peers }));
}
const alone = () => placesOf('a')[0]!;

const notificationsOf = (actor: AnyActor) => {
  const arrived: string[] = [];
  actor.on('*', ({ type }) => arrived.push(type));
  return arrived;
};

const shells: readonly [name: string, make: () => Shell, use: (shell: any) => Promise<unknown>, notification: string][] = [
  ['locks', () => createLocks(alone()), (locks) => locks.request('printer', () => {}), 'lock.granted'],
  [
    'election',
    () => placesOf('a', 'b').map(createElection)[1]!,
    async (election) => await expect.poll(() => election.status().unconfirmed).toEqual([]),
    'leader',
  ],
  ['quota', () => createQuota({ ...alone(), budget: 3 }), (quota) => quota.take(4), 'rejected'],
  ['names', () => createNames(alone()), (names) => names.next(), 'named'],
  ['bank', () => createBank(alone()), (bank) => bank.deposit(1), 'deposited'],
  ['neighborhood', () => new Neighborhood(alone()), (neighborhood) => neighborhood.lock(), 'locked'],
];

test.each(shells)('%s', async (_, make, use, notification) => {
  const shell = make();
  const { actor } = shell;
  expect(shell.actor).toBe(actor);
  const arrived = notificationsOf(actor);
  await shell.ready;
  await use(shell);
  await waitFor(actor, ({ roles }) => Object.keys(roles).length > 0);
  expect(arrived).toContain(notification);
  expect(actor.getSnapshot()).toMatchObject({ status: 'active', roles: shell.node.view() });
  await shell.close();
  await waitFor(actor, ({ status }) => status !== 'active');
  expect(actor.getSnapshot()).toMatchObject({ status: 'done', error: undefined });
});

test('locks perform the events sent to their actor; stopping it closes them', async () => {
  const locks = createLocks(alone());
  const { actor } = locks;
  await locks.ready;
  actor.send({ type: 'request', lock: 'printer' });
  await waitFor(actor, ({ roles }) => 'lock printer' in roles);
  expect(locks.node.role('lock printer')).toBeDefined();
  actor.stop();
  await expect(locks.request('printer', () => {})).rejects.toThrow('closed');
});

test('an object that fails ends its actor with the error, which is reported once', async () => {
  const uncaught = vi.fn<(error: unknown) => void>();
  process.on('uncaughtException', uncaught);
  onTestFinished(() => void process.off('uncaughtException', uncaught));
  const [place] = placesOf('a');
  const quota = createQuota({ ...place!, budget: 3 });
  const { actor } = quota;
  await quota.ready;
  await place!.transport.close();
  await quota.node.closed;
  await waitFor(actor, ({ status }) => status === 'error');
  expect((actor.getSnapshot() as { error?: unknown }).error).toMatchObject({ name: 'ClosedError' });
  await new Promise((resolve) => setTimeout(resolve));
  expect(uncaught).not.toHaveBeenCalled();
});
