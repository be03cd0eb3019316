/** The world itself: what a process sees of time, timers, chance and other processes, and what may not leave it. */
import { setTimeout as wait } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import * as net from 'node:net';
import { interval } from 'rxjs';
import { expect, test, vi } from 'vitest';
import { createActor, createMachine, fromPromise } from 'xstate';
import { invariant } from './judges.js';
import type { Main } from './peer.js';
import { quietScenario } from './quiet.fixture.js';
import type { RehearseOptions } from './options.js';
import { rehearse, runOnce } from './rehearse.js';
import type { RehearsalFault, RehearsalScenario } from './scenario.js';

const { setTimeout: taken } = globalThis;

const fault = (what: RehearsalFault['what'], atMs: number, lastsMs: number, size = 1): RehearsalFault => ({
  what,
  atMs,
  lastsMs,
  who: 'p0',
  other: 'p1',
  size,
});

/** The notes of the peers in one run, each with its time. */
async function notes(scenario: Partial<RehearsalScenario>, main: Main, options: RehearseOptions = { judges: [] }) {
  const { events } = await runOnce({ ...quietScenario, ...scenario }, options, main);
  return events.flatMap(({ type, at, peer, what, ...rest }) => {
    if (type === 'note') return [`${Math.floor(at)} ${peer}: ${what as string}`];
    return type === 'uncaught' ? [`${Math.floor(at)} ${peer} ends: ${rest['error'] as string}`] : [];
  });
}

/** Runs only on p0. */
const first =
  (main: Main): Main =>
  (peer) =>
    peer.id === 'p0' ? main(peer) : undefined;

test('timers, the time and signals are virtual, and those of Node’s modules as well', async () => {
  const seen = await notes(
    {},
    first(async ({ note }) => {
      const begun = [Date.now(), performance.now()] as const;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      note(`after a timer, ${Math.round((Date.now() - begun[0]) / 10)} ${Math.round((performance.now() - begun[1]) / 10)}`);
      await wait(1_000);
      note('after a promise of node:timers');
      const signal = AbortSignal.timeout(1_000);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      note(`after a signal, ${(signal.reason as Error).name}`);
      let beats = 0;
      await new Promise<void>((resolve) => {
        const beat = setInterval(() => {
          if (++beats < 3) return;
          clearInterval(beat);
          resolve();
        }, 100);
      });
      note(`${beats} beats, in ${new Date().getUTCFullYear()}`);
    }),
  );
  expect(seen).toEqual([
    '1000 p0: after a timer, 100 100',
    '2000 p0: after a promise of node:timers',
    '3000 p0: after a signal, TimeoutError',
    '3301 p0: 3 beats, in 2026',
  ]);
});

test('random numbers come from the seed, with a separate stream for each process', async () => {
  const main: Main = async ({ note }) => {
    const digest = await crypto.subtle.digest('SHA-256', new Uint8Array([1]));
    note(`${Math.random()} ${crypto.randomUUID()} ${new Uint8Array(digest)[0]}`);
  };
  const [a, b, c] = [await notes({}, main), await notes({}, main), await notes({ seed: 2 }, main)];
  expect(a).toEqual(b);
  expect(a).not.toEqual(c);
  expect(new Set(a.map((line) => line.slice(-50))).size).toBe(2);
  expect(a.every((line) => line.endsWith(' 75'))).toBe(true);
});

test('warnings and notices of a process are in the log, and are not printed', async () => {
  const printed = [vi.spyOn(console, 'info'), vi.spyOn(console, 'warn')];
  const main = first(() => [console.info('one is missing'), console.warn('still missing')]);
  const { lines } = await runOnce(quietScenario, { judges: [] }, main, true);
  expect(lines.flatMap((line) => /(?:info|warn): .*/.exec(line) ?? [])).toEqual(['info: one is missing', 'warn: still missing']);
  for (const spy of printed) expect(spy).not.toHaveBeenCalled();
});

test('message channels deliver copies in order, broadcast channels to all others', async () => {
  const seen = await notes({}, async ({ id, note }) => {
    const { port1, port2 } = new MessageChannel();
    port2.onmessage = ({ data }) => note(`port ${data}`);
    port1.postMessage(1);
    port1.postMessage(2);
    const tabs = new BroadcastChannel('tabs');
    tabs.onmessage = ({ data }) => note(`tab ${data}`);
    await wait(10);
    tabs.postMessage(id);
  });
  const ports = seen.filter((line) => line.includes('p0: port')).map((line) => line.at(-1));
  expect(ports).toEqual(['1', '2']);
  expect(
    seen
      .filter((line) => line.includes('tab'))
      .map((line) => line.slice(line.indexOf('p')))
      .sort(),
  ).toEqual(['p0: tab p1', 'p1: tab p0']);
});

test('an uncaught error ends the process, and a supervisor restarts it', async () => {
  const seen = await notes(
    {},
    first(({ life, note }) => {
      note(`life ${life}`);
      if (life === 1) setTimeout(() => void Promise.reject(new Error('forgotten')), 100);
      if (life === 2)
        setTimeout(
          () =>
            queueMicrotask(() => {
              throw new TypeError('thrown');
            }),
          100,
        );
    }),
  );
  expect(seen).toEqual([
    '0 p0: life 1',
    '100 p0 ends: Error: forgotten',
    '1100 p0: life 2',
    '1200 p0 ends: TypeError: thrown',
    '2200 p0: life 3',
  ]);
});

test('a peer that throws at its start or whose turn does not end is reported', async () => {
  const thrown = await rehearse({ peers: 1, runs: 1, faults: [], shrinkSeconds: 0 }, () => {
    throw new Error('no configuration');
  });
  expect(thrown.failure).toMatchObject({ judge: 'no errors', description: expect.stringContaining('Error: no configuration') });
  const spinning = await rehearse({ peers: 1, runs: 1, faults: [], shrinkSeconds: 0 }, async () => {
    while (Date.now() > 0) await Promise.resolve();
  });
  expect(spinning.failure?.description).toContain('A turn of "p0" does not end');
});

test.each([
  ['kill', ['0 p0: up', '2000 p0: up']],
  ['pause', ['0 p0: up', '2000 p0: 1500', '2000 p0: 2000']],
] as const)('%s', async (what, expected) => {
  const seen = await notes(
    { faults: [fault(what, 1_000, 1_000)] },
    first(({ life, note }) => {
      note('up');
      if (life === 1) for (const ms of [1_500, 2_000]) setTimeout(() => note(String(ms)), ms);
    }),
  );
  expect(seen.map((line) => line.replace('2001', '2000'))).toEqual(expected.map((line) => line));
});

test('a clock that is set shows another time, and its timers continue', async () => {
  const seen = await notes({ faults: [fault('jump', 1_000, 0, 60_000)], skewsMs: [-5_000, 0] }, async ({ note }) => {
    await wait(2_000);
    note(new Date().toISOString().slice(11, 19));
  });
  expect(seen).toEqual(['2000 p0: 00:00:57', '2000 p1: 00:00:02']);
});

const server: Main = ({ listen, WebSocketServer, note }) => {
  const sockets = new WebSocketServer();
  listen().on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (opened: any) => {
      opened.on('message', (text: string) => {
        note(`got ${text}`);
        opened.send(`${text}!`);
      });
      opened.on('close', () => note('closed'));
    }),
  );
};
const client: Main = ({ note }) => {
  const socket = new WebSocket('ws://p1');
  socket.onopen = () => setInterval(() => socket.send(String(Math.round(performance.now() / 1_000))), 1_000);
  socket.onmessage = ({ data }) => note(`answer ${data}`);
  socket.onclose = () => note('closed');
  socket.addEventListener('error', (event) => note(`error ${(event as ErrorEvent).message}`));
};
const both: Main = (peer) => (peer.id === 'p0' ? client(peer) : server(peer));
/** Without times, those of the first seconds. */
const talk = async (faults: readonly RehearsalFault[], seconds = 4.5) =>
  (await notes({ faults, seconds }, both)).map((line) => line.slice(line.indexOf('p')));

test('sockets: data arrives in order, and later over a path that was cut', async () => {
  const notified = ['p1: got 1', 'p0: answer 1!', 'p1: got 2', 'p0: answer 2!', 'p1: got 3', 'p0: answer 3!'];
  expect(await talk([])).toEqual([...notified, 'p1: got 4', 'p0: answer 4!']);
  expect(await talk([fault('cut', 1_500, 2_000)])).toEqual([
    ...notified.slice(0, 2),
    'p1: got 2',
    'p1: got 3',
    'p0: answer 2!',
    'p0: answer 3!',
    'p1: got 4',
    'p0: answer 4!',
  ]);
  expect(await talk([fault('deaf', 1_500, 60_000)])).toEqual([
    'p1: got 1',
    'p0: answer 1!',
    'p1: got 2',
    'p1: got 3',
    'p1: got 4',
  ]);
  expect(await talk([fault('mute', 1_500, 60_000)])).toEqual(notified.slice(0, 2));
});

test('sockets: a reset closes both ends, a kill the other one, a power loss none', async () => {
  expect((await talk([fault('reset', 1_500, 0)])).slice(2).sort()).toEqual(['p0: closed', 'p1: closed']);
  expect((await talk([fault('kill', 1_500, 60_000)])).slice(2)).toEqual(['p1: closed']);
  expect((await talk([fault('power', 1_500, 60_000)])).slice(2)).toEqual([]);
});

test('sockets: a machine that is back resets a connection when it receives data', async () => {
  const away = { ...fault('power', 1_500, 1_000), who: 'p1' };
  expect(await talk([away], 2.9)).toEqual(['p1: got 1', 'p0: answer 1!']);
  expect(await talk([away], 3.5)).toEqual(['p1: got 1', 'p0: answer 1!', 'p0: closed']);
});

test('sockets: connecting without a listener fails, without a response times out', async () => {
  const alone: Main = (peer) => (peer.id === 'p0' ? client(peer) : undefined);
  expect(await notes({}, alone)).toEqual(['1 p0: error ECONNREFUSED', '1 p0: closed']);
  expect((await notes({ faults: [fault('cut', 0, 60_000)], seconds: 40 }, both)).join()).toMatch(
    /^2\d+ p0: error ETIMEDOUT,2\d+ p0: closed$/,
  );
});

test('node:net: a process that restarts while connecting gets no event of it', async () => {
  const dials: Main = ({ id, life, note }) => {
    if (id === 'p0') net.connect(1, 'p1').on('error', ({ message }) => note(`${life}: ${message}`));
  };
  expect(await notes({ faults: [fault('cut', 0, 3_000), fault('kill', 1_000, 200)] }, dials)).toEqual([
    expect.stringMatching(/^3\d+ p0: 2: connect ECONNREFUSED p1:1$/),
  ]);
});

test('node:net: corked data is sent together, as by Node', async () => {
  const pieces: string[] = [];
  await notes({}, ({ id }) => {
    if (id === 'p1') return net.createServer((socket) => socket.on('data', (data) => pieces.push(String(data)))).listen(1);
    const socket = net.connect(1, 'p1', () => {
      socket.cork();
      for (let i = 0; i < 100; i++) socket.write(String(i % 10));
      socket.uncork();
    });
    return socket;
  });
  expect(pieces.join('')).toBe('0123456789'.repeat(10));
  expect(pieces.length).toBeLessThan(10);
});

test('node:net: bytes arrive in order, in different pieces than written', async () => {
  const pieces: string[] = [];
  await notes({}, ({ id }) => {
    if (id === 'p1') return net.createServer((socket) => socket.on('data', (data) => pieces.push(String(data)))).listen(1);
    const socket = net.connect(1, 'p1', () => setInterval(() => socket.write('0123456789'), 100));
    return socket;
  });
  expect(pieces.join('')).toMatch(/^(0123456789){50,}$/);
  expect(pieces.filter((piece) => piece !== '0123456789').length).toBeGreaterThan(10);
});

test('XState actors and RxJS operators run in virtual time', async () => {
  const machine = createMachine({
    initial: 'waiting',
    states: {
      waiting: { after: { 1_500: 'asking' } },
      asking: { invoke: { src: fromPromise(() => wait(2_000)), onDone: 'done' } },
      done: { type: 'final' },
    },
  });
  const seen = await notes(
    { faults: [fault('kill', 6_000, 1_000)] },
    first(({ note }) => {
      const actor = createActor(machine);
      actor.subscribe(({ value }) => note(String(value)));
      actor.start();
      interval(2_500).subscribe((i) => note(`beat ${i}`));
    }),
  );
  expect(seen.map((line) => line.replace(/^(\d+)\d\d /, '$1 '))).toEqual([
    '0 p0: waiting',
    '15 p0: asking',
    '25 p0: beat 0',
    '35 p0: done',
    '50 p0: beat 1',
    '70 p0: waiting',
    '85 p0: asking',
    '95 p0: beat 0',
  ]);
});

test('the store rejects stale fences; the disk survives a kill, with torn writes', async () => {
  const judges = [invariant('stock', ({ store }) => (store.get('stock') ?? 0) !== -1 || 'it is negative')];
  const seen = await notes(
    { faults: [fault('kill', 1_000, 500)] },
    first(async ({ life, store, disk, note }) => {
      if (life === 1) {
        await disk.write('log', 'first');
        await store.write('stock', 5, { fence: 7 });
        await store.write('stock', 4, { fence: 6 }).catch((error: Error) => note(error.message));
      } else note(`${await disk.read('log')} ${JSON.stringify(await store.read('stock'))}`);
    }),
    { judges },
  );
  expect(seen.map((line) => line.slice(line.indexOf('p0')))).toEqual([
    'p0: "stock" cannot be used with fencing token 6, because the larger token 7 was used before. The lock is lost',
    'p0: first 5',
  ]);
  const after = new Set<string>();
  for (let seed = 1; seed <= 12; seed++) {
    const [line] = await notes(
      { seed, faults: [fault('power', 1_000, 500)] },
      first(async ({ life, disk, note }) => {
        if (life > 1) return note(String(await disk.read('log')));
        await disk.write('log', 'old');
        await wait(998 - performance.now());
        await disk.write('log', 'new, and longer');
      }),
    );
    after.add(line!.slice(line!.indexOf(':') + 2));
  }
  expect(after).toContain('old');
  expect(after).toContain('new, and longer');
  expect(after.size).toBeGreaterThan(2);
  const broken = await rehearse({ peers: 1, runs: 1, faults: [], shrinkSeconds: 0, judges }, ({ store }) =>
    store.write('stock', -1),
  );
  expect(broken.failure).toMatchObject({ judge: 'stock', description: 'it is negative' });
});

test('the store: a read with a fence excludes writes with a smaller one, not reads', async () => {
  const seen = await notes(
    {},
    first(async ({ store, note }) => {
      const late = (error: Error) => note(error.message);
      await store.write('stock', 5, { fence: 5 });
      note(`${await store.read('stock', { fence: 7 })} ${await store.read('stock', { fence: 6 })}`);
      await store.write('stock', 4, { fence: 6 }).catch(late);
      await store.read('stock', { fence: 4 }).catch(late);
      await store.write('stock', 3, { fence: 7 });
      note(String(await store.read('stock')));
    }),
  );
  expect(seen.map((line) => line.slice(line.indexOf(':') + 2))).toEqual([
    '5 5',
    '"stock" cannot be used with fencing token 6, because the larger token 7 was used before. The lock is lost',
    '"stock" cannot be used with fencing token 4, because the larger token 5 was used before. The lock is lost',
    '3',
  ]);
});

test('the store: a process that restarts while writing gets no response', async () => {
  const writes = first(async ({ life, note, store }) => {
    await store.write('life', life);
    note(String(life));
  });
  const noted = await notes({ faults: [fault('kill', 1, 0.1)] }, writes);
  expect(noted).toEqual([expect.stringMatching(/^\d+ p0: 2$/)]);
});

test('reports calls that escape the world, and values that a seed does not repeat', async () => {
  const escape = async (main: Main) => (await rehearse({ peers: 1, runs: 1, faults: [], judges: [] }, main)).failure;
  const socket = await escape(() => void new net.Socket().connect(9, '127.0.0.1').on('error', () => {}));
  expect(socket).toMatchObject({ judge: 'escape', description: expect.stringMatching(/TCP.*world\.test/) });
  const file = await escape(async () => void (await readFile(import.meta.filename)));
  expect(file).toMatchObject({ judge: 'escape', description: expect.stringMatching(/FSREQ.*world\.test/) });
  // A module that saved a timer function of Node before the world began has the real one.
  const timer = await escape(() => void taken(() => {}, 5));
  expect(timer).toMatchObject({ judge: 'escape', description: expect.stringMatching(/Timeout.*world\.test/) });
  let count = 0;
  const counting = await rehearse({ peers: 1, runs: 1, faults: [], judges: [] }, ({ note }) => note(`run ${++count}`));
  expect(counting.failure).toMatchObject({ judge: 'replay' });
});

test.each([
  [100, 101],
  [101, 103],
])('every hundredth run is repeated, starting with the first: %d runs become %d', async (runs, all) => {
  let lives = 0;
  const services = { counted: () => void lives++ };
  await rehearse({ peers: 1, services, runs, seconds: 1, faults: [], judges: [] }, () => {});
  expect(lives).toBe(all);
});

test('one rehearsal at a time', async () => {
  const one = rehearse({ peers: 1, runs: 1, faults: [] }, () => {});
  await expect(rehearse({ peers: 1, runs: 1, faults: [] }, () => {})).rejects.toThrow('A rehearsal is already running');
  await one;
});
