import { expect, test } from 'vitest';
import { InProcessBus } from '../adapters/transports/in-process.js';
import { severed } from './severed.js';

test('messages to unreachable peers are lost, all others arrive', async () => {
  const bus = new InProcessBus();
  const [a, b, c] = ['a', 'b', 'c'].map((id) => severed(bus.transport(id))) as [ReturnType<typeof severed>, ...any[]];
  const received: unknown[] = [];
  for (const transport of [a, b, c]) {
    transport.events.subscribe(
      (event: any) => event.type === 'message' && received.push([event.from, transport.id, event.message]),
    );
    await transport.connect();
  }
  a.cut(['b']);
  a.send('b', 1);
  a.send('c', 2);
  b.send('a', 3);
  await expect
    .poll(() => received)
    .toEqual([
      ['a', 'c', 2],
      ['b', 'a', 3],
    ]);
  a.cut([]);
  a.send('b', 4);
  await expect.poll(() => received.at(-1)).toEqual(['a', 'b', 4]);
  bus.close();
});
