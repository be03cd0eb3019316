/** Wrong uses of transports: each is refused at creation with an error that names it, never with a bare TypeError. */
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import * as ws from 'ws';
import { UsageError } from '../../index.js';
import { linked } from '../linked.js';
import { broadcastChannel } from './broadcast-channel.js';
import { InProcessBus } from './in-process.js';
import { MessagePortHub, messagePort } from './message-port.js';
import { mqtt } from './mqtt.js';
import { nats } from './nats.js';
import { sealed } from './sealed.js';
import { webSocketHub } from './web-socket-hub.js';
import { webSocketMesh } from './web-socket-mesh.js';
import { webSocket } from './web-socket.js';

const peers = ['a', 'b'];
const url = 'ws://127.0.0.1:1';
const connection = async () => ({});

/** Arguments that a JavaScript program may pass, without type checks. */
const [anyNats, anyMqtt, anyLinked] = [nats, mqtt, linked] as any[];
const [anyHub, anySocket, anyMesh] = [webSocketHub, webSocket, webSocketMesh] as any[];
const mesh = { id: 'a', listen: { port: 0 }, peers: [] };
const channel = broadcastChannel({ id: 'a' });

const uses: [what: string, use: () => unknown, answer: string][] = [
  [
    'a connection, not a function',
    () => anyNats({ id: 'a', connection: {} }),
    'nats: connection is an object. Pass a function that connects, as in () => connect({ servers })',
  ],
  ['a connection under way', () => anyNats({ id: 'a', connection: connection() }), 'nats: connection is a promise'],
  ['servers', () => anyNats({ id: 'a', servers: 'nats://x' }), 'nats has no option servers. Known: id, connection, subject'],
  [
    'a client, not a function',
    () => anyMqtt({ id: 'a', connection: {} }),
    "mqtt: connection is an object. Pass a function that connects, as in (lastWill) => connectAsync('mqtt://127.0.0.1', lastWill)",
  ],
  [
    'the package ws in place of its class',
    () => webSocket({ id: 'a', url, WebSocket: ws as never }),
    'peer "a": WebSocket is an object and not a class. Use the class of the package ws: npm install ws',
  ],
  [
    'a list of ids with something else in it',
    () => webSocketMesh({ id: 'a', listen: { port: 0 }, peers: [], ids: ['a', 7 as never] }),
    'peer "a": one of its ids cannot be "7": it is 7. It is not a string',
  ],
  [
    'the result of a function instead of the function',
    () => webSocketMesh({ id: 'a', listen: { port: 0 }, peers: [], admit: true as never }),
    'peer "a": admit is true and not a function',
  ],
  [
    'nothing that is linked',
    () => anyLinked(),
    'linked takes a transport as its first argument, as in linked(webSocket({ id, url }), { peers })',
  ],
  [
    'the options of a transport',
    () => anyLinked({ id: 'a', url }, { peers }),
    'linked takes a transport as its first argument, as in linked(',
  ],
  ['linked without peers', () => anyLinked(channel), 'linked takes its options as an object. Pass { peers }'],
  ['the peers instead of the options', () => anyLinked(channel, peers), 'linked takes its options as an object. Pass { peers }'],
  ['linked with one text', () => anyLinked(channel, { peers: 'b' }), 'linked: peers is "b". Pass a list of ids of the others'],
  [
    'a heart that never beats',
    () => anyLinked(channel, { peers, beatMs: 0 }),
    'linked: beatMs is 0. Pass a whole number of milliseconds',
  ],
  ...[1e12, Infinity, NaN, '100', 1.5].map((beatMs): [string, () => unknown, string] => [
    `a heart that beats every ${beatMs} milliseconds`,
    () => anyLinked(channel, { peers, beatMs }),
    'Pass a whole number of milliseconds from 1 to 2147483647',
  ]),
  [
    'a patience of half a beat',
    () => anyLinked(channel, { peers, patience: 1.5 }),
    'linked: patience is 1.5. Pass a whole number of beats from 1 to 2147483647',
  ],
  [
    'a patience of months',
    () => anyLinked(channel, { peers, beatMs: 1_000, patience: 3_000_000 }),
    'linked: beatMs × patience is 3000000000. Pass less of either, for a number of milliseconds from 1 to 2147483647',
  ],
  ...['a.>', 'a..b', '.a', '*', 'a b', 'a\0', '$SYS', 'x'.repeat(256), ''].map((subject): [string, () => unknown, string] => [
    `the NATS subject ${JSON.stringify(subject.slice(0, 9))}`,
    () => nats({ id: 'a', connection: connection as never, subject }),
    `nats: subject is ${subject.length > 60 ? '"xxx' : JSON.stringify(subject)}`,
  ]),
  ...['+', 'a/#', 'a\0', '$share/a', 'x'.repeat(70_000), ''].map((topic): [string, () => unknown, string] => [
    `the MQTT topic ${JSON.stringify(topic.slice(0, 9))}`,
    () => mqtt({ id: 'a', connection: connection as never, topic }),
    `mqtt: topic is ${topic.length > 60 ? '"xxx' : JSON.stringify(topic)}`,
  ]),
  [
    'the name that every object has among the ids',
    () => anyHub({ port: 0, ids: ['a', '__proto__'] }),
    'webSocketHub: one of its ids cannot be "__proto__": every JavaScript object has a property of that name',
  ],
  [
    'a patience mistyped',
    () => anyLinked(channel, { peers, patiance: 30 }),
    'linked has no option patiance. Did you mean "patience"? Known: peers, beatMs, patience',
  ],
  ['a hub without options', () => anyHub(), 'webSocketHub takes its options as an object'],
  ['rules mistyped', () => anyHub({ port: 0, admitt: () => false }), 'webSocketHub has no option admitt. Did you mean "admit"?'],
  [
    'ids as a text, in which every letter is one',
    () => anyHub({ port: 0, ids: 'abc' }),
    'webSocketHub: ids is not a list of ids. Pass one',
  ],
  [
    'a token in place of the function that checks it',
    () => anyHub({ port: 0, admit: 'open sesame' }),
    'webSocketHub: admit is a text and not a function. Pass one that returns true or false, or a promise of one',
  ],
  [
    'two places to listen',
    () => webSocketHub({ port: 0, server: createServer() }),
    'webSocketHub: port and server are both given. Pass only server to share its port',
  ],
  ['a port beyond all', () => anyHub({ port: 70_000 }), 'webSocketHub: port is 70000. Pass a port from 0 to 65535'],
  [
    'an origin as one text, of which every part would do',
    () => anyHub({ port: 0, origins: 'https://app.example' }),
    'webSocketHub: origins is "https://app.example". Pass a list of origins as browsers send them',
  ],
  ...['app.example', 'https://app.example/', 'https://app.example:443', '*', 5].map((origin): [string, () => unknown, string] => [
    `an invalid origin, ${origin}`,
    () => anyHub({ port: 0, origins: [origin] }),
    `webSocketHub: origins has ${JSON.stringify(origin)} at place 0, which is not an origin. Pass a list of origins as browsers send them`,
  ]),
  [
    'a path without its slash',
    () => anyHub({ port: 0, path: 'quiver' }),
    'webSocketHub: path is "quiver". Pass the path of an address',
  ],
  ['a path with a question', () => anyHub({ port: 0, path: '/a?b' }), 'webSocketHub: path is "/a?b". Pass the path'],
  [
    'TLS without a key',
    () => anyHub({ port: 0, tls: {} }),
    'webSocketHub: tls has no key and no cert. Pass options of a TLS server',
  ],
  ['an invalid server', () => anyHub({ server: 5 }), 'webSocketHub: server is 5. Pass a server of Node'],
  [
    'limits mistyped',
    () => anyHub({ port: 0, limits: { helloMS: 5 } }),
    'webSocketHub: limits has no option helloMS. Did you mean "helloMs"?',
  ],
  [
    'a limit of no connections',
    () => anyHub({ port: 0, limits: { connections: 0 } }),
    'webSocketHub: limits: connections is 0. Pass a number',
  ],
  [
    'a time beyond timers',
    () => anyHub({ port: 0, limits: { helloMs: 1e12 } }),
    'webSocketHub: limits: helloMs is 1000000000000. Pass',
  ],
  [
    'an invalid WebSocketServer',
    () => anyHub({ port: 0, WebSocketServer: 5 }),
    'webSocketHub: WebSocketServer is 5. Pass the class',
  ],
  ['a socket without options', () => anySocket(), 'webSocket takes its options as an object. Pass { url }'],
  ['a socket to nowhere', () => anySocket({ id: 'a' }), "webSocket: url is missing. Pass the address of the hub, as in 'ws://"],
  ['an address as an object', () => anySocket({ id: 'a', url: new URL(url) }), 'webSocket: url is an object. Pass the address'],
  [
    'a function in place of a class',
    () => anySocket({ id: 'a', url, WebSocket: () => 1 }),
    'peer "a": WebSocket is a function and not a class. Use the class of the package ws',
  ],
  [
    'a mesh without addresses',
    () => anyMesh({ id: 'a', listen: { port: 0 } }),
    'webSocketMesh: peers is missing. Pass the addresses',
  ],
  [
    'a mesh with one address',
    () => anyMesh({ ...mesh, peers: url }),
    `webSocketMesh: peers is "${url}". Pass the addresses of the others`,
  ],
  [
    'rules at the wrong depth',
    () => anyMesh({ ...mesh, listen: { port: 0, ids: ['a'] } }),
    'webSocketMesh: listen has no option ids. Did you mean',
  ],
  ['no key', () => sealed(channel, {} as never), 'sealed: key is missing. Pass a key of at least 16 random bytes'],
  ['sealed of nothing', () => (sealed as any)(), 'sealed takes a transport as its first argument, as in sealed('],
  ['sealed without a key', () => (sealed as any)(channel), 'sealed takes its options as an object. Pass { key }'],
  [
    'sealed above linked',
    () => sealed(linked(channel, { peers: ['a', 'b'] }), { key: 'sixteen bytes of it' }),
    'sealed goes below linked, and transport "a" is linked already. Write linked(sealed(transport, { key }), { peers })',
  ],
  [
    'linked twice',
    () => linked(linked(channel, { peers: ['a', 'b'] }), { peers: ['a', 'b'] }),
    'transport "a" is already linked. Use it',
  ],
  ['a key that can be guessed', () => sealed(channel, { key: 'secret' }), 'a key needs at least 16 random bytes, but has 6'],
  [
    'an address of a page',
    () => webSocket({ id: 'a', url: 'http://x' }),
    'peer "a": http://x is not an address of a WebSocket. Pass',
  ],
  [
    'ids in place of addresses',
    () => webSocketMesh({ id: 'a', listen: { port: 0 }, peers: ['b'] }),
    'peer "a": b is not an address of a WebSocket. Pass one as in ws://127.0.0.1:8080',
  ],
  ['nowhere to listen', () => webSocketHub({}), 'webSocketHub: a place to listen is missing. Pass either port or server'],
  [
    'a hub of nothing',
    () => (webSocketHub as any)(),
    'webSocketHub takes its options as an object. Pass { port }, or { server, path }',
  ],
  [
    'a channel under another word',
    () => broadcastChannel({ id: 'a', name: 'printers' } as never),
    'broadcastChannel has no option name. Known: id, channel',
  ],
  ['no port', () => (messagePort as any)(), 'messagePort takes a port of new MessageChannel()'],
  ['a port without an id', () => (messagePort as any)(new MessageChannel().port1), 'messagePort takes its options as an object'],
  [
    'a channel at the hub',
    () => new MessagePortHub().attach(new MessageChannel() as never),
    'attach of a MessagePortHub takes a port',
  ],
  [
    'an id that is a number',
    () => broadcastChannel({ id: 1 as never }),
    'the id of a transport cannot be "1": it is 1. It is not a string',
  ],
];

test.each(uses)('%s: %s', async (_, use, answer) => {
  const answered = (async () => use())();
  await expect(answered).rejects.toThrow(UsageError);
  await expect(answered).rejects.toThrow(answer);
  await expect(answered).rejects.toThrow(/^[^\n]{1,400}$/);
});

test.each([[5], [undefined], [{ id: 'b' }]])('a message for %j, which is not an id, is refused with an error', async (to) => {
  const bus = new InProcessBus();
  const transport = bus.transport('a');
  await transport.connect();
  expect(() => transport.send(to as never, 1)).toThrow(/^transport "a" sends to peer ids: .* is not a string. Pass an id$/);
  bus.close();
});
