import { MessageChannel, Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { transportConformance } from './conformance.js';
import { fuzz } from './fuzz.fixture.js';
import { MessagePortHub, messagePort } from './message-port.js';
import { messagePortGuarantees } from './guarantees.js';

let newest: MessagePortHub;

/** A peer at a hub, with the other end of its port. */
function peerOf(hub: MessagePortHub, id: string) {
  const { port1, port2 } = new MessageChannel();
  hub.attach(port1);
  return { peer: messagePort(port2, { id }), port: port2 };
}

transportConformance({
  test,
  guarantees: messagePortGuarantees,
  values: fuzz,
  inject: (_, garbage) => {
    const { port1, port2 } = new MessageChannel();
    newest.attach(port1);
    for (const frame of [garbage, { type: 'hello', id: 'stranger', key: 'k' }, garbage, { type: 'bye' }])
      port2.postMessage(JSON.stringify(frame));
    const other = new MessageChannel();
    newest.attach(other.port1);
    other.port2.postMessage(garbage);
  },
  injectTexts: (_, texts) => {
    for (const [i, text] of texts.entries()) {
      const { port1, port2 } = new MessageChannel();
      newest.attach(port1);
      if (i % 2 === 0) port2.postMessage('{"type":"hello","id":"x","key":"k"}');
      port2.postMessage(text);
      port2.postMessage('{"type":"bye"}');
    }
  },
  create: (ids) => {
    const hub = (newest = new MessagePortHub());
    return ids.map((id) => peerOf(hub, id).peer);
  },
});

test('a worker thread that dies is reported down', async () => {
  const hub = new MessagePortHub();
  const [near, far] = [new MessageChannel(), new MessageChannel()];
  hub.attach(near.port1);
  hub.attach(far.port1);
  const a = messagePort(near.port2, { id: 'a' });
  const seen = new Promise<string[]>((resolve) => {
    const log: string[] = [];
    a.events.subscribe((event) => {
      log.push(event.type);
      if (event.type === 'down') resolve(log);
    });
  });
  await a.connect();
  const source = `
    const { workerData: port } = require('node:worker_threads');
    port.on('message', () => process.exit(1));
    port.postMessage(JSON.stringify({ type: 'hello', id: 'b', key: 'of b' }));`;
  const worker = new Worker(source, { eval: true, workerData: far.port2, transferList: [far.port2] });
  expect(await seen).toEqual(['up', 'down']);
  await worker.terminate();
  await a.close();
});

test.each([undefined, '', { odd: 1 }])('a refusal without a reason (%j) is reported as such', async (why) => {
  const { port1, port2 } = new MessageChannel();
  port1.on('message', () => port1.postMessage(JSON.stringify({ type: 'refused', why })));
  await expect(messagePort(port2, { id: 'a' }).connect()).rejects.toThrow('the hub refused peer "a": it gave no reason');
  port1.close();
});

test('closing a hub ends its peers', async () => {
  const hub = new MessagePortHub();
  const { peer: a } = peerOf(hub, 'a');
  await a.connect();
  const ended = new Promise<unknown>((resolve) => a.events.subscribe((event) => event.type === 'closed' && resolve(event.error)));
  hub.close();
  expect(await ended).toMatchObject({ name: 'ConnectionError' });
});

test('closing a peer closes its port', async () => {
  const { peer: a, port } = peerOf(new MessagePortHub(), 'a');
  await a.connect();
  const closes = vi.spyOn(port, 'close');
  await a.close();
  expect(closes).toHaveBeenCalled();
});
