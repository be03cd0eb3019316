import { expect, onTestFinished, test } from 'vitest';
import { linkCore } from '../machines/link/index.js';
import { linked, type LinkedOptions } from './linked.js';
import type { LiveNode } from './node/node.js';
import { watchers } from './node/watchers.js';
import { InProcessBus } from './transports/in-process.js';

const kinds: readonly (readonly [what: string, options: Partial<LinkedOptions>])[] = [
  ['with the default detector', {}],
  ['with another detector', { beatMs: 7, patience: 3 }],
  ['without relays', { relay: false }],
];

/** Chance that draws the largest numbers that no bound up to 1000 draws again. */
const largest = { getRandomValues: (words: Uint32Array) => words.fill(2 ** 32 - 1000), randomUUID: () => '' } as never;

// A recorded trace is read again as a scenario, and the core that `linked` carries reads none.
test.each(kinds)('a link layer %s uses the same options as a scenario', async (_, options) => {
  const nodes: LiveNode[] = [];
  const watch = (node: object) => void nodes.push(node as LiveNode);
  watchers().add(watch);
  onTestFinished(() => void watchers().delete(watch));
  const transport = linked(new InProcessBus().transport('a'), { peers: ['a', 'b', 'c'], crypto: largest, ...options });
  await transport.connect();
  const { instance, scenario } = nodes.find(({ protocol }) => protocol.name === 'link')!;
  // A scenario has no guests.
  expect({ ...linkCore.options(scenario.options, instance), guestsMax: 0 }).toEqual(instance.options);
  expect(scenario.topology).toBe(instance.topology);
  await transport.close();
});
