// Takes from a shared budget: one after the other and with 100 in flight, by one of several peers; and how many messages they cost.
import { createQuota } from '../../dist/adapters/quota.js';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { WebSocket } from 'ws';
import { linked } from '../../dist/adapters/linked.js';
import { webSocket } from '../../dist/adapters/transports/web-socket.js';
import { median } from '../../dist/bench/measure.js';
import { samplesInTurn, whole } from './measure.mjs';
import { redisServer, start } from './servers.mjs';

const [RUN_MS, ROUNDS, IN_FLIGHT, PLENTY] = [1_500, 3, 100, 1_000_000_000];

/** Takes per second, one after the other and with many in flight. */
async function rates(take) {
  const serial = await perSecond(1, take);
  const inFlight = await perSecond(IN_FLIGHT, () => Promise.all(Array.from({ length: IN_FLIGHT }, take)));
  return { serial, inFlight };
}

async function perSecond(takes, step) {
  for (let i = 0; i < 100; i++) await step();
  let steps = 0;
  const begin = performance.now();
  while (performance.now() - begin < RUN_MS) {
    for (let i = 0; i < 10; i++) await step();
    steps += 10;
  }
  return (1_000 * takes * steps) / (performance.now() - begin);
}

async function flexible() {
  const server = await redisServer();
  const redis = new Redis(server.port);
  const limiter = new RateLimiterRedis({ storeClient: redis, points: PLENTY, duration: 3_600 });
  const result = await rates(() => limiter.consume('budget'));
  await redis.quit();
  await server.close();
  return result;
}

/** The second of eight peers takes; the first is the root of the tree, and so not typical. */
async function quiver() {
  const hub = start('hub.mjs');
  const { port } = await hub.nextMessage('ready');
  const peers = Array.from({ length: 8 }, (_, i) => `peer ${i}`);
  const transports = peers.map((id) => linked(webSocket({ id, url: `ws://127.0.0.1:${port}`, WebSocket }), { peers }));
  const quotas = transports.map((transport) => createQuota({ transport, peers, budget: PLENTY, waste: PLENTY / 10 }));
  await Promise.all(quotas.map(({ ready }) => ready));
  const result = await rates(() => quotas[1].take());
  await Promise.all(transports.map((transport) => transport.close()));
  await hub.kill();
  return result;
}

export async function quota() {
  const samples = await samplesInTurn(ROUNDS, {
    'rate-limiter-flexible, Redis': flexible,
    'Quiver, eight peers, a tenth may be wasted': quiver,
  });
  return Object.entries(samples).map(([who, rounds]) => ({
    what: 'quota',
    who,
    'takes/s, one by one': whole(median(rounds.map(({ serial }) => serial))),
    [`takes/s, ${IN_FLIGHT} in flight`]: whole(median(rounds.map(({ inFlight }) => inFlight))),
  }));
}
