/** A chat in one order for all: a sender requests a place in the queue, and its predecessor gives it the next number. */
import { setTimeout as pause } from 'node:timers/promises';
import { firstValueFrom, fromEvent } from 'rxjs';
import { broadcastChannel } from '../adapters/transports/broadcast-channel.js';
import { linked } from '../adapters/linked.js';
import { createNode } from '../adapters/node/node.js';
import { queue, type Queued } from '../machines/queue/index.js';

const peers = ['ann', 'bob', 'cy', 'dan'];
const topology = { nodes: peers, links: peers.slice(1).map((peer) => ['ann', peer, 1] as const) };

/** Here the four share a process; they could as well be worker threads, or tabs of a browser. */
async function chat(id: string): Promise<string> {
  const talk = new BroadcastChannel('talk');
  const transport = linked(broadcastChannel({ id }), { peers });
  const node = createNode({ transport, protocol: queue, topology, options: { tau: 500 } });
  const screen: string[] = [];
  const numbers = [Promise.resolve(0)];
  let give = (_: number) => {};
  node.notifications$.subscribe(async (notification) => {
    const { requester } = notification as Queued;
    if (requester === id) give((await numbers.at(-2)!) + 1);
    else talk.postMessage({ to: requester, number: (await numbers.at(-1)!) + 1 });
  });
  talk.addEventListener('message', ({ data }) => (data.to === id ? give(data.number) : Object.assign(screen, data.shown)));
  for (const text of ['good morning', 'who is there?', 'see you']) {
    await pause(Math.random() * 50);
    numbers.push(new Promise((resolve) => (give = resolve)));
    node.command('request');
    screen[await numbers.at(-1)!] = `${id}: ${text}`;
    talk.postMessage({ shown: screen });
  }
  while (Object.keys(screen).length < 12) await firstValueFrom(fromEvent(talk, 'message'));
  await transport.close().finally(() => talk.close());
  return screen.slice(1).join('\n');
}

console.log([...new Set(await Promise.all(peers.map(chat)))].join('\n\n'));
