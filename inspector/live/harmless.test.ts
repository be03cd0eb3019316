/** An observed program behaves as without observation, whatever its actors contain, and readable parts are shown. */
import { assign, createActor, createMachine } from 'xstate';
import { config, type Subject } from 'rxjs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createNode } from '../../adapters/node/node.js';
import { InProcessBus } from '../../adapters/transports/in-process.js';
import { directory } from '../../machines/directory/index.js';
import { isStep, type StepLine, type TraceLine } from '../../network/trace.js';
import { sentence } from '../model/words.js';
import { reportActors } from './actors.js';
import { harmless } from './harmless.js';
import { Inbox } from './inbox.js';
import { inspect } from './inspect.js';
import { Merger } from './merge.js';
import { plain } from './plain.js';
import type { Inspectable, StepReport } from './report.js';

function watched(): StepReport[] {
  const reports: StepReport[] = [];
  onTestFinished(reportActors((report) => reports.push(JSON.parse(JSON.stringify(report)) as StepReport)));
  return reports;
}

const nested = (depth: number): unknown => {
  let value: unknown = 'bottom';
  for (let i = 0; i < depth; i++) value = { value };
  return value;
};

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const fails = (): never => {
  throw new Error('not for you');
};

const HOSTILE: readonly (readonly [string, () => unknown, string])[] = [
  ['a getter that throws', () => Object.defineProperty({}, 'x', { get: fails, enumerable: true }), '‹getter, not called›'],
  ['a toJSON that throws', () => ({ x: { toJSON: fails } }), '‹cannot be read: not for you›'],
  ['a proxy that throws', () => new Proxy({}, { has: fails, get: fails, ownKeys: fails }), '‹cannot be read: not for you›'],
  ['a revoked proxy', revoked, '‹cannot be read: '],
  [
    'what throws what cannot be read',
    () => ({
      x: {
        toJSON: () => {
          throw revoked();
        },
      },
    }),
    '‹cannot be read: ',
  ],
  ['what is nested ten thousand deep', () => nested(10_000), '…'],
  ['a list without an end', () => Array.from({ length: 3e6 }), ' more'],
];

const toggle = (context: object) =>
  createMachine({
    context: { ...context, n: 0 } as { n: number },
    initial: 'off',
    states: {
      off: { on: { go: { target: 'on', actions: assign({ n: ({ context: { n } }) => n + 1 }) } } },
      on: { on: { go: 'off' } },
    },
  });

const last = (reports: readonly StepReport[]) =>
  Object.values(reports.findLast(({ roles }) => Object.keys(roles).length > 0)!.roles)[0]!;

describe('the values of an actor', () => {
  test.each(HOSTILE)('%s, in its context', (_, make, shown) => {
    const reports = watched();
    const actor = createActor(toggle({ held: make() })).start();
    expect(() => actor.send({ type: 'go' })).not.toThrow();
    expect(actor.getSnapshot()).toMatchObject({ value: 'on', status: 'active' });
    expect(last(reports)).toMatchObject({ value: 'on', context: { n: 1 } });
    expect(JSON.stringify(last(reports).context['held'])).toContain(shown);
  });

  test.each(HOSTILE)('%s, in an event', (_, make, shown) => {
    const reports = watched();
    const actor = createActor(toggle({})).start();
    expect(() => actor.send({ type: 'go', held: make() } as { type: 'go' })).not.toThrow();
    expect(actor.getSnapshot()).toMatchObject({ value: 'on', status: 'active' });
    expect(reports.at(-1)!.event.type).toBe('go');
    expect(JSON.stringify(reports.at(-1)!.event)).toContain(shown);
  });

  test('no getter is called in a context, event, error or config; each is marked', () => {
    let calls = 0;
    const getter = { get: () => ++calls, enumerable: true };
    const withX = (value: object = {}) => Object.defineProperty(value, 'x', getter);
    const held = (value: object = {}) => Object.defineProperties(withX(value), { toJSON: getter, id: getter });
    const shown = { x: '‹getter, not called›', toJSON: '‹getter, not called›', id: '‹getter, not called›' };
    const circle = withX();
    Object.assign(circle, { circle });
    const reports = watched();
    const { config: given } = toggle({});
    const machine = (context: unknown) => createMachine({ ...given, context } as never);
    const config = { ...given, id: 'described', meta: { held: withX(), circle }, context: { held: withX(), n: 0 } };
    createActor(machine(() => ({ held: held(), list: [held()], error: held(new Error('away')), n: 0 })))
      .start()
      .send({ type: 'go', held: held() } as { type: 'go' });
    createActor(createMachine(config as never)).start();
    createActor(machine(() => ({ ref: held({ sessionId: 1, getSnapshot: 1 }) }))).start();
    expect(calls).toBe(0);
    const contexts = reports.flatMap(({ roles }) => Object.values(roles).map((role) => role!.context));
    expect(contexts[0]).toMatchObject({ held: shown, list: [shown] });
    expect(contexts.at(-1)).toMatchObject({ ref: { actor: '‹getter, not called›' } });
    expect(reports[1]!.event).toEqual({ type: 'go', held: shown });
    const charts = reports.flatMap(({ charts = {} }) => Object.values(charts));
    expect(charts[1]).toMatchObject({
      meta: { held: { x: shown.x }, circle: { x: shown.x, circle: '…' } },
      context: { held: { x: shown.x } },
    });
  });

  test('a shared value is not a cycle, and a cycle is cut', () => {
    const shared = { n: 1 };
    const circle: Record<string, unknown> = { shared };
    circle['self'] = circle;
    expect(plain({ a: shared, b: shared, circle })).toEqual({ a: shared, b: shared, circle: { shared, self: '…' } });
  });

  test('a JSON value is unchanged', () => {
    const value = { a: [undefined, Number.NaN, true, null, 'x'], d: new Date(0), m: new Map([[1, 2]]), u: undefined };
    expect(plain(value)).toEqual(JSON.parse(JSON.stringify(value)));
    expect(plain({ big: 10n })).toEqual({ big: '10' });
  });

  test('large values are cut with a mark, and small ones next to them stay', () => {
    const read = plain({ text: 'x'.repeat(12e6), list: Array.from({ length: 1e6 }, () => ({})), n: 7 }) as any;
    expect(JSON.stringify(read).length).toBeLessThan(2_100_000);
    expect(read.n).toBe(7);
    expect(read.text).toMatch(/^x+… \(12000000 characters\)$/);
    expect(read.list.at(-1)).toMatch(/^… [\d]+ more$/);
  });

  test('a BigInt and a throwing value, as the value of custom logic', () => {
    const reports = watched();
    for (const value of [5n, revoked(), new Proxy({}, { ownKeys: fails, get: fails })]) {
      const snapshot = { status: 'active', value, output: undefined, error: undefined } as const;
      const logic = {
        getInitialSnapshot: () => snapshot,
        transition: () => ({ ...snapshot }),
        getPersistedSnapshot: () => snapshot,
      };
      createActor(logic as never, {} as never)
        .start()
        .send({ type: 'go' } as never);
      expect(last(reports)).toEqual({ chart: 'actor', value: 'active', context: {} });
    }
  });

  test('a context that is not a record', () => {
    const reports = watched();
    const snapshot = { status: 'active', context: revoked(), output: undefined, error: undefined } as const;
    const logic = { getInitialSnapshot: () => snapshot, transition: () => snapshot, getPersistedSnapshot: () => snapshot };
    createActor(logic as never, {} as never).start();
    expect(last(reports).context).toEqual({ context: expect.stringContaining('‹cannot be read: ') });
  });

  test('a machine with an unreadable description has its name', () => {
    const reports = watched();
    const states = { a: { on: { go: 'b' } }, b: {} };
    const actor = createActor(
      createMachine({
        id: 'odd',
        meta: {
          get x() {
            return fails();
          },
        },
        initial: 'a',
        states,
      }),
    ).start();
    actor.send({ type: 'go' });
    expect(reports[0]!.charts!['odd']).toMatchObject({ initial: 'a', states });
    expect(last(reports)).toMatchObject({ value: 'b' });
  });
});

test('a listener that fails warns once', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const listen = harmless(fails);
  expect(() => [listen(), listen()]).not.toThrow();
  expect(warn.mock.calls).toEqual([[expect.stringContaining('not for you')]]);
});

test('a report that fails does not reach the program', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  onTestFinished(reportActors(fails));
  const actor = createActor(toggle({})).start();
  expect(() => actor.send({ type: 'go' })).not.toThrow();
  expect(actor.getSnapshot()).toMatchObject({ value: 'on', status: 'active' });
});

describe('nodes that are watched by hand', () => {
  function node() {
    const bus = new InProcessBus();
    onTestFinished(() => bus.close());
    const topology = { nodes: ['a'], links: [] };
    return createNode({ transport: bus.transport('a'), protocol: directory, topology, options: { hold: null } });
  }
  const isWatched = (node: Inspectable) => (node.steps$ as unknown as Subject<unknown>).observed;
  const built = new URL('../page/', import.meta.url);

  test('a step that cannot be reported does not reach the program', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const put = vi.spyOn(Inbox.prototype, 'put').mockImplementation(fails);
    const unhandled = vi.fn();
    config.onUnhandledError = unhandled;
    onTestFinished(() => {
      config.onUnhandledError = null;
      warn.mockRestore();
      put.mockRestore();
    });
    const watched = node();
    const { close } = await inspect(watched, { page: built });
    let granted = false;
    watched.addEventListener('granted', () => (granted = true));
    watched.command('request');
    // RxJS reports the error of an observer in a later turn.
    await vi.waitFor(() => expect(granted && put.mock.calls.length > 1).toBe(true));
    await close();
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('an inspector that cannot begin leaves nothing behind in the program', async () => {
    const watched = node();
    const { url, close } = await inspect(node(), { page: built });
    const port = Number(new URL(url).port);
    await expect(inspect(watched, { page: built, port })).rejects.toThrow(`Port ${port} of 127.0.0.1 is in use`);
    expect(isWatched(watched)).toBe(false);
    await expect(inspect(watched, { report: `http://127.0.0.1:${port}/nobody/` })).rejects.toThrow('the token "nobody" is wrong');
    expect(isWatched(watched)).toBe(false);
    await close();
  });
});

describe('names of actors', () => {
  const job = createMachine({ id: 'job', initial: 'a', states: { a: { on: { go: 'b' } }, b: { type: 'final' } } });

  test('are given once, and again when the same actor starts again', () => {
    const reports = watched();
    const [one, two] = [createActor(job).start(), createActor(job).start()];
    one.send({ type: 'go' });
    createActor(job).start();
    createActor(job, { id: 'job (3)' }).start();
    createActor(job).start();
    two.stop();
    two.start();
    expect(reports.filter(({ kind }) => kind === 'start').map(({ node }) => node)).toEqual([
      'job',
      'job (2)',
      'job (3)',
      'job (3) (1)',
      'job (4)',
      'job (2)',
    ]);
  });

  test('of two thousand alike cost no more each than those of a few', () => {
    const reports = watched();
    const reads = vi.spyOn(Map.prototype, 'get');
    onTestFinished(() => reads.mockRestore());
    const begin = () => createActor(job).start();
    const costOf = () => {
      const before = reads.mock.calls.length;
      begin();
      return reads.mock.calls.length - before;
    };
    begin();
    const first = costOf();
    const alive = Array.from({ length: 2000 }, begin);
    expect(costOf()).toBe(first);
    expect(new Set(reports.map(({ node }) => node)).size).toBe(alive.length + 3);
  });
});

test('an actor that fails: its event, its error, and that it is no more', () => {
  const lines: TraceLine[] = [];
  const merger = new Merger(0, (line) => lines.push(line));
  onTestFinished(reportActors((report) => merger.take(report)));
  const actor = createActor(
    createMachine({ id: 'm', initial: 'a', states: { a: { on: { go: 'b', boom: { target: 'b', actions: fails } } }, b: {} } }),
  );
  const errors: unknown[] = [];
  actor.subscribe({ error: (error) => errors.push(error) });
  actor.start();
  actor.send({ type: 'boom' });
  actor.send({ type: 'go' });
  expect(errors).toEqual([new Error('not for you')]);
  expect(lines.map(sentence)).toEqual(['m started', 'm was asked to boom', 'm failed: not for you']);
  expect((merger.standing()[0] as StepLine).event).toEqual({ type: 'failed', error: 'not for you' });
  expect(lines.every(isStep)).toBe(true);
});
