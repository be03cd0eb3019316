/** A composition of protocols in an application: nodes on a transport run it like any protocol. */
import { expect, onTestFinished, test } from 'vitest';
import { compose } from '../../machines/compose/index.js';
import { directory } from '../../machines/directory/index.js';
import { election } from '../../machines/election/index.js';
import { InProcessBus } from '../transports/in-process.js';
import { createNode } from './node.js';

test('a grant of one token requests the other, and the application releases both', async () => {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const relay = compose({ first: directory, second: directory }, { stack: [{ on: 'first.granted', do: 'second.request' }] });
  const topology = { nodes: ['a', 'b'], links: [['a', 'b', 1]] as [string, string, number][] };
  const hold = { hold: null };
  const [, node] = topology.nodes.map((id) =>
    createNode({ transport: bus.transport(id), protocol: relay, topology, options: { first: hold, second: hold } }),
  );
  const arrived: string[] = [];
  node!.notifications$.subscribe(({ type }) => arrived.push(type));
  await node!.ready;
  node!.command('first.request');
  await expect.poll(() => arrived).toEqual(['first.granted', 'second.granted']);
  node!.command('second.release');
  node!.command('first.release');
  await expect.poll(() => arrived.slice(2)).toEqual(['second.released', 'first.released']);
  expect(() => node!.command('second.request')).toThrow(/Use one of: first\.request, first\.release, second\.release\./);
  await node!.close();
});

test('two elections on one node both see their links', async () => {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const topology = { nodes: ['a', 'b', 'c'], links: [] };
  const logical = { clock: 'logical' };
  const nodes = topology.nodes.map((id) =>
    createNode({
      transport: bus.transport(id),
      protocol: compose({ x: election, y: election }),
      topology,
      options: { x: logical, y: logical },
    }),
  );
  const leaderIn = (role: string) => nodes.map((node) => node.role(role)?.context.height.lid[1]);
  await expect.poll(() => new Set([...leaderIn('x.election'), ...leaderIn('y.election')]).size).toBe(1);
  await Promise.all(nodes.map((node) => node.close()));
});
