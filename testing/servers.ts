/** Servers for measurements, tests and fault injection: whether this machine has one, a free port, and whether a server answers there. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import net from 'node:net';

const POSTGRES = '/usr/lib/postgresql';
const ofPostgres = existsSync(POSTGRES) ? readdirSync(POSTGRES).map((version) => `:${POSTGRES}/${version}/bin`) : [];

/** Environment with Debian's server directories in its PATH. */
export const serverEnvironment = {
  ...process.env,
  PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin${ofPostgres.join('')}`,
};

export const hasCommand = (name: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${name}`], { env: serverEnvironment }).status === 0;

const given = new Set<number>();

/** A free loopback port that no other caller here has received: a server that uses one may be down for a while. */
export async function freePort(): Promise<number> {
  const port = await unusedPort();
  if (given.has(port)) return freePort();
  given.add(port);
  return port;
}

async function unusedPort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

export async function answersAt(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  const isThere = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  socket.destroy();
  return isThere;
}
