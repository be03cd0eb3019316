/** No transport accepts an invalid id. */
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { linked } from '../linked.js';
import { broadcastChannel } from './broadcast-channel.js';
import { evil } from './ids.fixture.js';
import { InProcessBus } from './in-process.js';
import { messagePort } from './message-port.js';
import { mqtt } from './mqtt.js';
import { nats } from './nats.js';
import { sealed } from './sealed.js';
import { webSocket } from './web-socket.js';
import { webSocketMesh } from './web-socket-mesh.js';

const transports: [string, (id: string) => unknown][] = [
  ['in-process', (id) => new InProcessBus().transport(id)],
  ['message-port', (id) => messagePort(new MessageChannel().port1, { id })],
  ['broadcast-channel', (id) => broadcastChannel({ id })],
  ['web-socket', (id) => webSocket({ id, url: 'ws://127.0.0.1:1', WebSocket })],
  ['web-socket-mesh', (id) => webSocketMesh({ id, listen: { port: 0 }, peers: [] })],
  ['nats', (id) => nats({ id, connection: () => Promise.reject(new Error('none')) })],
  ['mqtt', (id) => mqtt({ id, connection: () => Promise.reject(new Error('none')) })],
  ['sealed', (id) => sealed(Object.assign(new InProcessBus().transport('a'), { id }), { key: 'sixteen bytes and more' })],
  ['linked, among the peers', (id) => linked(new InProcessBus().transport('a'), { peers: ['a', id] })],
];

test.each(transports)('%s refuses invalid ids at creation', (_, create) => {
  for (const [, id] of evil)
    expect(() => create(id as string)).toThrow(/cannot be ".*": .*. Pass a non-empty string of at most 255/s);
});
