/** Real servers for tests, on loopback and any free port; and whether this machine has them. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** Where Debian puts servers, which not everybody's path has. */
const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` };

export const has = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`], { env }).status === 0;

export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

export interface Server {
  readonly port: number;
  readonly process: ChildProcess;
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
}

export async function natsServer(port?: number): Promise<Server> {
  const at = port ?? (await freePort());
  return start(at, 'nats-server', '-a', '127.0.0.1', '-p', String(at));
}

/** With JetStream, which keeps what it has acknowledged in this folder. */
export async function jetStreamServer(folder: string): Promise<Server> {
  const at = await freePort();
  return start(at, 'nats-server', '-a', '127.0.0.1', '-p', String(at), '-js', '-sd', folder);
}

export async function mosquitto(port?: number): Promise<Server> {
  const at = port ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'quiver-mosquitto-'));
  const config = join(folder, 'mosquitto.conf');
  writeFileSync(config, `listener ${at} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n`);
  const server = await start(at, 'mosquitto', '-c', config);
  server.process.once('exit', () => rmSync(folder, { recursive: true }));
  return server;
}

async function start(port: number, command: string, ...args: string[]): Promise<Server> {
  const child = spawn(command, args, { env, stdio: 'ignore' });
  const exited = once(child, 'exit');
  await answering(port, child);
  return {
    port,
    process: child,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function answering(port: number, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 200 && child.exitCode === null; attempt++) {
    const socket = net.connect(port, '127.0.0.1');
    const isThere = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    if (isThere) return;
    await wait(25);
  }
  child.kill('SIGKILL');
  throw new Error(`${child.spawnargs.join(' ')} does not answer on port ${port}`);
}
