/** Strangers at a WebSocket, for tests. */
import { once } from 'node:events';
import { WebSocket } from 'ws';

/** Each on a connection of its own, sixteen at a time: every other one says hello first. */
export async function onSockets(url: string, hello: string, texts: readonly string[]): Promise<void> {
  const waiting = [...texts.entries()];
  const speak = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const raw = new WebSocket(url);
      raw.on('error', () => {});
      await once(raw, 'open');
      if (next[0] % 2 === 0) raw.send(hello);
      raw.send(next[1]);
      raw.close();
      await once(raw, 'close');
    }
  };
  await Promise.all(Array.from({ length: 16 }, speak));
}
