/**
 * A peer in a separate process: `node peer.fixture.mjs ID PORTS [FOLDER]`. For each message it takes one of each, and reports the results.
 */
import { createNames } from '../../dist/adapters/names.js';
import { createQuota } from '../../dist/adapters/quota.js';
import { linked } from '../../dist/adapters/linked.js';
import { createLocks } from '../../dist/adapters/locks/locks.js';
import { Register } from '../../dist/adapters/locks/register.js';
import { folderStorage } from '../../dist/adapters/storage/folder.js';
import { webSocketMesh } from '../../dist/adapters/transports/web-socket-mesh.js';

const [id, list, folder] = process.argv.slice(2);
const peers = ['a', 'b', 'c'];
const ports = list.split(',').map(Number);
process.on('disconnect', () => process.exit());

const wire = webSocketMesh({
  id,
  listen: { port: ports[peers.indexOf(id)] },
  peers: ports.map((port) => `ws://127.0.0.1:${port}`),
});
const storage = folder && folderStorage(folder);
const locks = createLocks({ transport: linked(wire, { peers }), peers, ...(storage && { storage }) });
const names = createNames({ locks });
const quota = createQuota({ locks, budget: 5 });
const register = new Register(locks, 'turns', 0, Number.isSafeInteger);

process.on('message', async () => {
  const fence = await locks.request('printer', (lock) => lock.fence);
  const name = await names.next();
  const { ok } = await quota.take();
  const turns = await register.change((n) => n + 1);
  process.send({ fence, name, ok, turns });
});
await locks.ready;
process.send('ready');
