/** Links with peers that are in no list: they need no entry, leave nothing behind, and clients do not link with each other. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { VirtualClock } from '../network/clock.js';
import { beats, clock, receivedBy, turns, warnings, wireOf } from './linked.fixture.js';
import { linked, type LinkedOptions } from './linked.js';
import type { LiveNode } from './node/node.js';
import { watchers } from './node/watchers.js';

/** The link nodes that are created in this test. */
function nodes(): ReadonlyMap<string, LiveNode> {
  const made = new Map<string, LiveNode>();
  const watch = (node: object) => {
    if ((node as LiveNode).protocol.name === 'link') made.set((node as LiveNode).id, node as LiveNode);
  };
  watchers().add(watch);
  onTestFinished(() => void watchers().delete(watch));
  return made;
}

async function started(time: VirtualClock, net: ReturnType<typeof wireOf>, id: string, options: Omit<LinkedOptions, 'clock'>) {
  const transport = linked(net.transport(id), { clock: time, ...options });
  const received = receivedBy(transport);
  await transport.connect();
  onTestFinished(async () => {
    void transport.close();
    await beats(time, 40);
  });
  return { transport, received };
}

async function withVoter(options: Partial<LinkedOptions> = {}) {
  const [time, net, made] = [clock(), wireOf({ loss: 'possible', order: 'unordered' }), nodes()];
  const voter = await started(time, net, 'v', { peers: ['v'], open: true, ...options });
  const client = (id: string, peers = ['v']) => started(time, net, id, { peers, client: true });
  return { time, net, voter, client, rolesOfVoter: () => Object.keys(made.get('v')!.view()) };
}

test('a client in no list links, exchanges messages, and is forgotten when it leaves', async () => {
  const { time, voter, client, rolesOfVoter } = await withVoter();
  const x = await client('x');
  await beats(time, 2);
  expect([voter.received, x.received]).toEqual([['x up'], ['v up']]);
  x.transport.send('v', 'hello');
  voter.transport.send('x', 'welcome');
  await beats(time, 2);
  expect([voter.received.at(-1), x.received.at(-1)]).toEqual(['x: "hello"', 'v: "welcome"']);
  expect(rolesOfVoter()).toEqual(['guests', 'link x']);
  void x.transport.close();
  await beats(time, 2);
  expect(voter.received.at(-1)).toBe('x down');
  expect(rolesOfVoter()).toEqual(['guests']);
});

test('without open, a peer in no list is ignored', async () => {
  const { time, voter, client } = await withVoter({ open: false });
  await client('x');
  await beats(time, 5);
  expect(voter.received).toEqual([]);
});

test('a crashed client is gone after the patience, and forgotten after another one', async () => {
  const { time, net, voter, client, rolesOfVoter } = await withVoter();
  await client('x');
  await beats(time, 2);
  net.wire.isCut = () => true;
  await beats(time, 41);
  expect(voter.received).toEqual(['x up', 'x down']);
  expect(rolesOfVoter()).toEqual(['guests', 'link x']);
  await beats(time, 32);
  expect(rolesOfVoter()).toEqual(['guests']);
});

test.each([35, 90])('a client that was cut off for %i beats links again, and loses nothing new', async (count) => {
  const { time, net, voter, client } = await withVoter();
  const x = await client('x');
  await beats(time, 2);
  x.transport.send('v', 'before');
  await beats(time, 2);
  net.wire.isCut = () => true;
  await beats(time, count);
  net.wire.isCut = () => false;
  await beats(time, 10);
  x.transport.send('v', 'after');
  await beats(time, 3);
  expect(voter.received).toEqual(['x up', 'x: "before"', 'x down', 'x up', 'x: "after"']);
  expect(x.received).toEqual(['v up', 'v down', 'v up']);
});

test('a late frame of a forgotten client opens nothing', async () => {
  const { time, net, client, rolesOfVoter } = await withVoter();
  const x = await client('x');
  await beats(time, 2);
  x.transport.send('v', 'late');
  await turns();
  const late = net.sent.filter(([from]) => from === 'x').map(([, , message]) => message);
  void x.transport.close();
  await beats(time, 3);
  for (const frame of late) net.ends.get('v')!.received('x', frame);
  await beats(time, 2);
  expect(rolesOfVoter()).toEqual(['guests']);
});

test('frames in the name of 2,000 ids that receive nothing use no memory', async () => {
  const { time, net, voter, client, rolesOfVoter } = await withVoter();
  await client('x');
  await beats(time, 2);
  const [, , frame] = net.sent.find(([from]) => from === 'x')!;
  for (let i = 0; i < 2_000; i++) net.ends.get('v')!.received(`forged-${i}`, frame);
  await beats(time, 1);
  expect(rolesOfVoter()).toEqual(['guests', 'link x']);
  expect(voter.received).toEqual(['x up']);
});

test('200 clients come and go, in turn and together, and nothing of them stays', async () => {
  const { time, net, voter, client, rolesOfVoter } = await withVoter();
  for (let round = 0; round < 4; round++) {
    const all = await Promise.all(Array.from({ length: 50 }, (_, i) => client(`client-${round}-${i}`)));
    await beats(time, 2);
    expect(voter.transport.peers.size).toBe(50);
    // Half of them crash.
    for (const [i, { transport }] of all.entries()) if (i % 2 === 0) void transport.close();
    net.wire.isCut = (from) => from !== 'v' && Number(from.split('-')[2]) % 2 === 1;
    await beats(time, 70);
    for (const { transport } of all) void transport.close();
    await beats(time, 40);
    net.wire.isCut = () => false;
  }
  expect(rolesOfVoter()).toEqual(['guests']);
  expect(voter.transport.peers.size).toBe(0);
  expect(voter.received.filter((text) => text.endsWith(' up'))).toHaveLength(200);
  expect(voter.received.filter((text) => text.endsWith(' down'))).toHaveLength(200);
});

test('two clients that list each other link with the voter only, without a warning', async () => {
  const texts = warnings();
  const { time, net, client } = await withVoter();
  const [x, y] = [await client('x', ['v', 'x', 'y']), await client('y', ['v', 'x', 'y'])];
  await beats(time, 10);
  expect([x.received, y.received]).toEqual([['v up'], ['v up']]);
  net.sent.splice(0);
  await beats(time, 20);
  expect(net.sent.filter(([from, to]) => from !== 'v' && to !== 'v')).toEqual([]);
  expect(texts()).toEqual([]);
});

test.each([
  ['a peer relays', false, ['x up', 'v up']],
  ['a client does not', true, ['x up', 'v up', 'v down']],
])('two voters that do not reach each other: %s', async (_, client, expected) => {
  const [time, net] = [clock(), wireOf({ loss: 'possible' })];
  const peers = ['u', 'v', 'x'];
  const [u] = await Promise.all(peers.map((id) => started(time, net, id, { peers, client: client && id === 'x' })));
  await beats(time, 5);
  net.wire.isCut = (from, to) => from !== 'x' && to !== 'x';
  await beats(time, 60);
  expect(u!.received.toSorted()).toEqual(expected.toSorted());
});

test('beyond the limit of guests, the next one is refused with a warning', async () => {
  const key = Symbol.for('xstate-quiver.limits');
  const { limitsHere } = await import('./limits.js');
  vi.stubGlobal(key as never, { ...limitsHere(), guests: 1 });
  onTestFinished(() => void vi.unstubAllGlobals());
  const texts = warnings();
  const { time, voter, client } = await withVoter();
  await client('x');
  await beats(time, 2);
  await client('y');
  await beats(time, 3);
  expect(voter.received).toEqual(['x up']);
  expect(texts().join()).toContain('"y" is refused: the limit is 1 peers that are in no list');
});
