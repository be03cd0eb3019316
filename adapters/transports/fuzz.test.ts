/** Nodes of every protocol, and a peer that sends arbitrary messages: malformed ones change nothing and end no node. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { protocols } from '../../machines/index.js';
import type { Protocol } from '../../machines/protocol.js';
import { fuzz } from './fuzz.fixture.js';
import { InProcessBus } from './in-process.js';
import { createNode, type LiveNode } from '../node/node.js';
import type { Json, Transport } from './transport.js';

const nodes = ['a', 'b', 'c'];
const links = [
  ['a', 'b', 1],
  ['a', 'c', 1],
  ['b', 'c', 1],
] as [string, string, number][];
const tree = { root: 'a', parents: { a: 'a', b: 'a', c: 'a' } };

const OPTIONS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  controller: { kind: 'modified', M: 20, W: 5, ...tree },
  directory: { hold: null },
  link: { session: 1 },
  queue: { tree: 'fixed', ...tree },
};

/** Types that its charts accept, and fields that at least one of them reads. */
const typesOf = (protocol: Protocol): string[] =>
  Object.values(protocol.charts).flatMap(({ events }) => (events as string[]).filter((type) => !type.startsWith('xstate.')));
const FIELDS = [
  'epoch',
  'lock',
  'fence',
  'producer',
  'visited',
  'edge',
  'height',
  'hello',
  'stamp',
  'tables',
  'of',
  'amount',
  'permits',
];
const FURTHER = [
  'using',
  'served',
  'links',
  'changes',
  'members',
  'holders',
  'session',
  'number',
  'phi',
  'value',
  'frame',
  'peer',
];
const likely = fc.oneof(
  fc.constantFrom<unknown>(...fuzz),
  fc.constantFrom<unknown>('a', 'b', 'x', 'tree', 0, 1, -1, 2 ** 60, [], ['a'], [['x', 'a']], {}, null, true),
);
const messageOf = (protocol: Protocol) =>
  fc
    .tuple(fc.constantFrom(...typesOf(protocol)), fc.dictionary(fc.constantFrom(...FIELDS, ...FURTHER), likely, { maxKeys: 6 }))
    .map(([type, fields]) => ({ ...fields, type }));

async function withPeer<T>(
  protocol: Protocol,
  body: (node: LiveNode, sendText: (message: unknown) => void) => Promise<T>,
): Promise<T> {
  const bus = new InProcessBus();
  const topology = { nodes, links: protocol.name === 'controller' ? links.slice(0, 2) : links };
  const b: Transport = bus.transport('b');
  const node = createNode({ transport: bus.transport('a'), protocol, topology, options: OPTIONS[protocol.name] ?? {} });
  const sendText = (message: unknown) => b.send('a', { v: 1, name: protocol.name, message } as Json);
  try {
    await Promise.all([node.ready, b.connect()]);
    sendText({ type: 'node.hello', isAnswer: false });
    return await body(node, sendText);
  } finally {
    await node.close();
    bus.close();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test.each(Object.values(protocols).map((protocol) => [protocol.name, protocol] as const))('%s', async (_, protocol) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  let dropped = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(messageOf(protocol), { minLength: 5, maxLength: 20 }), async (messages) => {
      await withPeer(protocol, async (node, sendText) => {
        let closed: unknown = 'no';
        void node.closed.then((error) => (closed = error));
        for (const message of messages) sendText(message);
        await settled();
        expect(closed).toBe('no');
        dropped += node.drops.count;
      });
    }),
    { numRuns: 30, seed: 3 },
  );
  expect(dropped).toBeGreaterThan(100);
  expect('polluted' in {}).toBe(false);
  warn.mockRestore();
});
