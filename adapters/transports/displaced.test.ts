/** Two processes with one id and one key, which look like one peer that returns: each takes the place of the other. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../testing/servers.js';
import type { Transport } from './transport.js';
import { hubWith, log, peer } from './web-socket-hub.fixture.js';
import { webSocketMesh, type WebSocketMeshOptions } from './web-socket-mesh.js';

const mesh = (options: WebSocketMeshOptions): Transport => {
  const transport = webSocketMesh(options);
  onTestFinished(() => transport.close());
  return transport;
};

/** Another peer, and one that a test may start twice. */
const media: [string, () => Promise<{ other: Transport; start: () => Promise<Transport> }>][] = [
  [
    'at a hub',
    async () => {
      const { port } = await hubWith();
      return { other: peer('b', port), start: async () => peer('a', port, { key: 'kept' }) };
    },
  ],
  [
    'at two hubs, where they meet at the second',
    async () => {
      const [{ port }, gone] = [await hubWith(), await freePort()];
      const url = [gone, port].map((each) => `ws://127.0.0.1:${each}`);
      return { other: peer('b', port), start: async () => peer('a', port, { key: 'kept', url }) };
    },
  ],
  [
    'in a mesh',
    async () => {
      const port = await freePort();
      const peers = [`ws://127.0.0.1:${port}`];
      const start = async () => mesh({ id: 'a', listen: { port: await freePort() }, peers, key: 'kept' });
      return { other: mesh({ id: 'b', listen: { port }, peers: [] }), start };
    },
  ],
];

test.each(media)('they do so with growing pauses, and both report the reason: %s', async (_, create) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const { other, start } = await create();
  const seen = log(other);
  await other.connect();
  for (const each of [await start(), await start()]) await each.connect();
  await expect
    .poll(() => warn.mock.calls.flat().filter((text) => /another process uses the id and the key of this peer/.test(text)), {
      timeout: 15_000,
      interval: 50,
    })
    .toHaveLength(2);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  // One immediate attempt of each, and four or five with doubling pauses.
  expect(seen.length).toBeGreaterThan(4);
  expect(seen.length).toBeLessThan(40);
});
