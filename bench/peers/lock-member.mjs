// One process that takes the lock and keeps it forever: `node lock-member.mjs redlock PORT`, `… etcd PORT`, `… quiver ID PEERS URL`.
import { WebSocket } from 'ws';
import { linked } from '../../dist/adapters/linked.js';
import { createLocks } from '../../dist/adapters/locks/locks.js';
import { webSocket } from '../../dist/adapters/transports/web-socket.js';
import { etcdOn, redlockOn } from './clients.mjs';

const CLIENTS = {
  redlock: (port) => redlockOn(Number(port)),
  etcd: (port) => etcdOn(port),
  quiver: async (id, all, url) => {
    const peers = all.split(',');
    const locks = createLocks({ transport: linked(webSocket({ id, url, WebSocket }), { peers }), peers });
    await locks.ready;
    return { acquire: () => locks.acquire('lock') };
  },
};

const [kind, ...args] = process.argv.slice(2);
process.on('disconnect', () => process.exit());
const { acquire } = await CLIENTS[kind](...args);
process.on('message', async () => {
  process.send({ what: 'asks' });
  await acquire();
  process.send({ what: 'granted' });
});
process.send({ what: 'ready' });
