/** Real servers for tests, on loopback and any free port; and whether this machine has them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { answersAt, freePort, serverEnvironment as env } from '../../testing/servers.js';

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
export async function jetStreamServer(folder: string, port?: number): Promise<Server> {
  const at = port ?? (await freePort());
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
    if (await answersAt(port)) return;
    await wait(25);
  }
  child.kill('SIGKILL');
  throw new Error(`${child.spawnargs.join(' ')} does not answer on port ${port}`);
}
