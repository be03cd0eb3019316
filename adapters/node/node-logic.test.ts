import { createActor, setup, waitFor, type AnyActor } from 'xstate';
import { expect, onTestFinished, test } from 'vitest';
import { directory } from '../../machines/directory/index.js';
import { InProcessBus } from '../transports/in-process.js';
import { createNode } from './node.js';
import type { NodeOptions } from './node-options.js';
import { nodeLogic } from './node-logic.js';

const peers = ['a', 'b'];
const topology = { nodes: peers, links: [['a', 'b', 1]] as [string, string, number][] };

function bus(): InProcessBus {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  return bus;
}

const inputOf = (bus: InProcessBus, id: string): NodeOptions => ({
  transport: bus.transport(id),
  protocol: directory,
  topology,
  options: { hold: null },
});

const node = nodeLogic<NodeOptions>(createNode);

const started = (actor: AnyActor) => waitFor(actor, ({ roles }) => Object.keys(roles).length > 0);

test('a machine invokes a node, receives its notifications and sends it commands', async () => {
  const shared = bus();
  const machine = setup({ types: { input: {} as NodeOptions, context: {} as NodeOptions }, actors: { node } }).createMachine({
    context: ({ input }) => input,
    invoke: { id: 'node', src: 'node', input: ({ context }) => context },
    initial: 'waiting',
    states: {
      waiting: {
        entry: ({ self }) => queueMicrotask(() => self.getSnapshot().children['node']!.send({ type: 'request' })),
        on: { granted: 'working' },
      },
      working: {},
    },
  });
  const actors = peers.map((id) => createActor(machine, { input: inputOf(shared, id) }));
  onTestFinished(() => actors.forEach((actor) => void actor.stop()));
  for (const actor of actors) actor.start();
  await Promise.race(actors.map((actor) => waitFor(actor, (snapshot) => snapshot.matches('working'))));
  expect(actors.filter((actor) => actor.getSnapshot().matches('working'))).toHaveLength(1);
});

test('an unknown or impossible command is ignored', async () => {
  const actor = createActor(node, { input: inputOf(bus(), 'a') }).start();
  await started(actor);
  const before = actor.getSnapshot().roles;
  actor.send({ type: 'release' });
  actor.send({ type: 'pray' });
  expect(actor.getSnapshot()).toMatchObject({ status: 'active', roles: before });
  actor.stop();
});

test('a node that ends ends its actor with the error', async () => {
  const shared = bus();
  const input = inputOf(shared, 'a');
  const actor = createActor(node, { input }).start();
  actor.subscribe({ error: () => {} });
  await started(actor);
  await input.transport.close();
  await expect.poll(() => actor.getSnapshot().status).toBe('error');
  expect((actor.getSnapshot() as { error?: unknown }).error).toMatchObject({ name: 'ClosedError' });
});

test("a snapshot is plain data, shows the node's chart, and restores its ports", async () => {
  const input = inputOf(bus(), 'a');
  const first = createActor(node, { input }).start();
  await started(first);
  first.send({ type: 'request' });
  await waitFor(first, ({ roles }) => typeof (roles['directory']!.value as { holding?: unknown }).holding === 'object');
  const stored = JSON.stringify(first.getPersistedSnapshot());
  first.stop();
  const bound = nodeLogic<NodeOptions>((stored) => createNode({ ...stored, ...input }));
  const again = createActor(bound, { snapshot: JSON.parse(stored), input }).start();
  await started(again);
  expect(again.getSnapshot().roles['directory']!.value).toEqual({ holding: { using: 'last' } });
  again.send({ type: 'release' });
  await waitFor(again, ({ roles }) => (roles['directory']!.value as { holding?: string }).holding === 'idle');
  again.stop();
});

test('an actor that stops closes its node, keeps its roles, and ignores later events', async () => {
  const input = inputOf(bus(), 'a');
  const actor = createActor(node, { input }).start();
  await started(actor);
  actor.send({ type: 'request' });
  const { roles } = actor.getSnapshot();
  actor.stop();
  expect(actor.getSnapshot()).toEqual({ status: 'stopped', error: undefined, output: undefined, input, roles });
  const another = createNode(input);
  await another.ready;
  await another.close();
});

test('an actor without a parent emits its notices to its listeners', async () => {
  const actor = createActor(node, { input: inputOf(bus(), 'a') });
  const notified: string[] = [];
  actor.on('*', ({ type }) => notified.push(type));
  actor.start();
  await started(actor);
  for (const type of ['request', 'release']) actor.send({ type });
  expect(notified).toEqual(['granted', 'released']);
  actor.stop();
});
