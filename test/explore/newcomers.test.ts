/** Nodes that join a network: the search finds out which they are. */
import { expect, test } from 'vitest';
import { controller } from '../../machines/controller/index.js';
import type { Property, Topology } from '../../machines/protocol.js';
import { explore } from './explore.js';
import { replay } from './replay.fixture.js';
import type { Scripted } from '../../network/world/script.js';

const pair: Topology = { nodes: ['n0', 'n1'], links: [['n0', 'n1', 1]] };
const all: Topology = {
  nodes: ['n0', 'n1', 'n1.1', 'n0.1'],
  links: [
    ['n0', 'n1', 1],
    ['n1', 'n1.1', 1],
    ['n0', 'n0.1', 1],
  ],
};
const options = { kind: 'main', W: 1, M: 3, parents: { n0: 'n0', n1: 'n0' } };
const ask = (node: string, name: string): Scripted => ({ do: 'command', node, name, fields: {} });
const commands = [ask('n1', 'child'), ask('n0', 'child'), ask('n1', 'take')];

test('newcomers behave as if they were in the topology from the start', () => {
  const { states, transitions, terminal, verdict } = explore(controller, { topology: all, options, commands });
  expect(explore(controller, { topology: pair, options, commands })).toMatchObject({ states, transitions, terminal, verdict });
  expect(verdict).toBe('valid');
});

test('a schedule in which a node joins runs in a network without that node', () => {
  const noJoin: Property = {
    name: 'no node joins under n1',
    description: 'made for a test',
    kind: 'always',
    holds: ({ nodes }) => nodes.get('n1.1')?.['main'] === undefined,
  };
  const { counterexample } = explore(controller, { topology: pair, options, commands, properties: [noJoin] });
  const { end } = replay(controller, pair, counterexample!, commands);
  expect([...end.nodes.keys()]).toEqual(['n0', 'n1', 'n1.1']);
  expect(noJoin).not.toSatisfy((p: Property & { kind: 'always' }) => p.holds(end));
});

test('an unlimited number of joins is rejected', () => {
  const unlimited = () =>
    explore(controller, { topology: pair, options: { ...options, M: 99 }, commands: { unlimited: ['child'] }, properties: [] });
  expect(unlimited).toThrow('More than 8 nodes join during the search, the last one "n');
});
