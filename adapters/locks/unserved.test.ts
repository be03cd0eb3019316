/** The contents of the warning about missing service: peers that are not connected, are refused, or run locks with another name. */
import { asyncScheduler, VirtualTimeScheduler, type SchedulerLike } from 'rxjs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { linked } from '../linked.js';
import { hostile } from '../transports/hostile.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import { absenceOf } from '../transports/absence.js';
import { sealed } from '../transports/sealed.js';
import type { Linked, Transport } from '../transports/transport.js';
import { webSocketHub } from '../transports/web-socket-hub.js';
import { webSocket } from '../transports/web-socket.js';
import { createLocks, type LocksOptions } from './locks.js';
import { settled } from './peers.fixture.js';

function cluster() {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const running: { readonly transport: Transport; readonly clock: VirtualTimeScheduler }[] = [];
  onTestFinished(async () => {
    await Promise.all(running.map(({ transport }) => transport.close()));
    warn.mockRestore();
  });
  const start = (transport: Transport<Linked>, options: Omit<LocksOptions, 'transport'>) => {
    const clock = new VirtualTimeScheduler();
    const virtual = { now: () => clock.now(), schedule: clock.schedule.bind(clock) } as SchedulerLike;
    running.push({ transport, clock });
    const locks = createLocks({ transport, clock: virtual, ...options });
    locks.ready.catch(() => {});
    return locks;
  };
  /** Lets ten seconds pass for all peers, and returns their warnings. */
  const texts = async (): Promise<string[]> => {
    for (const { clock } of running) {
      clock.maxFrames += 11_000;
      clock.flush();
    }
    await settled();
    return warn.mock.calls.map(([text]) => text as string);
  };
  return { start, texts };
}
const three = ['a', 'b', 'c'];
const nothing = (name: string, id: string) => `"${name}" of peer "${id}" has granted no locks for 10 s: `;
const tooFew = ', and a majority of the peers has to be connected';
/** Over a bus, with a link layer for these peers. */
const onBus = (bus: InProcessBus) => (id: string, peers: readonly string[]) => linked(bus.transport(id), { peers, beatMs: 5 });

describe('locks with another name', () => {
  test('are named by each peer for its connected peers', async () => {
    const { start, texts } = cluster();
    const on = onBus(new InProcessBus());
    const all = ['orders', 'order', 'jobs'].map((name, i) => start(on(three[i]!, three), { peers: three, name }));
    await expect.poll(() => all.map(({ transport }) => transport.peers.size)).toEqual([2, 2, 2]);
    await settled();
    const cure = 'give createLocks the same name everywhere';
    expect(await texts()).toContain(
      `${nothing('orders', 'a')}it does not reach b, c (b: connected, with "order" and without "orders": ${cure}; ` +
        `c: connected, with "jobs" and without "orders": ${cure})${tooFew}`,
    );
    expect((await texts()).filter((text) => text.includes('granted no locks'))).toHaveLength(3);
  });

  test('and a peer without locks', async () => {
    const { start, texts } = cluster();
    const on = onBus(new InProcessBus());
    const b = on('b', three);
    onTestFinished(() => b.close());
    const [{ transport }] = [start(on('a', three), { peers: three }), await b.connect()];
    await expect.poll(() => transport.peers.size).toBe(1);
    expect(await texts()).toContain(
      `${nothing('locks', 'a')}it does not reach b, c (b: connected, without "locks": call createLocks there, with this name)${tooFew}`,
    );
  });

  test('are reported to a client as well', async () => {
    const { start, texts } = cluster();
    const on = onBus(new InProcessBus());
    const all = ['a', 'b', 'c'].map((id) => start(on(id, [...three, 'd']), { peers: three, name: 'orders' }));
    await Promise.all(all.map(({ ready }) => ready));
    const { transport } = start(on('d', [...three, 'd']), { peers: three, client: true, name: 'order' });
    await expect.poll(() => transport.peers.size).toBe(3);
    await settled();
    expect(await texts()).toEqual([
      `${nothing('order', 'd')}it is a client, and none of a, b, c accepts it; it reaches none of them ` +
        '(a, b, c: connected, with "orders" and without "order": give createLocks the same name everywhere)',
    ]);
  });

  test('are forgotten when they are closed, quoted, and limited to a few', async () => {
    const { start, texts } = cluster();
    const bus = new InProcessBus();
    const b = bus.transport('b');
    onTestFinished(() => b.close());
    await b.connect();
    const { node } = start(bus.transport('a'), { peers: three });
    await node.ready;
    const sendText = (name: string, type: string) => b.send('a', { v: 1, name, message: { type } });
    sendText('closed', 'node.hello');
    sendText('closed', 'node.bye');
    const long = `\u001b[2J${'x'.repeat(500)}`;
    for (const name of [long, 'two', 'three', 'four', 'five']) sendText(name, 'node.hello');
    await settled();
    const quoted = `"\\u{1b}[2J${'x'.repeat(90)}…"`;
    expect(await texts()).toEqual([
      `${nothing('locks', 'a')}it does not reach b, c (b: connected, with ${quoted}, "two", "three", "four" and without "locks": ` +
        `give createLocks the same name everywhere)${tooFew}`,
    ]);
  });
});

describe('a client whose listed peers do not vote', () => {
  const allIds = [...three, 'd', 'e', 'f'];
  async function served(start: ReturnType<typeof cluster>['start'], peers = three) {
    const on = onBus(new InProcessBus());
    const all = peers.map((id) => start(on(id, allIds), { peers }));
    await Promise.all(all.map(({ ready }) => ready));
    return { on, all };
  }
  const client = (id: string, given: string) =>
    `${nothing('locks', id)}it is a client, and none of ${given} accepts it; it reaches `;
  const others = (speak: string, given: string) =>
    `; ${speak} also take part in "locks", and are not among the peers that it was given (${given}). If they vote and these do not, ` +
    'restart it with the voters as its peers: locks.members on one of them lists the voters';

  test('because they are clients themselves, or not connected', async () => {
    const { start, texts } = cluster();
    const { on } = await served(start);
    await start(on('e', allIds), { peers: three, client: true }).ready;
    const { transport } = start(on('d', allIds), { peers: ['e', 'f'], client: true });
    await expect.poll(() => transport.peers.size).toBe(4);
    await settled();
    expect(await texts()).toContain(
      `${client('d', 'e, f')}none of them (e: connected, without "locks" or as a client of it: ` +
        `if it should vote, call createLocks there, with this name)${others('a, b, c', 'e, f')}`,
    );
  });

  test('because they wait to be added: they report the voters', async () => {
    const { start, texts } = cluster();
    const { on } = await served(start);
    start(on('e', allIds), { join: true });
    const { transport } = start(on('d', allIds), { peers: ['e'], client: true });
    await expect.poll(() => transport.peers.size).toBe(4);
    await settled();
    expect(await texts()).toContain(`${client('d', 'e')}e; a, b, c vote for "locks" now. Start it again with these as its peers`);
  });

  test('because they were removed: they report the voters', async () => {
    const { start, texts } = cluster();
    const { on, all } = await served(start, [...three, 'e']);
    await all[0]!.removeMember('e');
    const { transport } = start(on('d', allIds), { peers: ['e'], client: true });
    await expect.poll(() => transport.peers.size).toBe(4);
    await settled();
    expect(await texts()).toContain(`${client('d', 'e')}e; a, b, c vote for "locks" now. Start it again with these as its peers`);
  });
});

test('peers that were given the hubs in another order', async () => {
  const { start, texts } = cluster();
  const hubs = await Promise.all([webSocketHub({ port: 0 }), webSocketHub({ port: 0 })]);
  onTestFinished(() => Promise.all(hubs.map((hub) => hub.close())).then(() => {}));
  const urls = hubs.map(({ port }) => `ws://127.0.0.1:${port}`);
  const on = (id: string, url: string[]) => linked(webSocket({ id, url, WebSocket }), { peers: three, beatMs: 20 });
  const all = [start(on('a', urls), { peers: three }), start(on('b', urls.toReversed()), { peers: three })];
  await Promise.all(all.map(({ node }) => node.ready));
  const at = (other: string, i: number) =>
    `it does not reach ${other}, c (${other}, c: not at the hub at ${urls[i]}, one of 2 hubs: it has not connected, or has other hubs. Pass the same hubs in the same order to all peers)${tooFew}`;
  expect(await texts()).toEqual([nothing('locks', 'a') + at('b', 0), nothing('locks', 'b') + at('a', 1)]);
});

test('a peer whose hub is away', async () => {
  const { start, texts } = cluster();
  const hub = await webSocketHub({ port: 0 });
  const url = `ws://127.0.0.1:${hub.port}`;
  const { node, transport } = start(linked(webSocket({ id: 'a', url, WebSocket }), { peers: three }), { peers: three });
  await node.ready;
  const at = `${nothing('locks', 'a')}it does not reach b, c (b, c: `;
  await hub.close();
  await vi.waitFor(() => expect(absenceOf(transport, 'b')).toBe('this peer has no connection to a hub'));
  expect(await texts()).toContain(`${at}this peer has no connection to a hub)${tooFew}`);
});

describe('a peer whose frames are refused', () => {
  const key = 'a key of sixteen bytes';
  const wrong: [string, (medium: Transport) => Transport, string][] = [
    [
      'with another key',
      (medium) => sealed(medium, { key: 'another of sixteen' }),
      'it sends with a seal of a different key and is refused. Use the same key at both peers',
    ],
    ['without a seal', (medium) => medium, 'it sends without a seal and is refused. Use sealed with the same key there'],
  ];
  test.each(wrong)('%s', async (_, made, reason) => {
    const { start, texts } = cluster();
    const bus = new InProcessBus();
    const on = (medium: Transport) => linked(medium, { peers: three, beatMs: 5 });
    const { transport } = start(on(sealed(bus.transport('a'), { key })), { peers: three });
    start(on(made(bus.transport('b'))), { peers: three });
    await vi.waitFor(() => expect(absenceOf(transport, 'b')).toBe(reason));
    expect(await texts()).toContain(`${nothing('locks', 'a')}it does not reach b, c (b: ${reason})${tooFew}`);
  });

  test('is not reported any more once its frames are accepted', async () => {
    cluster();
    const bus = new InProcessBus();
    let theirs = 'another of sixteen';
    const on = (id: string, of: () => string) => linked(sealed(bus.transport(id), { key: of }), { peers: three, beatMs: 5 });
    const [a, b] = [on('a', () => key), on('b', () => theirs)];
    onTestFinished(() => Promise.all([a.close(), b.close()]).then(() => {}));
    await Promise.all([a.connect(), b.connect()]);
    await vi.waitFor(() => expect(absenceOf(a, 'b')).toContain('different key'));
    theirs = key;
    await vi.waitFor(() => expect(a.peers.has('b')).toBe(true));
    expect(absenceOf(a, 'b')).toBeNull();
    await b.close();
    await vi.waitFor(() => expect(a.peers.has('b')).toBe(false));
    expect(absenceOf(a, 'b')).toBeNull();
  });
});

describe('a wrong name in the peers of linked', () => {
  const isNamedThere = 'connected, but its link layer does not answer: it is starting, or its peers of linked lack this peer';

  test('here: a peer with another name; there: a peer without replies', async () => {
    const { start, texts } = cluster();
    const on = onBus(new InProcessBus());
    const wrong = ['a', 'bb', 'c'];
    const all = [start(on('a', wrong), { peers: wrong }), start(on('b', three), { peers: three })];
    await Promise.all(all.map(({ node }) => node.ready));
    const warnings = await texts();
    expect(warnings).toContain(
      `${nothing('locks', 'a')}it does not reach bb, c (bb, c: not connected; connected, but not in the peers of linked here: b)${tooFew}`,
    );
    expect(warnings).toContain(`${nothing('locks', 'b')}it does not reach a, c (a: ${isNamedThere})${tooFew}`);
  });

  test('of a peer that joins: both peers report it', async () => {
    const { start, texts } = cluster();
    const on = onBus(new InProcessBus());
    const all = three.map((id) => start(on(id, [...three, 'dd']), { peers: three }));
    await Promise.all(all.map(({ ready }) => ready));
    const { node } = start(on('d', [...three, 'd']), { join: true });
    await node.ready;
    expect(await texts()).toContain(
      `${nothing('locks', 'd')}it is not a member (a, b, c: ${isNamedThere}). Call addMember("d") on a member, which must list it in the peers of linked`,
    );
    await expect(all[0]!.addMember('d')).rejects.toThrow(
      'peer "d" is not connected with "a" (not in the peers of linked here). Start it with join: true before it is added, and list it in linked at every peer',
    );
  });
});

test('clocks more than a day apart: each end reports both times', async () => {
  const { start, texts } = cluster();
  const bus = new InProcessBus();
  const now = Date.parse('2026-03-01T12:00:00Z');
  const at = (id: string, began: number) => {
    const clock = { now: () => began, schedule: asyncScheduler.schedule.bind(asyncScheduler) } as SchedulerLike;
    return start(linked(bus.transport(id), { peers: three, beatMs: 5, clock }), { peers: three });
  };
  const all = [at('a', now), at('b', now + 3 * 86_400_000), at('c', now + 3 * 86_400_000 + 60_000)];
  await Promise.all(all.map(({ node }) => node.ready));
  await vi.waitFor(() => expect(all[1]!.transport.peers).toContain('c'));
  await settled();
  const ahead = (began: string) =>
    `connected, but refused because its clock is more than a day ahead: it started at ${began} by its clock, and here it is 2026-03-01 12:00:00 UTC. Correct both clocks`;
  const warnings = await texts();
  // The first warning, long before the locks have waited for ten seconds, names the clock as well.
  expect(warnings[0]).toMatch(
    /^node "a" of "link\/1" dropped a message: "frame" from "[bc]" is refused because its clock is more than a day ahead/,
  );
  expect(warnings).toContain(
    `${nothing('locks', 'a')}it does not reach b, c (b: ${ahead('2026-03-04 12:00:00 UTC')}; c: ${ahead('2026-03-04 12:01:00 UTC')})${tooFew}`,
  );
  const reason = () => absenceOf(all[0]!.transport, 'b');
  expect(reason()).toMatch(/clock/);
  await all[1]!.transport.close();
  // A peer that is gone is not refused.
  await expect.poll(reason).toBeNull();
  expect(warnings.filter((text) => text.includes('"b" has granted no locks'))[0]).toContain(
    '(a: connected, but does not answer: it started at 2026-03-01 12:00:00 UTC by its clock, and this peer at 2026-03-04 12:00:00 UTC by its own. ' +
      'Correct both clocks, unless it ran that long)',
  );
});

test('clocks of two peers connected by a third: both times, until one is gone', async () => {
  const { start, texts } = cluster();
  const bus = new InProcessBus();
  const noon = Date.parse('2026-03-01T12:00:00Z');
  let passed = 0;
  const at = (id: string, hours: number, cutFrom: readonly string[]) => {
    const now = () => noon + hours * 3_600_000 + passed;
    const medium = hostile(bus.transport(id), { seed: 1, loss: 0, duplicate: 0, delayMs: 0 });
    for (const other of cutFrom) medium.cutFrom.add(other);
    const clock = { now, schedule: asyncScheduler.schedule.bind(asyncScheduler) } as SchedulerLike;
    return start(linked(medium, { peers: three, beatMs: 5, clock }), { peers: three });
  };
  // Neither differs by more than a day from b.
  const [a, b, c] = [at('a', -20, ['c']), at('b', 0, []), at('c', 20, ['a'])];
  const reason = () => absenceOf(a.transport, 'c');
  await vi.waitFor(() => expect([b.transport.peers.size, reason(), absenceOf(c.transport, 'a')]).not.toContain(null));
  await vi.waitFor(() => expect([...b.transport.peers].sort()).toEqual(['a', 'c']));
  await settled();
  const warnings = await texts();
  const begin = ', and peers without storage begin once all are connected';
  expect(warnings.find((text) => text.includes('"a" has granted no locks'))).toContain(
    'it does not reach c (c: connected through b, but refused because its clock is more than a day ahead: it started at 2026-03-02 08:00:00 UTC by its clock, and here it is ' +
      `2026-02-28 16:00:00 UTC. Correct both clocks)${begin}`,
  );
  expect(warnings.find((text) => text.includes('"c" has granted no locks'))).toContain(
    'it does not reach a (a: connected through b, but does not answer: it started at 2026-02-28 16:00:00 UTC by its clock, and this peer at 2026-03-02 08:00:00 UTC by its ' +
      `own. Correct both clocks, unless it ran that long)${begin}`,
  );
  await c.transport.close();
  passed = 60_000;
  await expect.poll(reason).toBeNull();
});
