// Three processes: one has the lock, another one waits for it, and the holder is killed (SIGKILL). How long until the other one has it?
import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../../dist/bench/measure.js';
import { ms, samplesInTurn } from './measure.mjs';
import { etcdServer, redisServer, start } from './servers.mjs';

const ROUNDS = 3;

/** @param argsOf the arguments of each of the three members. */
async function failOver(server, argsOf) {
  const members = [0, 1, 2].map((i) => start('lock-member.mjs', ...argsOf(server, i)));
  await Promise.all(members.map(({ nextMessage }) => nextMessage('ready')));
  const [holder, waiter] = members;
  holder.send('go');
  await holder.nextMessage('granted');
  waiter.send('go');
  await waiter.nextMessage('asks');
  // Longer than it takes to are in line.
  await pause(500);
  const granted = waiter.nextMessage('granted');
  const killed = performance.now();
  await holder.kill();
  await granted;
  const took = performance.now() - killed;
  await Promise.all(members.map(({ kill }) => kill()));
  await server.close();
  return took;
}

async function hub() {
  const process = start('hub.mjs');
  const { port } = await process.nextMessage('ready');
  return { port, close: process.kill };
}

const ids = ['a', 'b', 'c'];

export async function compareFailOver() {
  const samples = await samplesInTurn(ROUNDS, {
    'redlock, 5 s to live': async () => failOver(await redisServer(), ({ port }) => ['redlock', port]),
    'etcd3, a lease of 5 s': async () => failOver(await etcdServer(), ({ port }) => ['etcd', port]),
    'Quiver, WebSocket hub': async () =>
      failOver(await hub(), ({ port }, i) => ['quiver', ids[i], ids.join(), `ws://127.0.0.1:${port}`]),
  });
  return Object.entries(samples).map(([who, rounds]) => ({
    what: 'lock, its holder is killed',
    who,
    'until the next one has it': ms(median(rounds)),
    rounds: rounds.map(ms).join(', '),
  }));
}
