// Idle clients: three voters on a mesh, each in its process, and 200 clients with generated ids in one process.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createLocks } from '../../dist/adapters/locks/locks.js';
import { webSocketMesh } from '../../dist/adapters/transports/web-socket-mesh.js';
import { freePort } from '../../dist/testing/servers.js';

const CLIENTS = 200;
const IDLE_MS = 20_000;
const VOTERS = ['a', 'b', 'c'];
const program = fileURLToPath(import.meta.url);

/** The part of a core that this process uses while nothing is requested. */
async function idleShare() {
  const before = process.cpuUsage();
  const since = performance.now();
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / (performance.now() - since);
}

async function member([id, given]) {
  process.on('disconnect', () => process.exit());
  const ports = JSON.parse(given);
  const peers = ports.map((port) => `ws://127.0.0.1:${port}`);
  const mesh = () =>
    id === 'clients'
      ? webSocketMesh({ peers })
      : webSocketMesh({ id, listen: { port: ports[VOTERS.indexOf(id)], host: '127.0.0.1' }, peers });
  const count = id === 'clients' ? CLIENTS : 1;
  const since = performance.now();
  const all = Array.from({ length: count }, () =>
    createLocks({ transport: mesh(), peers: VOTERS, ...(id === 'clients' && { client: true }) }),
  );
  await Promise.all(all.map((locks) => locks.ready));
  process.send({ readyMs: performance.now() - since });
  await once(process, 'message');
  process.send({ share: await idleShare() });
}

export async function idleClients() {
  const ports = JSON.stringify(await Promise.all(VOTERS.map(() => freePort())));
  const children = [];
  const started = async (id) => {
    const child = fork(program, [id, ports], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    children.push(child);
    const [{ readyMs }] = await once(child, 'message');
    return { child, readyMs };
  };
  try {
    const voters = await Promise.all(VOTERS.map(started));
    const clients = await started('clients');
    const shares = await Promise.all(
      [...voters, clients].map(async ({ child }) => {
        child.send({});
        const [{ share }] = await once(child, 'message');
        return share;
      }),
    );
    const percent = (share) => `${(100 * share).toFixed(2)} %`;
    return [
      {
        'idle clients': CLIENTS,
        ready: `${(clients.readyMs / 1_000).toFixed(1)} s`,
        'each voter, of a core': shares.slice(0, 3).map(percent).join(', '),
        'each client, of a core': percent(shares[3] / CLIENTS),
      },
    ];
  } finally {
    for (const child of children) child.kill();
  }
}

if (process.argv[1] === program) await member(process.argv.slice(2));
