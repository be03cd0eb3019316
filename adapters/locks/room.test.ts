/** Locks with the longest names, of peers and of clients, until no more fit: no lock is lost in any later epoch. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { InProcessBus } from '../transports/in-process.js';
import { createLocks, type Lock, type Locks } from './locks.js';

const voters = ['a', 'b', 'c'];
/** In JSON a control character takes six bytes. */
const longest = (i: number) => String(i).padEnd(256, '\u0001');

async function cluster(clients: readonly string[]) {
  // Clients do not know peers that join later.
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const bus = new InProcessBus();
  const transports = [...voters, ...clients, 'd'].map((id) => bus.transport(id));
  const largest = { bytes: 0 };
  for (const transport of transports) {
    const send = transport.send.bind(transport);
    transport.send = (to, message) => {
      largest.bytes = Math.max(largest.bytes, JSON.stringify(message).length);
      send(to, message);
    };
  }
  const on = (id: string) => transports[[...voters, ...clients, 'd'].indexOf(id)]!;
  const all = voters.map((id) => createLocks({ transport: on(id), peers: voters }));
  const others = clients.map((id) => createLocks({ transport: on(id), peers: voters, client: true }));
  const joining = createLocks({ transport: on('d'), join: true });
  onTestFinished(async () => {
    await Promise.all([...all, ...others, joining].map((locks) => locks.close({ withinMs: 0 })));
    bus.close();
    warn.mockRestore();
  });
  await Promise.all([...all, ...others].map(({ ready }) => ready));
  /** Two epochs, one after the other. */
  const change = async () => {
    await all[0]!.addMember('d');
    await all[0]!.removeMember('d');
  };
  return { all, others, change, largest };
}

/** Until a request is refused. */
async function fill(locks: Locks, held: Lock[], next: { number: number }): Promise<Error> {
  for (;;) {
    try {
      held.push(await locks.acquire(longest(next.number++)));
    } catch (error) {
      return error as Error;
    }
  }
}

const isRefusal = (error: Error, peer: string) =>
  new RegExp(
    `^lock "\\d.* exceeds the limit of peer "${peer}": \\d+ others are already held or requested there, the maximum with names of this length. Release some first$`,
  ).test(error.message) && error.name === 'UsageError';

test('all peers are full: each epoch that follows keeps all of them', async () => {
  const { all, change } = await cluster([]);
  const held: Lock[] = [];
  for (const [i, locks] of all.entries())
    expect(isRefusal(await fill(locks, held, { number: i * 1_000 }), voters[i]!)).toBe(true);
  expect(held.length).toBeGreaterThan(250);
  await change();
  expect(held.filter(({ signal }) => signal.aborted)).toEqual([]);
});

test('clients fill their peers: the next one is refused, and no lock is lost', async () => {
  const ids = Array.from({ length: 20 }, (_, i) => `client ${i}`);
  const { all, others, change } = await cluster(ids);
  const held: Lock[] = [];
  const hostOf = (locks: Locks) => locks.status().host!;
  const next = { number: 0 };
  for (const locks of others) expect(isRefusal(await fill(locks, held, next), hostOf(locks))).toBe(true);
  expect(held.length).toBeGreaterThan(100);
  // Existing locks need no further room, and a refused client has no lock left.
  const [first, ...rest] = others as [Locks, ...Locks[]];
  const second = rest.find((locks) => hostOf(locks) === hostOf(first))!;
  const again = second.acquire(held[0]!.name);
  expect(second.status().waiting).toEqual([{ name: held[0]!.name, callers: 1 }]);
  expect(first.status().waiting).toEqual([]);
  for (const [i, locks] of all.entries())
    expect(isRefusal(await fill(locks, [], { number: 9_000 + i * 1_000 }), voters[i]!)).toBe(true);
  await change();
  expect(held.filter(({ signal }) => signal.aborted)).toEqual([]);
  for (const lock of held) lock.release();
  (await again).release();
  expect(await first.request(longest(8_000), ({ fence }) => fence)).toBeGreaterThan(0);
});

test('locks that clients returned are recorded until the epoch ends in time', async () => {
  const { all, others, change, largest } = await cluster(['x']);
  const held = await Promise.all(all.map((locks, i) => locks.acquire(`kept ${i}`)));
  for (let i = 0; i < 300; i++) await others[0]!.request(longest(i), () => {});
  await change();
  expect(largest.bytes).toBeLessThan(all[0]!.transport.guarantees.messageBytesMax / 8);
  expect(held.filter(({ signal }) => signal.aborted)).toEqual([]);
});
