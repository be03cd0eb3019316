import { expect, test } from 'vitest';
import { locksCore } from '../../machines/locks/index.js';
import { InProcessBus } from '../transports/in-process.js';
import { createLocksNode, type PeerOptions } from './locks-node.js';

const storage = { load: async () => null, save: async () => {} };

const kinds: readonly (readonly [what: string, options: Partial<PeerOptions>])[] = [
  ['a peer', {}],
  ['a peer by itself', { peers: ['a'] }],
  ['a peer with storage', { storage }],
  ['a peer whose grants are confirmed', { confirm: true }],
  ['a peer that comes later', { peers: [] }],
  ['a tab', { peers: [], tabs: true }],
  ['a client', { peers: ['c', 'b'], client: true }],
];

// A recorded trace is read again as a scenario, but the core of a peer does not read one.
test.each(kinds)('%s has the same options as the equivalent scenario', async (_, options) => {
  const transport = new InProcessBus().transport('a');
  const node = createLocksNode({ transport, peers: ['c', 'a', 'b'], name: 'locks', ...options });
  const { instance, scenario } = node;
  expect(locksCore.options(scenario.options, instance)).toEqual(instance.options);
  expect(scenario.topology).toBe(instance.topology);
  await node.close();
});
