/** Code in the page of chromium.test.ts: the conformance suite over the browser's WebSocket, MessageChannel and BroadcastChannel. */
import { broadcastChannel } from './broadcast-channel.js';
import type { Conformance } from './conformance-peer.js';
import { transportConformance } from './conformance.js';
import { MessagePortHub, messagePort } from './message-port.js';
import type { Json } from './transport.js';
import { webSocket } from './web-socket.js';
import { broadcastChannelGuarantees, messagePortGuarantees, webSocketGuarantees } from './guarantees.js';

type Medium = Omit<Conformance, 'test'>;

/** Functions of the test for the page: a separate hub for each network, and a stranger that sends each text on a new socket. */
declare global {
  var hubPort: () => Promise<number>;
  var strangers: (texts: readonly string[]) => Promise<void>;
  var conform: (name: string) => Promise<Readonly<Record<string, string>>>;
}

const HELLO = '{"type":"hello","id":"x","key":"k"}';
const jsonOf = (garbage: Json) => [JSON.stringify(garbage), HELLO, JSON.stringify(garbage), '{"type":"bye"}'];

function overWebSocket(): Medium {
  return {
    guarantees: webSocketGuarantees,
    inject: (_, garbage) => strangers(jsonOf(garbage)),
    // web-socket.test.ts covers thousands of texts at a hub, which is the same for all kinds of members.
    create: async (ids) => {
      const url = `ws://127.0.0.1:${await hubPort()}`;
      return ids.map((id) => webSocket({ id, url }));
    },
  };
}

function overMessagePorts(): Medium {
  let hub: MessagePortHub;
  const sendText = (texts: readonly string[]) => {
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    for (const text of texts) port2.postMessage(text);
  };
  return {
    guarantees: messagePortGuarantees,
    inject: (_, garbage) => sendText(jsonOf(garbage)),
    injectTexts: (_, texts) => {
      for (const [i, text] of texts.entries()) sendText(i % 2 === 0 ? [HELLO, text] : [text]);
    },
    create: (ids) => {
      hub = new MessagePortHub();
      return ids.map((id) => {
        const { port1, port2 } = new MessageChannel();
        hub.attach(port1);
        return messagePort(port2, { id });
      });
    },
  };
}

function overBroadcastChannel(): Medium {
  let networks = 0;
  const post = (messages: readonly unknown[]) => {
    const raw = new BroadcastChannel(`test ${networks}`);
    for (const message of messages) raw.postMessage(message);
    raw.close();
  };
  return {
    guarantees: broadcastChannelGuarantees,
    inject: (to, garbage) => post([garbage, { to, garbage }]),
    injectTexts: (to, texts) => post(texts.map((frame) => ({ to, frame }))),
    create: (ids) => {
      const channel = `test ${++networks}`;
      return ids.map((id) => broadcastChannel({ id, channel }));
    },
  };
}

const media: Readonly<Record<string, () => Medium>> = {
  'web-socket': overWebSocket,
  'message-port': overMessagePorts,
  'broadcast-channel': overBroadcastChannel,
};

/** Result of each test by title: `ok`, or the error. */
globalThis.conform = async (name) => {
  const tests: [title: string, run: () => Promise<void>][] = [];
  transportConformance({ ...media[name]!(), test: (title, run) => tests.push([title, run]) });
  const results: Record<string, string> = {};
  for (const [title, run] of tests) {
    results[title] = await run().then(
      () => 'held',
      (error: Error) => `${error.name}: ${error.message}`,
    );
  }
  return results;
};
