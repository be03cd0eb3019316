/**
 * Time from SIGKILL of the holder of a lock to the next grant, in real processes: three voters, and a client if the holder is a client.
 * `node dist/bench/fail-over.js [mesh hub nats mqtt] [rounds]`.
 */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { median } from './measure.js';
import { answersAt, freePort, hasCommand, serverEnvironment } from '../testing/servers.js';
import type { Transport } from '../adapters/transports/transport.js';

type Medium = 'mesh' | 'hub' | 'nats' | 'mqtt';

/** Options of a member: `voters` with their ports, or the port of the server. */
interface Given {
  readonly medium: Medium;
  readonly id: string;
  readonly voters: readonly string[];
  readonly ports: Readonly<Record<string, number>>;
  readonly port: number;
}

const VOTERS = ['a', 'b', 'c'];

async function transportOf({ medium, id, voters, ports, port }: Given): Promise<Transport> {
  const { webSocketMesh } = await import('../adapters/transports/web-socket-mesh.js');
  const { webSocket } = await import('../adapters/transports/web-socket.js');
  const { nats } = await import('../adapters/transports/nats.js');
  const { mqtt } = await import('../adapters/transports/mqtt.js');
  switch (medium) {
    case 'mesh':
      return webSocketMesh({
        id,
        listen: { port: ports[id] ?? 0 },
        peers: voters.map((voter) => `ws://127.0.0.1:${ports[voter]}`),
      });
    case 'hub': {
      const { WebSocket } = await import('ws');
      return webSocket({ id, url: `ws://127.0.0.1:${port}`, WebSocket: WebSocket as never });
    }
    case 'nats': {
      const { connect } = await import('@nats-io/transport-node');
      return nats({ id, connection: () => connect({ port }) });
    }
    case 'mqtt': {
      const { connectAsync } = await import('mqtt');
      return mqtt({ id, connection: (lastWill) => connectAsync(`mqtt://127.0.0.1:${port}`, lastWill) });
    }
  }
}

async function beMember(given: Given): Promise<void> {
  const { createLocks } = await import('../adapters/locks/locks.js');
  const { linked } = await import('../adapters/linked.js');
  const { id, voters } = given;
  const isClient = !voters.includes(id);
  const peers = given.medium === 'mesh' || !isClient ? voters : [...voters, id];
  // The voters of a benchmark know its client.
  const transport = linked(await transportOf(given), { peers: [...new Set([...peers, id, 'x'])] });
  const locks = createLocks({ transport, peers: voters, ...(isClient && { client: true }) });
  process.on('disconnect', () => process.exit());
  process.on('message', () => void locks.request('l', () => (process.send!('granted'), new Promise(() => {}))));
  await locks.ready;
  process.send!('ready');
}

function start(given: Given) {
  const child = fork(fileURLToPath(import.meta.url), ['member', JSON.stringify(given)]);
  const received = (what: string) =>
    new Promise<void>((resolve) => child.on('message', (message) => message === what && resolve()));
  return { child, received };
}

async function server(medium: Medium): Promise<{ readonly port: number; close(): unknown }> {
  if (medium === 'mesh') return { port: 0, close: () => {} };
  if (medium === 'hub') {
    const { webSocketHub } = await import('../adapters/transports/web-socket-hub.js');
    return webSocketHub({ port: 0 });
  }
  const port = await freePort();
  const args = medium === 'nats' ? ['nats-server', '-a', '127.0.0.1', '-p', `${port}`] : ['mosquitto', '-p', `${port}`];
  const child: ChildProcess = spawn(args[0]!, args.slice(1), { env: serverEnvironment, stdio: 'ignore' });
  while (!(await answersAt(port))) await pause(25);
  return { port, close: () => child.kill('SIGKILL') };
}

/** @param holder `a`, the peer that leads as a rule, or `x`, a client. */
async function failOver(medium: Medium, holder: 'a' | 'x'): Promise<number> {
  const at = await server(medium);
  const ports = Object.fromEntries(await Promise.all(VOTERS.map(async (id) => [id, await freePort()] as const)));
  const ids = holder === 'x' ? [...VOTERS, 'x'] : VOTERS;
  const members = new Map(ids.map((id) => [id, start({ medium, id, voters: VOTERS, ports, port: at.port })]));
  await Promise.all([...members.values()].map(({ received }) => received('ready')));
  // Longer than tries to connect count as failed after each other.
  await pause(6_000);
  const [held, waiter] = [members.get(holder)!, members.get('b')!];
  held.child.send('go');
  await held.received('granted');
  waiter.child.send('go');
  await pause(500);
  const granted = waiter.received('granted');
  const killedAt = performance.now();
  held.child.kill('SIGKILL');
  await granted;
  const took = performance.now() - killedAt;
  for (const { child } of members.values()) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  await at.close();
  return took;
}

async function main(names: readonly string[]): Promise<void> {
  const rounds = Number(names.find((name) => /^\d+$/.test(name)) ?? 5);
  const all = ['mesh', 'hub', 'nats', 'mqtt'] as const;
  for (const medium of all.filter((name) => names.includes(name) || names.every((other) => /^\d+$/.test(other)))) {
    const command = medium === 'nats' ? 'nats-server' : medium === 'mqtt' ? 'mosquitto' : 'node';
    if (!hasCommand(command)) console.log(`${medium}: skipped, ${command} is missing`);
    else
      for (const holder of ['a', 'x'] as const) {
        const took: number[] = [];
        for (let round = 0; round < rounds; round++) took.push(Math.round(await failOver(medium, holder)));
        console.log(`${medium}, ${holder === 'a' ? 'a peer' : 'a client'} holds: ${median(took)} ms (${took.join(', ')})`);
      }
  }
}

if (process.argv[2] === 'member') await beMember(JSON.parse(process.argv[3]!) as Given);
else await main(process.argv.slice(2));
