/** The processes of a round. Each ends when this process does, for any reason, and only these processes receive signals. */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { answersAt, freePort, hasCommand, serverEnvironment as env } from '../testing/servers.js';
import type { BrokerKind } from './plan.js';

const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

/** Starts a script of this folder, which ends when its channel to this process closes. */
export const script = (name: string, ...args: readonly string[]): ChildProcess =>
  fork(fileURLToPath(new URL(`${name}.js`, import.meta.url)), args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });

export async function kill(child: ChildProcess): Promise<void> {
  if (!isAlive(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** A shell resumes it, so that no process sleeps forever if this one ends. */
export async function stop({ pid }: ChildProcess, ms: number): Promise<void> {
  const shell = spawn('sh', ['-c', `kill -STOP ${pid}; sleep ${ms / 1000}; kill -CONT ${pid}`], { stdio: 'ignore' });
  await once(shell, 'exit');
}

/** The server that connects the peers. After a crash it returns at the same port. */
export interface Broker {
  readonly url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
}

export async function broker(kind: BrokerKind, allIds: readonly string[], history: string): Promise<Broker> {
  if (kind === 'mesh') {
    const ports = await Promise.all(allIds.map(() => freePort()));
    return { url: `mesh:${ports.join()}`, start: async () => {}, kill: async () => {} };
  }
  const port = await freePort();
  const begin = kind === 'hub' ? () => script('hub', String(port), history) : () => natsServer(port);
  let running: ChildProcess | undefined;
  return {
    url: `${kind === 'hub' ? 'ws' : 'nats'}://127.0.0.1:${port}`,
    start: async () => {
      running ??= begin();
      while (!(await answersAt(port))) await pause(10);
    },
    kill: async () => {
      const ending = running;
      running = undefined;
      if (!ending) return;
      const gone = once(ending, 'exit');
      if (kind === 'hub') ending.kill('SIGKILL');
      else ending.stdin!.end();
      await gone;
    },
  };
}

export const hasNats = (): boolean => hasCommand('nats-server');

/** The shell waits for the end of its input, by `kill` or the end of this process, and then stops the server. */
const natsServer = (port: number): ChildProcess =>
  spawn('sh', ['-c', `nats-server -a 127.0.0.1 -p ${port} >/dev/null 2>&1 & read _; kill -9 $!`], {
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
