/** The command as processes that share a job over a real server of their own, and a look at what is kept there. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { jetStreamServer, type Server } from '../../adapters/transports/servers.fixture.js';

const program = fileURLToPath(new URL('../../dist/bin/quiver.js', import.meta.url));

/** Each run waits for the file `GATE` of its process, if there is one to wait for. */
export const application = (runs: number) => `import { existsSync } from 'node:fs';
const gate = process.env.GATE;
const wait = () => {
  if (gate && !existsSync(gate)) console.error('at the gate');
  while (gate && !existsSync(gate)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
};
const main = async ({ note }) => {
  wait();
  for (;;) { note('lives', {}); await new Promise((resolve) => setTimeout(resolve, 10 + 90 * Math.random())); }
};
const dies = { name: 'dies seldom', begin: () => ({ hear: ({ type, life }) => (type === 'start' && life > 2 ? 'it started a third time' : null) }) };
export const holds = { peers: [1, 2], seconds: 2, runs: ${runs}, judges: [], faults: ['kill'], main };
export const breaks = { ...holds, judges: [dies], seconds: 5, shrinkSeconds: 0 };
// The real one: what a main calls ends what is rehearsed alone.
const abort = process.abort.bind(process);
export const ends = { ...holds, runs: 3, main: () => abort() };
`;

/** Of one line, or a list of those of several; what they cost apart. */
function parsed(printed: string): any {
  const lines = printed.split('\n').filter((line) => line !== '');
  const all = lines.map((line) => ({ ...JSON.parse(line), meters: 0 }));
  return all.length > 1 ? all : all[0];
}

export interface Started {
  readonly child: ChildProcess;
  /** When it has printed this on standard error. */
  said(text: string): Promise<void>;
  ended(): Promise<{ status: number | null; json: any; errors: string }>;
}

/** Of one file of tests, which asks for it once. */
export function sharing() {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-share-'));
  let server: Server;
  let connection: NatsConnection;
  let jsm: JetStreamManager;
  let url: string;
  beforeAll(async () => {
    server = await jetStreamServer(join(folder, 'js'));
    url = `nats://127.0.0.1:${server.port}`;
    connection = await connect({ servers: url });
    jsm = await jetstreamManager(connection);
  });
  afterAll(async () => {
    await connection.close();
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  let made = 0;
  /** A module of its own for each test, and so a job of its own. */
  function moduleOf(runs = 6): { file: string; gate: (name: string) => string } {
    const own = join(folder, `${++made}`);
    mkdirSync(own);
    const file = join(own, `app${made}.mjs`);
    writeFileSync(file, application(runs));
    return { file, gate: (name) => join(own, name) };
  }

  function start(args: readonly string[], gate?: string, at = url): Started {
    const env = { ...process.env, ...(gate !== undefined && { GATE: gate }) };
    const child = spawn(process.execPath, [program, ...args, '--json', '--share', at], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let [printed, errors] = ['', ''];
    child.stdout!.on('data', (piece) => (printed += String(piece)));
    child.stderr!.on('data', (piece) => (errors += String(piece)));
    const closed = once(child, 'close');
    return {
      child,
      said: async (text) => {
        while (!errors.includes(text)) await once(child.stderr!, 'data');
      },
      ended: async () => {
        await closed;
        return { status: child.exitCode, json: parsed(printed), errors };
      },
    };
  }
  const alone = (...args: readonly string[]) =>
    parsed(spawnSync(process.execPath, [program, ...args, '--json'], { encoding: 'utf8' }).stdout);
  const open = (gate: string) => writeFileSync(gate, '');
  /** When something is published there. */
  async function published(subject: string): Promise<void> {
    for await (const _ of connection.subscribe(subject, { max: 1 })) return;
  }
  const publish = (subject: string, data: string | Buffer) => connection.publish(subject, data);
  async function streams(): Promise<string[]> {
    const all: string[] = [];
    for await (const { config } of jsm.streams.list()) all.push(config.name);
    return all;
  }

  return { folder, moduleOf, start, alone, open, published, publish, streams };
}
