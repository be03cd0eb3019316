/** The host of an application's charts: XState takes each step once, later ones come from memory unless an inspector is attached. */
import { createActor, createMachine, log, setup, StateMachine } from 'xstate';
import { expect, onTestFinished, test, vi } from 'vitest';
import { directory } from '../../machines/directory/index.js';
import { effects } from '../../machines/effects.js';
import type { Protocol } from '../../machines/protocol.js';
import { InProcessBus } from '../transports/in-process.js';
import { adopted } from './host.js';
import { createNode, type LiveNode } from './node.js';
import type { NodeOptions } from './node-options.js';

const alone = { nodes: ['a'], links: [] };

async function started(options: Partial<NodeOptions> = {}): Promise<LiveNode> {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const node = createNode({
    transport: bus.transport('a'),
    protocol: directory,
    topology: alone,
    options: { hold: null },
    ...options,
  });
  await node.ready;
  return node;
}

/** Number of transitions that XState computes in fifty grants, after the first one. */
async function askedOfXState(options: Partial<NodeOptions>): Promise<number> {
  const node = await started(options);
  const grant = () => {
    node.command('request');
    node.command('release');
  };
  grant();
  const asked = vi.spyOn(StateMachine.prototype, 'getTransitionData');
  onTestFinished(() => asked.mockRestore());
  for (let i = 0; i < 50; i++) grant();
  const { length } = asked.mock.calls;
  asked.mockRestore();
  return length;
}

test('known steps come from memory', async () => {
  expect(await askedOfXState({})).toBe(0);
});

test('an inspector sees actors and each of their steps', async () => {
  const inspect = vi.fn();
  expect(await askedOfXState({ inspect })).toBeGreaterThanOrEqual(100);
  expect(inspect).toHaveBeenCalledWith(expect.objectContaining({ type: '@xstate.actor' }));
});

test('a chart with side effects is refused here as in the checker', async () => {
  const chart = setup({ actions: effects() }).createMachine({ on: { request: { actions: log('asked') } } });
  const protocol = {
    ...directory,
    name: 'talker',
    charts: { talker: chart },
    roles: () => [{ role: 'talker', chart: 'talker', input: {} }],
    route: () => 'talker',
  } as Protocol;
  const node = await started({ protocol, options: {} });
  node.command('request');
  await expect(node.closed).resolves.toMatchObject({
    message:
      'node a: its step for "request" failed: A chart used "xstate.log". Charts are pure: use the effects that xstate-quiver exports, such as send and arm.',
  });
});

test('an inspector sees nodes created under its actor system, while it is attached', async () => {
  const seen: string[] = [];
  const parent = createActor(createMachine({ id: 'parent' }), {
    inspect: ({ type, actorRef }) => {
      if (type === '@xstate.actor' && 'logic' in actorRef && actorRef.logic instanceof StateMachine) seen.push(actorRef.logic.id);
    },
  }).start();
  const before = await started();
  const inner = adopted(parent, () => started());
  const after = await started();
  const failing = () => {
    throw new Error('mine');
  };
  expect(() => adopted(parent, failing)).toThrow('mine');
  const last = await started();
  for (const node of [before, await inner, after, last]) node.command('request');
  expect(seen.filter((id) => id === 'directory')).toHaveLength(1);
});
