/** A chat in one order for all: `createMulticast` delivers every line at the same place on every screen, without a server. */
import { setTimeout as pause } from 'node:timers/promises';
import { createMulticast } from 'xstate-quiver/queue';
import { broadcastChannel, linked } from 'xstate-quiver/transports';

const peers = ['ann', 'bob', 'cy', 'dan'];
const texts = ['good morning', 'who is there?', 'see you'];

/** Here the four share a process; they could as well be worker threads, or tabs of a browser. */
async function chat(id: string): Promise<string> {
  const transport = linked(broadcastChannel({ id }), { peers });
  const multicast = createMulticast<string>({ transport, peers });
  const screen: string[] = [];
  const complete = new Promise<void>((resolve) =>
    multicast.addEventListener('message', (event) => {
      const { peer, message } = (event as CustomEvent<Awaited<ReturnType<typeof multicast.send>>>).detail;
      screen.push(`${peer}: ${message}`);
      if (screen.length === peers.length * texts.length) resolve();
    }),
  );
  for (const text of texts) {
    await pause(Math.random() * 50);
    await multicast.send(text);
  }
  await complete;
  await transport.close();
  return screen.join('\n');
}

console.log([...new Set(await Promise.all(peers.map(chat)))].join('\n\n'));
