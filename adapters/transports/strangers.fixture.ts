/** Strangers at a WebSocket, for tests. */
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** A quick machine makes more connections a second than the limit of an address. Later ones wait for a free place. */
async function opened(url: string): Promise<WebSocket> {
  for (;;) {
    const raw = new WebSocket(url);
    raw.on('error', () => {});
    try {
      await once(raw, 'open');
      return raw;
    } catch (error) {
      if (!/503/.test(String(error))) throw error;
      await wait(50);
    }
  }
}

/** Sends each text on its own connection, sixteen at a time. Every second one begins with a hello. */
export async function onSockets(url: string, hello: string, texts: readonly string[]): Promise<void> {
  const waiting = [...texts.entries()];
  const speak = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const raw = await opened(url);
      if (next[0] % 2 === 0) raw.send(hello);
      raw.send(next[1]);
      raw.close();
      await once(raw, 'close');
    }
  };
  await Promise.all(Array.from({ length: 16 }, speak));
}
