/**
 * The parts of `process` that each rehearsed process has: its listeners, its signals to itself, and its end. None of them affects the
 * rehearsing process.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { noErrors } from './judges.js';
import type { Main } from './peer.js';
import { quietScenario } from './quiet.fixture.js';
import { rehearse, runOnce } from './rehearse.js';

/** The notes of p0 in ten seconds without faults, and its end, each with its second. */
async function notified(main: Main): Promise<string[]> {
  const only: Main = (peer) => (peer.id === 'p0' ? main(peer) : undefined);
  const { events } = await runOnce(quietScenario, { judges: [] }, only);
  return events.flatMap(({ type, at, ...rest }) => {
    const description = {
      note: rest['what'],
      exit: `exits: ${String(rest['code'])}`,
      uncaught: `ends: ${String(rest['error'])}`,
    }[type];
    return description === undefined ? [] : [`${Math.floor(at / 1_000)} ${String(description)}`];
  });
}

/** Runs in the first life. The second life notes that it exists. */
const once =
  (main: Main): Main =>
  (peer) =>
    peer.life === 1 ? main(peer) : peer.note('again');

test.each<[string, () => unknown, how: string]>([
  ['process.exit()', () => process.exit(), '0'],
  ['process.exit(3)', () => process.exit(3), '3'],
  ['process.abort()', () => process.abort(), 'SIGABRT'],
  ['SIGKILL to itself', () => process.kill(process.pid, 'SIGKILL'), 'SIGKILL'],
  ['SIGKILL to its group, by its number', () => process.kill(0, 9), 'SIGKILL'],
  ['SIGTERM, to which it does not listen', () => process.kill(process.pid), 'SIGTERM'],
  ['SIGUSR2, to which it does not listen', () => process.kill(process.pid, 'SIGUSR2'), 'SIGUSR2'],
])('%s ends it, and a supervisor starts it again', async (_, end, how) => {
  const seen = await notified(
    once(async ({ note }) => {
      await wait(2_000);
      end();
      note('beyond its end');
    }),
  );
  expect(seen).toEqual([`2 exits: ${how}`, '3 again']);
});

test('a signal to itself reaches its listeners, and some signals are harmless', async () => {
  const seen = await notified(async ({ note }) => {
    process.once('SIGTERM', (signal: string, number: number) => note(`${signal} ${number}`));
    process.on('SIGUSR2', (signal) => note(signal));
    for (const signal of ['SIGUSR2', 'SIGTERM', 'SIGWINCH', 'SIGUSR2', 0] as const)
      note(String(process.kill(process.pid, signal)));
    await wait(1_000);
    note(`${process.listenerCount('SIGTERM')} and ${process.listenerCount('SIGUSR2')} listen`);
    process.kill(process.pid, 'SIGTERM');
  });
  expect(seen.slice(0, 10)).toEqual([
    ...Array.from({ length: 5 }, () => '0 true'),
    '0 SIGUSR2',
    '0 SIGTERM 15',
    '0 SIGUSR2',
    '1 0 and 1 listen',
    '1 exits: SIGTERM',
  ]);
});

test('SIGSTOP to itself pauses it permanently', async () => {
  const seen = await notified(async ({ note }) => {
    setInterval(() => note('runs'), 1_500);
    await wait(2_000);
    process.kill(process.pid, 'SIGSTOP');
  });
  expect(seen).toEqual(['1 runs']);
});

test('other processes and unknown signals are rejected', async () => {
  const seen = await notified(({ note }) => {
    for (const [pid, signal] of [
      [1, 'SIGKILL'],
      [process.pid, 'SIGNONE'],
    ] as const)
      try {
        process.kill(pid, signal);
      } catch (error) {
        note(`${(error as NodeJS.ErrnoException).code}: ${(error as Error).message}`);
      }
  });
  expect(seen).toEqual(['0 ESRCH: kill ESRCH', '0 ERR_UNKNOWN_SIGNAL: Unknown signal: SIGNONE']);
});

test('a process with a listener for uncaught errors or rejections continues', async () => {
  const fails = (listen: (note: (what: string) => void) => void) =>
    notified(
      once(async ({ note }) => {
        listen(note);
        setTimeout(() => void Promise.reject(new Error('rejected')), 1_000);
        setTimeout(() => {
          throw new Error('thrown');
        }, 2_000);
        await wait(4_500);
        note('goes on');
        throw new Error('of main');
      }),
    );
  expect(await fails(() => {})).toEqual(['1 ends: Error: rejected', '2 again']);
  expect(await fails((note) => process.on('uncaughtException', (error, origin) => note(`${error.message} ${origin}`)))).toEqual([
    '1 rejected unhandledRejection',
    '2 thrown uncaughtException',
    '4 goes on',
    '4 of main unhandledRejection',
  ]);
  expect(await fails((note) => process.on('unhandledRejection', (error: Error) => note(error.message)))).toEqual([
    '1 rejected',
    '2 ends: Error: thrown',
    '3 again',
  ]);
});

test('a listener for errors may end the process or throw another error', async () => {
  const fails = (listener: () => void) =>
    notified(
      once(async () => {
        process.on('uncaughtException', listener);
        await wait(1_000);
        throw new Error('first');
      }),
    );
  expect(await fails(() => process.exit(7))).toEqual(['1 exits: 7', '2 again']);
  const second = () => {
    throw new Error('second');
  };
  expect(await fails(second)).toEqual(['1 ends: Error: second', '2 again']);
});

test('the exit event is emitted once, and not if the process is killed', async () => {
  const ends = (end: () => unknown) =>
    notified(
      once(async ({ note }) => {
        process.on('exit', (code) => {
          note(`goodbye ${code}`);
          process.exit(9);
        });
        await wait(1_000);
        end();
      }),
    );
  expect(await ends(() => process.exit(4))).toEqual(['1 goodbye 4', '1 exits: 9', '2 again']);
  expect((await ends(() => Promise.reject(new Error('x'))))[1]).toBe('1 goodbye 1');
  expect(await ends(() => process.abort())).toEqual(['1 exits: SIGABRT', '2 again']);
});

test('a turn that does not end ends its process despite listeners for errors', async () => {
  const { failure } = await rehearse({ peers: 1, runs: 1, faults: [], judges: [noErrors()], shrinkSeconds: 0 }, async () => {
    process.on('uncaughtException', () => {});
    while (Date.now() > 0) await Promise.resolve();
  });
  expect(failure?.description).toContain('A turn of "p0" does not end');
});

test('the real process keeps no listener and no exit status', async () => {
  const events = ['SIGTERM', 'SIGUSR2', 'unhandledRejection', 'uncaughtException', 'exit', 'message', 'own'];
  const emitter: NodeJS.EventEmitter = process;
  const counts = () => events.map((event) => emitter.listenerCount(event));
  const [before, { exitCode }, methods] = [
    counts(),
    process,
    ['on', 'emit', 'kill', 'exit', 'abort'].map((name) => Reflect.get(process, name) as unknown),
  ];
  const seen = await notified(({ note }) => {
    for (const event of events) {
      emitter.on(event, () => {});
      emitter.prependListener(event, () => {});
      emitter.addListener(event, () => {});
    }
    emitter.removeAllListeners('own').on('own', (text) => note(text));
    emitter.emit('own', 'own is heard');
    note(`${emitter.listenerCount('SIGTERM')} ${emitter.eventNames().length} ${emitter.on('own', () => {}) === process}`);
    process.exitCode = 5;
  });
  expect(seen).toEqual(['0 own is heard', `0 3 ${events.length} true`]);
  expect(counts()).toEqual(before);
  expect(process.exitCode).toBe(exitCode);
  expect(['on', 'emit', 'kill', 'exit', 'abort'].map((name) => Reflect.get(process, name) as unknown)).toEqual(methods);
});
