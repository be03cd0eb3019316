/** The neighbors of a node, identified by name or port, and the guarantees that its transport must have. */
import { describe, expect, test } from 'vitest';
import { directoryCore as directory } from '../../machines/directory/core.js';
import { electionCore } from '../../machines/election/core.js';
import type { LinkEvent, Message } from '../../machines/effects.js';
import { exclusionCore } from '../../machines/exclusion/core.js';
import type { Core } from '../../machines/protocol.js';
import { tabsCore } from '../../machines/tabs/core.js';
import type { Guarantees } from '../transports/transport.js';
import { networkGraphOf, unlinkedGraph } from './graph.js';
import { Neighbors } from './neighbors.js';
import { PortTable } from './ports.js';
import { needsPresence, refuseUnsafe } from './safety.js';
import { watchers } from './watchers.js';

const word = { type: 'word' };
const hello = (isAnswer = false) => ({ type: 'node.hello', isAnswer });
const bye = { type: 'node.bye' };

describe('ports', () => {
  test('a peer gets the lowest free port, keeps it, and leaves it to the next', () => {
    const ports = new PortTable();
    expect([ports.of('b'), ports.peerAt(1)]).toEqual([undefined, undefined]);
    expect(['b', 'c', 'd'].map((peer) => ports.plugIn(peer))).toEqual([1, 2, 3]);
    expect([ports.of('c'), ports.peerAt(2), ports.peerAt(4)]).toEqual([2, 'c', undefined]);
    ports.unplug('c');
    expect([ports.of('c'), ports.peerAt(2), ports.of('d')]).toEqual([undefined, undefined, 3]);
    expect(ports.plugIn('e')).toBe(2);
    expect(ports.peerAt(2)).toBe('e');
  });
});

/** The neighbors of node `a`, the messages to them, and the link events of its charts. */
function neighborsOf(protocol: Core) {
  const reported: [string, Message][] = [];
  const arrived: LinkEvent[] = [];
  const neighbors = new Neighbors(
    'a',
    protocol,
    (to, message) => reported.push([to, message]),
    (event) => void arrived.push(event),
  );
  return { neighbors, reported, arrived };
}

describe('protocols with link events', () => {
  test('a new peer is greeted, and present once it answers; earlier messages are dropped', () => {
    const { neighbors, reported, arrived } = neighborsOf(electionCore);
    neighbors.handle('up', 'b');
    expect([reported, arrived]).toEqual([[['b', hello()]], []]);
    expect(neighbors.receive('b', word)).toBeNull();
    expect(neighbors.receive('b', hello(true))).toBeNull();
    expect(arrived).toEqual([{ type: 'link.up', peer: 'b' }]);
    expect(neighbors.receive('b', word)).toBe('b');
    expect(neighbors.send('b', word)).toBe(2);
    expect(reported[1]).toEqual(['b', word]);
  });

  test('a peer that leaves or goes down is a link that is down; later messages drop', () => {
    const { neighbors, arrived } = neighborsOf(electionCore);
    for (const peer of ['b', 'c']) neighbors.receive(peer, hello(true));
    arrived.length = 0;
    neighbors.handle('down', 'b');
    expect(neighbors.receive('c', bye)).toBeNull();
    expect(arrived).toEqual([
      { type: 'link.down', peer: 'b' },
      { type: 'link.down', peer: 'c' },
    ]);
    expect([neighbors.receive('b', word), neighbors.receive('c', word), neighbors.send('b', word)]).toEqual([null, null, 0]);
  });

  test('messages of a node to itself need no greeting', () => {
    const { neighbors, reported } = neighborsOf(electionCore);
    expect([neighbors.receive('a', word), reported]).toEqual(['a', []]);
  });

  test('a node that leaves sends a goodbye to all that may count it as present', () => {
    const { neighbors, reported } = neighborsOf(electionCore);
    neighbors.handle('up', 'b');
    neighbors.leave();
    expect(reported.at(-1)).toEqual(['b', bye]);
  });
});

describe('protocols with anonymous nodes', () => {
  test('each present peer has a port, and the charts are notified', () => {
    const { neighbors, reported, arrived } = neighborsOf(exclusionCore);
    for (const peer of ['c', 'b']) neighbors.receive(peer, hello(true));
    expect(arrived).toEqual([
      { type: 'link.up', peer: 1 },
      { type: 'link.up', peer: 2 },
    ]);
    expect([neighbors.receive('c', word), neighbors.receive('b', word), neighbors.receive('a', word)]).toEqual([1, 2, 0]);
    expect(neighbors.send(2, word)).toBe(1);
    expect(reported).toEqual([['b', word]]);
  });

  test('a port is reported down before it is free, and leads nowhere afterward', () => {
    const { neighbors, reported, arrived } = neighborsOf(exclusionCore);
    for (const peer of ['b', 'c']) neighbors.receive(peer, hello(true));
    arrived.length = 0;
    neighbors.handle('down', 'b');
    expect([arrived, neighbors.send(1, word), reported]).toEqual([[{ type: 'link.down', peer: 1 }], 0, []]);
    neighbors.receive('d', hello(true));
    expect([neighbors.ports.of('d'), neighbors.ports.of('c')]).toEqual([1, 2]);
  });
});

test('if a protocol routes, all peers are always reachable and none is greeted', () => {
  const { neighbors, reported, arrived } = neighborsOf(directory);
  neighbors.handle('up', 'b');
  neighbors.handle('down', 'b');
  expect([neighbors.receive('b', word), neighbors.receive('b', hello())]).toEqual(['b', 'b']);
  expect(neighbors.send('b', word)).toBe(1);
  neighbors.leave();
  expect([reported, arrived]).toEqual([[['b', word]], []]);
});

describe('requirements of protocols on transports', () => {
  const all: Guarantees = {
    order: 'fifo',
    loss: 'none',
    duplication: 'none',
    presence: 'reported',
    identity: 'checked',
    messageBytesMax: 1_000,
  };
  const [linkedCore, routedCore] = [electionCore, directory];
  const orderly = { ...routedCore, network: { ...routedCore.network, order: 'fifo' } } as Core;
  const lossy = { ...linkedCore, network: { ...linkedCore.network, isLossy: true } } as Core;
  const worst: Guarantees = { ...all, order: 'unordered', loss: 'possible', duplication: 'possible', presence: 'none' };

  test('presence is required by protocols with link events that tolerate no losses', () => {
    expect([linkedCore, routedCore, lossy].map(needsPresence)).toEqual([true, false, false]);
  });

  test('with all guarantees every protocol runs; without any, those that tolerate losses', () => {
    for (const core of [linkedCore, routedCore, orderly]) expect(() => refuseUnsafe(core, all)).not.toThrow();
    expect(() => refuseUnsafe(lossy, worst)).not.toThrow();
  });

  test.each<[string, Core, Partial<Guarantees>, string]>([
    ['losses', routedCore, { loss: 'possible' }, 'may lose messages'],
    ['duplicates', routedCore, { duplication: 'possible' }, 'may deliver messages twice'],
    ['no order, which the protocol needs', orderly, { order: 'unordered' }, 'may change their order'],
    ['no order, with link events', linkedCore, { order: 'unordered' }, 'may change their order'],
    ['no presence', linkedCore, { presence: 'none' }, 'does not report which peers are connected'],
    [
      'no guarantee',
      linkedCore,
      worst,
      'may lose messages and may deliver messages twice and may change their order and does not report which peers are connected',
    ],
  ])('refused with a fix: %s', (_, core, lacking, why) => {
    expect(() => refuseUnsafe(core, { ...all, ...lacking })).toThrow(
      `${core.name} is not safe on a transport that ${why}. Wrap the transport: linked(transport, { peers })`,
    );
  });

  test('a routing protocol needs neither order nor presence if it declares that', () => {
    const unordered = { ...routedCore, network: { ...routedCore.network, order: 'unordered' } } as Core;
    expect(() => refuseUnsafe(unordered, { ...all, order: 'unordered', presence: 'none' })).not.toThrow();
  });
});

describe('the graph', () => {
  const topology = { nodes: ['a', 'b'], links: [['a', 'b', 1]] as const };

  test('ranks the listed nodes and no others', () => {
    const { rank, distance } = networkGraphOf(directory, topology);
    expect([rank('a'), rank('b'), rank('c'), distance('a', 'b')]).toEqual([0, 1, -1, 1]);
  });

  test('returns the length of the shortest path, or that there is none', () => {
    const nodes = ['a', 'b', 'c', 'd', 'e', 'apart'];
    const links = [
      ['a', 'b', 5],
      ['a', 'c', 1],
      ['c', 'b', 1],
      ['b', 'd', 0],
      ['d', 'e', 3],
    ] as const;
    const { distance } = networkGraphOf(directory, { nodes, links });
    const from = (u: string) => nodes.map((v) => distance(u, v));
    expect([from('a'), from('e'), from('apart')]).toEqual([
      [0, 2, 1, 2, 5, Infinity],
      [5, 3, 4, 3, 0, Infinity],
      [Infinity, Infinity, Infinity, Infinity, Infinity, 0],
    ]);
  });

  test('rejects an unknown node in a link and in a question, with an error that names it', () => {
    const answer = 'node "x" is not in the topology. Name one of its 2 nodes';
    expect(() => networkGraphOf(directory, { nodes: ['a', 'b'], links: [['a', 'x', 1]] })).toThrow(answer);
    const { distance } = networkGraphOf(directory, topology);
    expect(() => distance('a', 'x')).toThrow(answer);
    expect(() => distance('x', 'a')).toThrow(answer);
  });

  test('of a node without links: it reaches only itself, and any valid id may connect', () => {
    const { topology: given, rank, distance } = unlinkedGraph(['a', 'b']);
    expect(given).toEqual({ nodes: ['a', 'b'], links: [] });
    expect([rank('b'), rank('c'), rank('constructor')]).toEqual([0, 0, -1]);
    expect([distance('a', 'a'), distance('a', 'b')]).toEqual([0, Infinity]);
  });

  test('of an open protocol accepts any valid id, with the same rank for all', () => {
    const { rank } = networkGraphOf(tabsCore, topology);
    expect([rank('b'), rank('c'), rank('constructor')]).toEqual([0, 0, -1]);
  });
});

test('observers of all nodes of a process are found in one place, by its name', () => {
  const watch = () => {};
  watchers().add(watch);
  expect([...(globalThis as any)[Symbol.for('xstate-quiver.watchers')]]).toContain(watch);
  watchers().delete(watch);
  expect(watchers()).not.toContain(watch);
});
