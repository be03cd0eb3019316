/** Real servers for tests, on loopback and any free port; and whether this machine has them. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { answersAt, freePort, serverEnvironment as env } from '../../testing/servers.js';

export interface Server {
  readonly port: number;
  readonly process: ChildProcess;
  /** Kills the server, as a crash does. */
  kill(): Promise<void>;
}

export async function natsServer(port?: number): Promise<Server> {
  const at = port ?? (await freePort());
  return start(at, 'nats-server', '-a', '127.0.0.1', '-p', String(at));
}

/** Starts a server with JetStream, which stores acknowledged data in this folder. */
export async function jetStreamServer(folder: string, port?: number): Promise<Server> {
  const at = port ?? (await freePort());
  return start(at, 'nats-server', '-a', '127.0.0.1', '-p', String(at), '-js', '-sd', folder);
}

/** Keeps what it has acknowledged in this folder. */
export async function redisServer(folder: string, port?: number): Promise<Server> {
  const at = port ?? (await freePort());
  const options = { port: String(at), bind: '127.0.0.1', dir: folder, save: '', appendonly: 'yes', appendfsync: 'always' };
  return start(at, 'redis-server', ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]));
}

/**
 * Starts a server with the user `quiver`, without passwords. Postgres refuses to run as root: then the user `postgres` owns the folder and
 * the server.
 */
export async function postgresServer(folder: string, port?: number): Promise<Server> {
  const at = port ?? (await freePort());
  const isRoot = process.getuid?.() === 0;
  const by = (command: string, ...args: string[]): [string, ...string[]] =>
    isRoot
      ? ['setpriv', '--reuid', 'postgres', '--regid', 'postgres', '--clear-groups', '--', command, ...args]
      : [command, ...args];
  if (isRoot) execFileSync('chown', ['postgres', folder]);
  const data = join(folder, 'data');
  const [init, ...given] = by('initdb', '-D', data, '-U', 'quiver', '-A', 'trust', '--no-sync');
  execFileSync(init, given, { env, stdio: 'ignore' });
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories='].flatMap((setting) => ['-c', setting]);
  const [command, ...args] = by('postgres', '-D', data, '-p', String(at), ...settings);
  const server = await start(at, command, ...args);
  // It listens before it accepts sessions.
  const isReady = () => spawnSync('pg_isready', ['-h', '127.0.0.1', '-p', String(at)], { env }).status === 0;
  for (let attempt = 0; attempt < 200 && !isReady(); attempt++) await wait(50);
  return server;
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
    if (await answersAt(port)) return;
    await wait(25);
  }
  child.kill('SIGKILL');
  throw new Error(`${child.spawnargs.join(' ')} does not answer on port ${port}`);
}
