/** Two live nodes of a directory, for tests. */
import { onTestFinished } from 'vitest';
import { createNode, type LiveNode } from '../../adapters/node/node.js';
import { InProcessBus } from '../../adapters/transports/in-process.js';
import { directory } from '../../machines/directory/index.js';

/** `a`, which has the token, and `b`, on a bus that ends with the test. */
export function livePair(): readonly [LiveNode, LiveNode] {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const topology = { nodes: ['a', 'b'], links: [['a', 'b', 1]] as [string, string, number][] };
  const make = (id: string) =>
    createNode({ transport: bus.transport(id), protocol: directory, topology, options: { hold: null } });
  return [make('a'), make('b')];
}
