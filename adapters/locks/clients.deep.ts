/**
 * The cost of a grant with a thousand clients at three peers, compared with eight clients: in messages, and in processor time as a ratio
 * within one run. docs/evidence/locks.md contains figures. Also a thousand clients that fill their peers with the longest names.
 */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { NodeId } from '../../machines/effects.js';
import { InProcessBus } from '../transports/in-process.js';
import type { Linked, Transport } from '../transports/transport.js';
import { createLocks, type Locks } from './locks.js';

const VOTERS = ['a', 'b', 'c'];
const GRANTS = 2_000;

/** Connected peers and clients, and the number of sent messages. */
async function cluster(count: number) {
  const bus = new InProcessBus();
  const sent = { messages: 0 };
  const counted = (id: NodeId): Transport<Linked> => {
    const transport = bus.transport(id);
    const send = transport.send.bind(transport);
    return Object.assign(transport, {
      send: (to: NodeId, message: Parameters<typeof send>[1]) => {
        sent.messages++;
        send(to, message);
      },
    });
  };
  const voters = VOTERS.map((id) => createLocks({ transport: counted(id), peers: VOTERS }));
  await Promise.all(voters.map(({ ready }) => ready));
  const ids = Array.from({ length: count }, (_, i) => `client ${i}`);
  const clients = ids.map((id) => createLocks({ transport: counted(id), peers: VOTERS, client: true }));
  await Promise.all(clients.map(({ ready }) => ready));
  onTestFinished(async () => {
    await Promise.all([...voters, ...clients].map((locks) => locks.close({ withinMs: 0 })));
    bus.close();
  }, 60_000);
  return { voters, clients, sent };
}

/** All clients request, again and again, until there were this many grants. */
async function atOnce(clients: readonly Locks[], grants: number): Promise<void> {
  const each = grants / clients.length;
  await Promise.all(
    clients.map(async (locks) => {
      for (let i = 0; i < each; i++) await locks.request('lock', () => {});
    }),
  );
}

async function inTurn(clients: readonly Locks[], grants: number): Promise<void> {
  for (let i = 0; i < grants; i++) await clients[i % clients.length]!.request('lock', () => {});
}

test('a grant to one of 1,000 clients costs less than twice what one of 8 costs', async () => {
  const [few, many] = [await cluster(8), await cluster(1_000)];
  for (const [how, ask] of [
    ['all at once', atOnce],
    ['in turn', inTurn],
  ] as const) {
    const cost = async ({ clients, sent }: typeof few) => {
      const [messages, cpu] = [sent.messages, process.cpuUsage()];
      await ask(clients, GRANTS);
      const { user, system } = process.cpuUsage(cpu);
      return { messages: (sent.messages - messages) / GRANTS, cpu: (user + system) / GRANTS };
    };
    await cost(few);
    const [ofFew, ofMany] = [await cost(few), await cost(many)];
    console.log(
      `${how}: messages a grant ${ofFew.messages} with 8, ${ofMany.messages} with 1,000; processor time ${(ofMany.cpu / ofFew.cpu).toFixed(2)} of that with 8`,
    );
    expect(ofMany.messages / ofFew.messages).toBeLessThan(2);
    expect(ofMany.cpu / ofFew.cpu).toBeLessThan(2);
  }
});

test('1,000 clients with the longest names: refused ones get errors, others keep locks', async () => {
  const { voters, clients } = await cluster(1_000);
  const asked = clients.map((locks, i) => locks.acquire(String(i).padEnd(256, '\u{6f22}')));
  const ends = await Promise.allSettled(asked);
  const held = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as Error] : []));
  console.log(`of 1,000 locks of clients with names of 768 bytes, on a transport that carries 1 MB, ${held.length} at once`);
  expect(held.length).toBeGreaterThan(200);
  expect(refused.filter(({ name, message }) => name !== 'UsageError' || !message.includes('exceeds the limit of peer'))).toEqual(
    [],
  );
  const { epoch } = voters[1]!.status();
  await voters[0]!.transport.close();
  await vi.waitFor(() => expect(voters.slice(1).map((locks) => locks.status().epoch > epoch)).toEqual([true, true]), 20_000);
  await vi.waitFor(() => expect(clients.every((locks) => locks.status().state === 'attached')).toBe(true), 20_000);
  expect(held.filter(({ signal }) => signal.aborted)).toEqual([]);
  for (const lock of held) lock.release();
  expect(await Promise.all(clients.slice(0, 50).map((locks) => locks.request('another', () => 1)))).toHaveLength(50);
});
