/** Heartbeats of idle links: few frames, and failures are still noticed within the patience. */
import { expect, onTestFinished, test } from 'vitest';
import { beats, byWay, clock, cluster, pair, receivedBy, turns, wireOf } from './linked.fixture.js';
import { linked } from './linked.js';

const ids = (count: number) => Array.from({ length: count }, (_, i) => `p${i}`);

test('twenty idle peers exchange 760 frames a second in sum', async () => {
  const { sent, time } = await cluster(ids(20));
  await beats(time, 20);
  sent.splice(0);
  await beats(time, 100);
  expect(sent).toHaveLength(10 * 20 * 19 * 2);
});

test('a lost message is repeated after one beat, and then the link is idle again', async () => {
  const { sent, time, wire, a, receivedB } = await pair();
  await beats(time, 12);
  wire.isCut = (from) => from === 'a';
  a.send('b', 'lost');
  await turns();
  wire.isCut = () => false;
  await beats(time, 2);
  expect(receivedB.at(-1)).toBe('a: "lost"');
  await beats(time, 10);
  sent.splice(0);
  await beats(time, 50);
  expect(sent).toHaveLength(20);
});

test('peers that are linked through a third one send a frame in each beat', async () => {
  const { sent, time } = await byWay();
  sent.splice(0);
  await beats(time, 20);
  const between = sent.filter(([from, to]) => from !== 'b' && to !== 'b');
  expect(between).toHaveLength(2 * 20);
});

test('requests and replies cost at most one heartbeat for each beat and direction', async () => {
  const { sent, time, a, b } = await pair();
  b.events.subscribe((event) => event.type === 'message' && b.send('a', event.message));
  await beats(time, 12);
  sent.splice(0);
  for (let i = 0; i < 400; i++) {
    a.send('b', i);
    await beats(time, 1, 5);
  }
  // 400 requests, 400 replies, and the heartbeats of 20 beats.
  expect(sent.length).toBeLessThanOrEqual(400 + 400 + 2 * 20);
});

test.each([0, 1, 2, 3, 4])('an outage of 25 beats that begins %i beats after a heartbeat takes no link down', async (phase) => {
  const { time, wire, receivedA, receivedB } = await pair();
  await beats(time, 10 + phase);
  wire.isCut = () => true;
  await beats(time, 25);
  wire.isCut = () => false;
  await beats(time, 20);
  expect([receivedA, receivedB]).toEqual([['b up'], ['a up']]);
});

test.each([0, 1, 2, 3, 4])('a peer that falls silent %i beats after a heartbeat is down within 36 beats', async (phase) => {
  const { time, wire, receivedA } = await pair();
  await beats(time, 10 + phase);
  wire.isCut = () => true;
  await beats(time, 36);
  expect(receivedA).toEqual(['b up', 'b down']);
});

/** A voter and a client, which the voter lists or does not. */
async function withClient(isListed: boolean) {
  const [time, net] = [clock(), wireOf({ loss: 'possible' })];
  const voter = linked(net.transport('v'), { peers: isListed ? ['x'] : [], open: true, clock: time });
  const client = linked(net.transport('x'), { peers: ['v'], client: true, clock: time });
  const [receivedVoter, receivedClient] = [voter, client].map(receivedBy);
  await Promise.all([voter.connect(), client.connect()]);
  onTestFinished(async () => {
    for (const peer of [voter, client]) void peer.close();
    await beats(time, 40);
  });
  return { ...net, time, received: () => [receivedVoter, receivedClient] };
}

const phases = [true, false].flatMap((isListed) => [0, 3, 6, 9].map((phase) => ({ isListed, phase })));

test.each(phases)('an outage of 20 beats takes no link of a client down: %o', async ({ isListed, phase }) => {
  const { time, wire, received } = await withClient(isListed);
  await beats(time, 20 + phase);
  wire.isCut = () => true;
  await beats(time, 20);
  wire.isCut = () => false;
  await beats(time, 20);
  expect(received()).toEqual([['x up'], ['v up']]);
});

test.each(phases)('a voter and its client notice silence within 41 beats: %o', async ({ isListed, phase }) => {
  const { time, wire, received } = await withClient(isListed);
  await beats(time, 20 + phase);
  wire.isCut = () => true;
  await beats(time, 41);
  expect(received()).toEqual([
    ['x up', 'x down'],
    ['v up', 'v down'],
  ]);
});

test.each([3, 6, 12])('a peer with a patience of %i beats probes an idle one in time', async (patience) => {
  const time = clock();
  const net = wireOf({ loss: 'possible' });
  const peers = ['a', 'b'];
  const all = peers.map((id) => linked(net.transport(id), { peers, clock: time, ...(id === 'a' && { patience }) }));
  const [receivedA, receivedB] = all.map(receivedBy);
  await Promise.all(all.map((peer) => peer.connect()));
  onTestFinished(async () => {
    for (const peer of all) void peer.close();
    await beats(time, 40);
  });
  await beats(time, 60);
  expect([receivedA, receivedB]).toEqual([['b up'], ['a up']]);
});
