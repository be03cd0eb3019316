/** Quota, names and bank over in-process transports: each promise resolves or rejects, and the sums are exact. */
import { createNames } from '../names.js';
import { createQuota } from '../quota.js';
import { describe, expect, test } from 'vitest';
import { controllerCore } from '../../machines/controller/index.js';
import { createBank } from './bank.js';
import { ClosedError } from '../transports/errors.js';
import { createNode } from '../node/node.js';
import { InProcessBus } from '../transports/in-process.js';
import { type QuotaOptions } from './quota.js';

const PEERS = ['a', 'b', 'c'];

function onBus<T>(create: (peers: Pick<QuotaOptions, 'transport' | 'peers'>) => T): T[] {
  const bus = new InProcessBus();
  return PEERS.map((id) => create({ transport: bus.transport(id), peers: PEERS }));
}

const quotas = (options: { budget: number; waste?: number }) => onBus((peers) => createQuota({ ...peers, ...options }));

describe('quota', () => {
  test('grants exactly the budget, regardless of the requesters', async () => {
    const all = quotas({ budget: 500 });
    const answers = await Promise.all(all.flatMap((quota) => Array.from({ length: 200 }, () => quota.take())));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(500);
    expect(await all[1]!.take()).toEqual({ ok: false, remaining: 0 });
  });

  test('grants from its own bin if possible', async () => {
    const [, b] = quotas({ budget: 3000, waste: 1500 });
    const { remaining } = await b!.take();
    expect(remaining).toBeGreaterThan(100);
    expect(await b!.take(remaining)).toEqual({ ok: true, remaining: 0 });
  });

  test('the bin grants at once, and the chart gets all in one step before its next event', async () => {
    const [, b] = quotas({ budget: 3000, waste: 1500 });
    const { remaining } = await b!.take();
    const steps: unknown[] = [];
    b!.node.steps$.subscribe(({ event }) => steps.push(event));
    for (let i = 1; i <= 100; i++) expect(await b!.take()).toEqual({ ok: true, remaining: remaining - i });
    expect(steps).toEqual([]);
    expect(await b!.take(remaining)).toMatchObject({ ok: true });
    expect(steps.slice(0, 2)).toEqual([
      { type: 'take', amount: 100 },
      { type: 'take', amount: remaining },
    ]);
  });

  test('the chart shows the granted permits to the caller, and soon to all peers', async () => {
    const [, b] = quotas({ budget: 3000, waste: 1500 });
    const { remaining } = await b!.take();
    const permits = () => b!.node.view()['R.request']!.context.permits as number;
    await b!.take();
    expect([permits(), b!.remaining]).toEqual([remaining - 1, remaining - 1]);
    const notified = new Promise((resolve) => b!.node.steps$.subscribe(resolve));
    await b!.take();
    await notified;
    expect(permits()).toBe(remaining - 2);
  });

  test('an amount is granted completely or not at all', async () => {
    const [, b] = quotas({ budget: 10 });
    expect(await b!.take(4)).toMatchObject({ ok: true });
    expect(await b!.take(7)).toEqual({ ok: false, remaining: 6 });
    expect(await b!.take(6)).toEqual({ ok: true, remaining: 0 });
  });

  test('a leaf that leaves returns its permits', async () => {
    const [a, b] = quotas({ budget: 300, waste: 90 });
    expect(await b!.take()).toEqual({ ok: true, remaining: 29 });
    const atRoot = () => a!.node.view()['R.delivery']!.context.permits as number;
    expect(atRoot()).toBe(270);
    expect(await b!.take(4)).toEqual({ ok: true, remaining: 25 });
    expect(await b!.leave()).toBe(true);
    await expect.poll(atRoot).toBe(295);
  });

  test('a peer with children stays', async () => {
    const [a] = quotas({ budget: 10 });
    expect(await a!.leave()).toBe(false);
  });

  test('a restarted leaf is notified that it no longer participates; others go on', async () => {
    const bus = new InProcessBus();
    const transports = PEERS.map((id) => bus.transport(id));
    const [a, b, c] = transports.map((transport) => createQuota({ transport, peers: PEERS, budget: 100 }));
    await b!.take();
    await b!.close();
    await expect.poll(() => a!.node.view()['main']!.context.lost).toEqual(['b']);
    const answers = await Promise.all(Array.from({ length: 100 }, () => c!.take()));
    expect(answers.filter(({ ok }) => ok).length).toBeGreaterThanOrEqual(98);
    const again = createQuota({ transport: transports[1]!, peers: PEERS, budget: 100 });
    await expect(again.take()).rejects.toThrow(
      'quota "quota" of peer "b" has lost its connection to the others. Create it again with a new name.',
    );
  });

  test('a take that can no longer be answered is rejected', async () => {
    const [, b] = quotas({ budget: 10 });
    const take = b!.take();
    await b!.close();
    await expect(take).rejects.toThrow(ClosedError);
    await expect(b!.take()).rejects.toThrow(ClosedError);
  });

  test('invalid amounts, peers and budgets are refused', async () => {
    const [, b] = quotas({ budget: 10 });
    await expect(b!.take(0)).rejects.toThrow('Invalid amount: 0. Pass an integer of at least 1.');
    await expect(b!.take(1.5)).rejects.toThrow('Invalid amount: 1.5. Pass an integer of at least 1.');
    const transport = new InProcessBus().transport('z');
    expect(() => createQuota({ transport, peers: PEERS, budget: 1 })).toThrow('peer "z" is missing in peers (a, b, c). Add it.');
    expect(() => quotas({ budget: 1, waste: 2 })).toThrow(
      'options.W is 2, above M = 1. At most all permits can be wasted, so W is at most M.',
    );
  });
});

test('names are unique and short', async () => {
  const all = onBus(createNames);
  const given = await Promise.all(all.flatMap((names) => Array.from({ length: 40 }, () => names.next())));
  expect(new Set(given).size).toBe(120);
  expect(Math.min(...given)).toBeGreaterThanOrEqual(3);
  expect(Math.max(...given)).toBeLessThan(4 * 123);
});

describe('bank', () => {
  const banks = (options: { balance?: number; waste?: number }) => onBus((peers) => createBank({ ...peers, ...options }));

  test('a withdrawal waits for deposits, wherever they are made', async () => {
    const [a, b, c] = banks({});
    const events: string[] = [];
    const withdrawal = b!.withdraw(5).then(() => events.push('withdrawn'));
    await a!.deposit(3);
    events.push('three');
    await c!.deposit(2);
    events.push('five');
    await withdrawal;
    expect(events).toEqual(['three', 'five', 'withdrawn']);
  });

  test('a deposit at a peer with waiting withdrawals reaches them', async () => {
    const [, b] = banks({});
    const withdrawals = [b!.withdraw(1), b!.withdraw(1)];
    await b!.deposit(2);
    await Promise.all(withdrawals);
  });

  test('a deposit that one step cannot send is refused, and changes nothing', async () => {
    const [, b] = banks({});
    await b!.ready;
    await expect(b!.deposit(2 ** 52)).rejects.toThrow(
      'amount is 4503599627370496. One step sends a message for each full bin, so deposit at most 100000 at once.',
    );
    expect(b!.node.view()['D']!.context.deposited).toBe(0);
  });

  test('an aborted withdrawal of more than one deposit is paid back in parts', async () => {
    const [a] = banks({ balance: 200_000, waste: 90_000 });
    const waiting = new AbortController();
    const withdrawal = a!.withdraw(100_001, { signal: waiting.signal });
    waiting.abort();
    await expect(withdrawal).rejects.toMatchObject({ name: 'AbortError' });
    await expect.poll(() => a!.node.view()['D']!.context.deposited as number).toBe(100_001);
  });

  test('an aborted withdrawal is paid back', async () => {
    const [a, b] = banks({});
    const waiting = new AbortController();
    const withdrawal = b!.withdraw(2, { signal: waiting.signal });
    waiting.abort();
    await expect(withdrawal).rejects.toMatchObject({ name: 'AbortError' });
    await a!.deposit(2);
    await expect.poll(() => b!.node.view()['D']!.context.deposited as number).toBe(2);
    await a!.withdraw(2);
  });
});

test('a deposit at a peer that does not participate is refused with an error', async () => {
  const transport = new InProcessBus().transport('b');
  const topology = { nodes: ['a', 'b'], links: [['a', 'b', 1]] as const };
  const options = { kind: 'bank', root: 'a', parents: { a: 'a' } };
  const b = createNode({ transport, protocol: controllerCore, topology, options });
  await b.ready;
  const before = b.view();
  expect(() => b.command('deposit', { amount: 2 })).toThrow(/node "b" of "controller" cannot accept the command "deposit" in/);
  expect(b.view()).toEqual(before);
  await b.close();
});
