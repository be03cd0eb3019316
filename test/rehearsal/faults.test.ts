/** Each kind of fault: what it does to a process, and that it heals. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Main } from './peer.js';
import { runOnce } from './rehearse.js';
import { FAULTS, type FaultKind, type RehearsalFault, type RehearsalScenario } from './scenario.js';

const PEERS = ['p0', 'p1', 'p2'];
const scenario: RehearsalScenario = {
  seed: 1,
  seconds: 14,
  peers: PEERS,
  services: [],
  clients: [],
  startsMs: [0, 0, 0],
  skewsMs: [0, 0, 0],
  latencyMs: [1, 2],
  distances: [],
  faults: [],
  knobs: {},
  limits: 'shipped',
};
const fault = (what: FaultKind, atMs: number, lastsMs: number, size = 1): RehearsalFault => ({
  what,
  atMs,
  lastsMs,
  who: 'p0',
  other: 'p1',
  size,
});

/** The notes of peers under a fault, with the second and the peer. */
async function notes(faults: readonly RehearsalFault[], main: Main, more: Partial<RehearsalScenario> = {}): Promise<string[]> {
  const { events } = await runOnce({ ...scenario, ...more, faults }, { judges: [], clients: { c0: main } }, main);
  return events.flatMap(({ type, at, peer, what }) =>
    type === 'note' ? [`${Math.floor(at / 1_000)} ${peer} ${what as string}`] : [],
  );
}

/** The connections between peers in the second second. */
async function received(what: FaultKind, size = 1): Promise<string[]> {
  const notified = await notes([fault(what, 1_000, 1_000, size)], ({ id, listen, WebSocketServer, note }) => {
    const sockets = new WebSocketServer();
    listen().on('upgrade', (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (opened: any) =>
        opened.on('message', (from: string) => note(`hears ${from}`)),
      ),
    );
    for (const peer of PEERS.filter((other) => other !== id)) {
      const socket = new WebSocket(`ws://${peer}`);
      socket.onopen = () => setInterval(() => socket.send(id), 400);
    }
  });
  return [...new Set(notified.filter((line) => line.startsWith('1 ')).map((line) => line.slice(2)))].sort();
}

const ALL = PEERS.flatMap((id) => PEERS.filter((other) => other !== id).map((other) => `${id} hears ${other}`)).sort();

test.each<[FaultKind, lost: string[], size?: number]>([
  ['jump', []],
  ['cut', ['p0 hears p1', 'p0 hears p2', 'p1 hears p0', 'p2 hears p0']],
  ['mute', ['p1 hears p0', 'p2 hears p0']],
  ['deaf', ['p0 hears p1', 'p0 hears p2']],
  ['part', ['p0 hears p1', 'p1 hears p0']],
  ['oneway', ['p1 hears p0']],
  ['split', ['p0 hears p1', 'p1 hears p0', 'p1 hears p2', 'p2 hears p1'], 0b101],
  ['split', ['p0 hears p1', 'p1 hears p0', 'p0 hears p2', 'p2 hears p0'], 0b001],
])('%s: which messages are lost', async (what, lost, size) => {
  expect(await received(what, size)).toEqual(ALL.filter((line) => !lost.includes(line)));
});

test('data sent over a cut path arrives in order after it is restored', async () => {
  const notified = await notes(
    [fault('deaf', 1_000, 500), fault('cut', 1_800, 400)],
    ({ id, listen, WebSocketServer, note }) => {
      if (id === 'p0') {
        const socket = new WebSocket('ws://p1');
        socket.onmessage = ({ data }) => note(String(data));
      } else if (id === 'p1') {
        const sockets = new WebSocketServer();
        listen().on('upgrade', (request, socket, head) =>
          sockets.handleUpgrade(request, socket, head, (opened: any) => {
            let sent = 0;
            setInterval(() => opened.send(String(++sent)), 5);
          }),
        );
      }
    },
    { latencyMs: [5, 150] },
  );
  const numbers = notified.map((line) => Number(line.slice(line.lastIndexOf(' '))));
  expect(numbers.length).toBeGreaterThan(1_000);
  expect(numbers).toEqual(numbers.map((_, i) => i + 1));
});

const starting: Main = ({ release, note }) => note(`starts ${release}`);

test('a rolling deployment restarts the peers in turn with the next release', async () => {
  expect((await notes([fault('roll', 1_000, 6_000)], starting)).slice(3)).toEqual([
    '2 p0 starts 2',
    '4 p1 starts 2',
    '6 p2 starts 2',
  ]);
});

test('a cold start: all processes are off and start one after the other', async () => {
  expect((await notes([fault('cold', 1_000, 6_000)], starting)).slice(3)).toEqual([
    '1 p0 starts 1',
    '3 p1 starts 1',
    '5 p2 starts 1',
  ]);
});

test('stop sends SIGTERM, waits five seconds, and restarts when the fault heals', async () => {
  const closing =
    (ms: number): Main =>
    async ({ id, note }) => {
      if (id !== 'p0') return;
      note('up');
      const stop = async () => {
        note('is asked');
        await wait(ms);
        note('is done');
        process.exit(0);
        note('is beyond its end');
      };
      process.once('SIGTERM', () => void stop());
      setInterval(() => note('runs'), 3_000);
    };
  const stopped = (ms: number) => notes([fault('stop', 1_000, 7_000)], closing(ms));
  expect(await stopped(1_000)).toEqual(['0 p0 up', '1 p0 is asked', '2 p0 is done', '8 p0 up', '11 p0 runs']);
  expect(await stopped(6_000)).toEqual(['0 p0 up', '1 p0 is asked', '3 p0 runs', '8 p0 up', '11 p0 runs']);
});

/** How a peer that takes `ms` to end ends when a fault of half a second asks it to. */
const endsSlowly = (what: FaultKind, ms: number, lastsMs = 500) =>
  notes([fault(what, 1_000, lastsMs)], ({ id, note }) => {
    if (id !== 'p0') return;
    note('up');
    process.on('SIGTERM', () => setTimeout(() => process.exit(0), ms));
  });

test.each<[FaultKind, lastsMs: number]>([
  ['stop', 500],
  ['roll', 3_000],
])('%s: a peer that is slow to stop restarts after it, and is killed after 5 s', async (what, lastsMs) => {
  expect(await endsSlowly(what, 2_000, lastsMs)).toEqual(['0 p0 up', '3 p0 up']);
  expect(await endsSlowly(what, 60_000, lastsMs)).toEqual(['0 p0 up', '6 p0 up']);
});

test('an error while stopping ends the process, which restarts after the fault', async () => {
  const notified = (lastsMs: number) =>
    notes([fault('stop', 1_000, lastsMs)], ({ id, note }) => {
      if (id !== 'p0') return;
      note('up');
      process.on('SIGTERM', () => setTimeout(() => Promise.reject(new Error('not now')), 2_000));
    });
  expect(await notified(500)).toEqual(['0 p0 up', '3 p0 up']);
  expect(await notified(4_500)).toEqual(['0 p0 up', '5 p0 up']);
});

test.each<[FaultKind, FaultKind]>([
  ['kill', 'kill'],
  ['power', 'kill'],
  ['kill', 'stop'],
  ['stop', 'power'],
  ['kill', 'roll'],
  ['kill', 'cold'],
])('%s: a shorter %s that heals first does not start the process', async (long, short) => {
  const notified = await notes([fault(long, 1_000, 5_000), fault(short, 2_000, 1_000)], starting);
  expect(notified.filter((line) => line.includes('p0')).map((line) => line.slice(0, 11))).toEqual(['0 p0 starts', '6 p0 starts']);
});

test('a process that a fault keeps down is not started by its supervisor', async () => {
  const exits: Main = ({ id, life, note }) => {
    note('up');
    if (id === 'p0' && life === 1) setTimeout(() => process.exit(1), 900);
  };
  const notified = await notes([fault('kill', 1_000, 3_000), { ...fault('kill', 1_000, 3_000), who: 'p1' }], exits, {
    startsMs: [0, 2_000, 0],
  });
  expect(notified).toEqual(['0 p0 up', '0 p2 up', '4 p0 up', '4 p1 up']);
});

test('a short pause does not end a long one, nor pause a new life of the process', async () => {
  const ticking: Main = ({ id, life, note }) => void (id === 'p0' && setInterval(() => note(`life ${life}`), 1_000));
  const long = fault('pause', 1_500, 6_000);
  const seconds = async (faults: readonly RehearsalFault[]) => new Set((await notes(faults, ticking)).map((line) => line));
  expect([...(await seconds([long, fault('pause', 3_000, 1_000)]))].slice(0, 3)).toEqual([
    '1 p0 life 1',
    '7 p0 life 1',
    '8 p0 life 1',
  ]);
  const restarted = [...(await seconds([long, fault('kill', 2_000, 500), fault('pause', 5_200, 5_000)]))];
  expect(restarted.slice(0, 4)).toEqual(['1 p0 life 1', '3 p0 life 2', '4 p0 life 2', '10 p0 life 2']);
});

test('a short drift does not end a long one, nor a short slowness', async () => {
  const drifting: Main = async ({ id, disk, note }) => {
    if (id !== 'p0') return;
    await wait(5_000);
    const begun = performance.now();
    await disk.write('file', 'text');
    note(performance.now() - begun < 100 ? 'at once' : 'late');
    await wait(5_000);
    note(String(Math.round((Date.now() - 1_767_225_600_000 - performance.now()) / 10) * 10));
  };
  const notified = await notes(
    [
      fault('slow', 1_000, 6_000, 50),
      fault('drift', 1_000, 6_000, 100),
      fault('slow', 2_000, 1_000, 3),
      fault('drift', 2_000, 1_000, -50),
    ],
    drifting,
  );
  expect(notified).toEqual(['5 p0 late', '10 p0 450']);
});

test('a process that exits is restarted by a supervisor; the real one continues', async () => {
  const notified = await notes([], ({ id, life, note }) => {
    note(`life ${life}`);
    if (id === 'p0' && life < 3) process.exit(1);
  });
  expect(notified.filter((line) => line.includes('p0'))).toEqual(['0 p0 life 1', '1 p0 life 2', '2 p0 life 3']);
});

test('a drifting clock gains or loses time, and keeps the difference', async () => {
  const drifted = await notes([fault('drift', 1_000, 5_000, 100)], async ({ id, note }) => {
    if (id !== 'p0') return;
    const begun = Date.now();
    await wait(10_000);
    note(String(Math.round((Date.now() - begun - performance.now()) / 10) * 10));
  });
  expect(drifted).toEqual(['10 p0 500']);
});

test('a full disk rejects writes, keeps its files, and recovers', async () => {
  const notified = await notes([fault('full', 1_000, 2_000)], async ({ id, disk, note }) => {
    if (id !== 'p0') return;
    const save = (text: string) => disk.write('file', text).catch((error: Error) => note(error.message));
    await save('first');
    await wait(2_000);
    await save('second');
    note(String(await disk.read('file')));
    await wait(2_000);
    await save('third');
    note(String(await disk.read('file')));
  });
  expect(notified).toEqual(["2 p0 ENOSPC: no space left on device, write 'file'", '2 p0 first', '4 p0 third']);
});

test('slow affects all paths and the disk of its process, and no others', async () => {
  const notified = await notes([fault('slow', 1_000, 2_000, 20)], async ({ id, disk, listen, WebSocketServer, note }) => {
    const took = async (what: string, run: () => Promise<unknown>) => {
      const begun = performance.now();
      await run();
      note(`${what} ${performance.now() - begun < 15 ? 'at once' : 'late'}`);
    };
    const sockets = new WebSocketServer();
    listen().on('upgrade', (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (opened: any) => opened.on('message', (text: string) => opened.send(text))),
    );
    await wait(100);
    const ways = PEERS.filter((other) => other !== id).map((other) => new WebSocket(`ws://${other}`));
    for (let i = 0; i < 2; i++) {
      await wait(1_900);
      await took('writes', () => disk.write('file', 'text'));
      for (const way of ways)
        await took(`asks ${way.url.slice(5, 7)}`, () => {
          way.send('?');
          return new Promise((resolve) => (way.onmessage = resolve));
        });
    }
  });
  const late = notified.filter((line) => line.endsWith('late')).map((line) => line.slice(2));
  expect(late.sort()).toEqual(['p0 asks p1 late', 'p0 asks p2 late', 'p0 writes late', 'p1 asks p0 late', 'p2 asks p0 late']);
  expect(notified.filter((line) => line.endsWith('at once'))).toHaveLength(13);
});

test('the latency of a pair of processes applies in both directions to this pair', async () => {
  const distances = [{ between: ['p0', 'p1'], latencyMs: [300, 300] }] as const;
  const notified = await notes(
    [],
    ({ id, listen, WebSocketServer, note }) => {
      listen().on('upgrade', (request, socket, head) =>
        new WebSocketServer().handleUpgrade(request, socket, head, (opened: any) => opened.send(id)),
      );
      for (const peer of PEERS.filter((other) => other !== id)) {
        const socket = new WebSocket(`ws://${peer}`);
        socket.onmessage = ({ data }) => note(`hears ${String(data)} ${performance.now() < 300 ? 'at once' : 'late'}`);
      }
    },
    { distances },
  );
  expect(notified.filter((line) => line.endsWith('late')).map((line) => line.slice(2))).toEqual([
    'p0 hears p1 late',
    'p1 hears p0 late',
  ]);
  expect(notified).toHaveLength(6);
});

test('clients start late and fail like peers', async () => {
  const started = await notes(
    [{ ...fault('kill', 4_000, 1_000), who: 'c0' }],
    ({ id, note }) => void (id === 'c0' && note('up')),
    {
      clients: ['c0'],
      startsMs: [0, 0, 0, 2_500],
      skewsMs: [0, 0, 0, 0],
    },
  );
  expect(started).toEqual(['2 c0 up', '5 c0 up']);
});

test.each(FAULTS)('%s heals: at the end all processes are up and reach each other', async (what) => {
  const notified = await notes([fault(what, 1_000, 2_000, 5)], async ({ id, note, listen, WebSocketServer }) => {
    const sockets = new WebSocketServer();
    listen().on('upgrade', (request, socket, head) => sockets.handleUpgrade(request, socket, head, () => {}));
    await wait(9_500);
    const socket = new WebSocket(`ws://${PEERS[(PEERS.indexOf(id) + 1) % 3]}`);
    socket.onopen = () => note('reaches its neighbor');
  });
  expect(new Set(notified.map((line) => line.slice(line.indexOf('p')))).size).toBe(3);
});
