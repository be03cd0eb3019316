// A peer of the tests, as a separate program without the inspector: a lock over NATS, and an XState actor that uses it. Arguments: its id,
// and the port of the NATS server. A line on standard input takes and releases the lock.
import { createInterface } from 'node:readline';
import { connect } from '@nats-io/transport-node';
import { createActor, createMachine } from 'xstate';
import { linked } from '../../dist/adapters/linked.js';
import { createNode } from '../../dist/adapters/node/node.js';
import { nats } from '../../dist/adapters/transports/nats.js';
import { directory } from '../../dist/machines/directory/index.js';

const [id, port] = process.argv.slice(2);
const peers = ['a', 'b', 'c'];
const topology = {
  nodes: peers,
  links: [
    ['a', 'b', 1],
    ['b', 'c', 1],
  ],
};
const connection = () => connect({ servers: `127.0.0.1:${port}` });
const transport = linked(nats({ id, connection }), { peers, beatMs: 50, patience: 20 });
const node = createNode({ transport, protocol: directory, topology, options: { hold: null } });
const user = createActor(
  createMachine({
    id: 'user',
    initial: 'idle',
    states: {
      idle: { on: { want: 'waiting' } },
      waiting: { on: { granted: 'using' } },
      using: { after: { 20: { target: 'idle', actions: () => node.command('release') } } },
    },
  }),
).start();
node.addEventListener('granted', () => user.send({ type: 'granted' }));
node.addEventListener('released', () => console.log('released'));
await node.ready;
createInterface({ input: process.stdin }).on('line', () => {
  user.send({ type: 'want' });
  node.command('request');
});
console.log('ready');
