// Real servers and processes on loopback that end with this program, however it ends.
import { execFileSync, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { answersAt, freePort, serverEnvironment } from '../../dist/testing/servers.js';

export async function redisServer() {
  const port = await freePort();
  return server(port, `redis-server --port ${port} --bind 127.0.0.1 --save "" --appendonly no`);
}

/** The user `quiver` needs no password. Postgres refuses to run as root: then the user `postgres` owns the folder and the server. */
export async function postgresServer() {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const isRoot = process.getuid() === 0;
  if (isRoot) execFileSync('chown', ['postgres', folder]);
  const as = isRoot ? 'setpriv --reuid postgres --regid postgres --clear-groups --' : '';
  execFileSync('sh', ['-c', `${as} initdb -D ${folder} -U quiver -A trust --no-sync >/dev/null`], { env: serverEnvironment });
  const settings = '-c listen_addresses=127.0.0.1 -c unix_socket_directories=';
  const started = await server(port, `exec ${as} postgres -D ${folder} -p ${port} ${settings}`, `rm -rf ${folder}`);
  // It listens before it accepts sessions.
  while (spawnSync('pg_isready', ['-h', '127.0.0.1', '-p', `${port}`], { env: serverEnvironment }).status !== 0) await wait(50);
  return started;
}

/** A cluster of one, which keeps what it knows in a folder that goes with it. */
export async function etcdServer() {
  const [port, peerPort] = [await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), 'etcd-'));
  const [url, peerUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const own = `--listen-client-urls ${url} --advertise-client-urls ${url}`;
  const peers = `--listen-peer-urls ${peerUrl} --initial-advertise-peer-urls ${peerUrl} --initial-cluster default=${peerUrl}`;
  return server(port, `etcd --data-dir ${folder} ${own} ${peers}`, `rm -rf ${folder}`);
}

/** The shell waits for the end of its input, which comes when this program ends, and takes the server along. */
async function server(port, command, afterward = ':') {
  const shell = spawn('sh', ['-c', `(${command}) >/dev/null 2>&1 & read _; kill -9 $!; wait $! 2>/dev/null; ${afterward}`], {
    stdio: ['pipe', 'ignore', 'inherit'],
    env: serverEnvironment,
  });
  while (!(await answersAt(port))) await wait(20);
  return {
    port,
    close: async () => {
      shell.stdin.end();
      await once(shell, 'exit');
    },
  };
}

/** Starts a script of this folder; `nextMessage(what)` resolves with its next message of that kind. The scripts end when they are disconnected. */
export function start(script, ...args) {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), args.map(String));
  const nextMessage = (what) =>
    new Promise((resolve) => {
      const listen = (message) => {
        if (message.what !== what) return;
        child.off('message', listen);
        resolve(message);
      };
      child.on('message', listen);
    });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  return { nextMessage, kill, send: (message) => child.send(message), listen: (listener) => child.on('message', listener) };
}
