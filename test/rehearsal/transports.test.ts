/** Transports as they ship, in a world in which nothing fails; their whole suite is in transports.deep.ts. */
import { expect, test } from 'vitest';
import { webSocketMesh } from '../../adapters/transports/web-socket-mesh.js';
import { rehearse } from './rehearse.js';

test('peers of a mesh that dial each other simultaneously connect once', async () => {
  const { counts, failure } = await rehearse(
    { peers: 3, runs: 25, seconds: 4, faults: [], shrinkSeconds: 0, judges: [] },
    async ({ id, peers, listen, WebSocket, WebSocketServer, note }) => {
      const others = peers.map((peer) => `ws://${peer}`);
      const mesh = webSocketMesh({ id, listen: { server: listen(), WebSocketServer }, peers: others, WebSocket });
      mesh.events.subscribe(({ type }) => note(type));
      await mesh.connect();
    },
  );
  expect(failure).toBeNull();
  expect(counts['note']).toBe(25 * 6);
});
