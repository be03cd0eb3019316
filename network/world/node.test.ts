/** A step of a node: events between its roles are delivered within it, and only messages, timers and notifications leave it. */
import { describe, expect, test } from 'vitest';
import type { Effect, Message } from '../../machines/effects.js';
import { STORAGE } from '../../machines/storage.js';
import type { Host, Role } from './hosts.js';
import { asksForSomething, deliverTo, Node, startsOf } from './node.js';

type Answers = Readonly<Record<string, (event: any) => readonly Effect[]>>;

/** A node whose roles react to each event as defined in `answers`, by role; other events are only recorded. */
function nodeOf(answers: Answers = {}, wiring?: Host['wiring'], opening: Readonly<Record<string, readonly Effect[]>> = {}) {
  const received: string[] = [];
  const roleOf = (name: string, chart: string, context: unknown = {}): Role => ({
    chart,
    send: (event) => (received.push(`${name} ${event.type}`), answers[name]?.(event) ?? []),
    accepts: (event) => event.type !== 'unknown',
    view: () => ({ chart, value: 'v', context }) as any,
    stop: () => void received.push(`${name} stops`),
  });
  const host: Host = {
    wiring,
    start: (chart, input, _node, role = '') => ({ role: roleOf(role, chart, input), effects: opening[role] ?? [] }),
    restore: ({ chart, context }, _node, role = '') => roleOf(role, chart, context),
  };
  return { node: new Node('n', host), received };
}

const starts = (...names: string[]) => names.map((role) => ({ role, chart: 'c', input: { of: role } }));
const choose = (bound: number) => bound - 1;
const event = (type: string, more = {}) => ({ type, ...more }) as Message;
const nothing = { sends: [], timers: [], emitted: [], closed: [] };
const once =
  (type: string, ...effects: Effect[]) =>
  ({ type: asked }: Message) =>
    asked === type ? effects : [];

describe('a start', () => {
  test('opens the roles, and their effects are one outcome', () => {
    const send = { to: 'x', message: event('hi') };
    const { node, received } = nodeOf({}, undefined, {
      a: [{ type: 'send', ...send }],
      b: [{ type: 'tell', role: 'a', message: event('notified') }],
    });
    expect(node.start(starts('a', 'b'), choose)).toEqual({ ...nothing, sends: [{ type: 'send', ...send }] });
    expect([received, Object.keys(node.roles), node.has('a'), node.has('c')]).toEqual([['a notified'], ['a', 'b'], true, false]);
    expect([node.role('a')?.context, node.role('c'), Object.keys(node.view())]).toEqual([{ of: 'a' }, undefined, ['a', 'b']]);
    expect([node.accepts('a', event('go')), node.accepts('a', event('unknown')), node.accepts('c', event('go'))]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('rejects a role that is open already', () => {
    expect(() => nodeOf().node.start(starts('a', 'a'), choose)).toThrow('Node n: role "a" is already open. Close it first.');
  });
});

describe('a step', () => {
  const stepOf = (answers: Answers, wiring?: Host['wiring'], ...names: string[]) => {
    const { node, received } = nodeOf(answers, wiring);
    node.start(starts('a', 'b', ...names), choose);
    return { outcome: node.step('a', event('go'), choose), received, node };
  };

  test('messages between roles of a node are taken in order, breadth first', () => {
    const { outcome, received } = stepOf({
      a: once(
        'go',
        { type: 'tell', role: ['b', 'a'], message: event('first') },
        { type: 'tell', role: 'b', message: event('second') },
      ),
      b: once('first', { type: 'tell', role: 'a', message: event('third') }),
    });
    expect([received, outcome]).toEqual([['a go', 'b first', 'a first', 'b second', 'a third'], nothing]);
  });

  test('timers, notifications and draws', () => {
    const received: Message[] = [];
    const { outcome } = stepOf({
      a: (asked) => {
        received.push(asked);
        return asked.type === 'go'
          ? [
              { type: 'arm', timer: 't', delay: 4 },
              { type: 'disarm', timer: 'u' },
              { type: 'emit', event: event('done') },
              { type: 'draw', bound: 6 },
            ]
          : [];
      },
    });
    expect(outcome).toEqual({
      ...nothing,
      timers: [
        { role: 'a', timer: 't', delay: 4 },
        { role: 'a', timer: 'u', delay: null },
      ],
      emitted: [event('done')],
    });
    expect(received[1]).toEqual({ type: 'drawn', value: 5 });
    expect([asksForSomething(outcome), asksForSomething(nothing)]).toEqual([true, false]);
    expect(
      [{ sends: [{} as any] }, { timers: [{} as any] }, { emitted: [{} as any] }].map((some) =>
        asksForSomething({ ...nothing, ...some }),
      ),
    ).toEqual([true, true, true]);
  });

  test('opens and closes one or several roles, and ignores one that is not open', () => {
    const { outcome, received, node } = stepOf(
      {
        a: once(
          'go',
          { type: 'open', role: 'c', chart: 'c', input: 1 },
          { type: 'close', role: 'b' },
          { type: 'close', role: ['d', 'c', 'x'] },
        ),
      },
      undefined,
      'd',
    );
    expect([outcome.closed, Object.keys(node.roles), received]).toEqual([
      ['b', 'd', 'c'],
      ['a'],
      ['a go', 'b stops', 'd stops', 'c stops'],
    ]);
  });

  test('for a role that the same step has closed goes with it', () => {
    const tell = { type: 'tell', role: 'b', message: event('hi') } as const;
    const { outcome, received } = stepOf({ a: once('go', tell, { type: 'close', role: 'b' }, tell) });
    expect([outcome.closed, received]).toEqual([['b'], ['a go', 'b stops']]);
  });

  test('for a role that is not open is rejected, with the event', () => {
    expect(() => stepOf({ a: once('go', { type: 'tell', role: 'x', message: event('hi') }) })).toThrow(
      'Node n has no role "x" for "hi". Open the role first.',
    );
  });

  test('a failure reports its place and its cause', () => {
    const fails = () => {
      throw new Error('broken');
    };
    const run = () => stepOf({ a: fails });
    expect(run).toThrow('node n: its step for "go" failed: broken');
    expect(run).toThrow(expect.objectContaining({ cause: new Error('broken') }));
  });

  test('an infinite loop is rejected, a long finite one is not', () => {
    const again = { type: 'tell', role: 'a', message: event('again') } as const;
    expect(() => stepOf({ a: () => [again] })).toThrow('Node n: its roles send events to each other in an infinite loop.');
    let left = 9_000;
    expect(stepOf({ a: () => (left-- > 0 ? [again] : []) }).received).toHaveLength(9_001);
    // Each step begins a separate chain.
    const { node } = nodeOf({ a: (asked) => (asked.type === 'go' ? ((left = 6_000), [again]) : left-- > 0 ? [again] : []) });
    node.start(starts('a'), choose);
    for (const _ of [1, 2]) expect(node.step('a', event('go'), choose)).toEqual(nothing);
  });
});

describe('how roles are wired', () => {
  const wired = (wiring: NonNullable<Host['wiring']>, effect: Effect) => {
    const got: Message[] = [];
    const { node } = nodeOf({ a: once('go', effect), b: (asked) => (got.push(asked), []) }, wiring);
    node.start(starts('a', 'b'), choose);
    return { outcome: node.step('a', event('go'), choose), got };
  };
  const send = { type: 'send', to: 'x', message: event('hi', { n: 1 }) } as const;

  test('the listener receives notifications of a role; the application, if not inner', () => {
    const emits = { type: 'emit', event: event('done', { n: 1 }) } as const;
    const listener = (role: string) => (role === 'a' ? 'b' : undefined);
    const open = wired({ listener }, emits);
    expect([open.got, open.outcome.emitted]).toEqual([[event('done', { n: 1, by: 'a' })], [event('done', { n: 1 })]]);
    expect(wired({ listener, isInner: (role) => role === 'a' }, emits).outcome.emitted).toEqual([]);
    expect(wired({ isInner: () => false }, emits)).toMatchObject({ got: [], outcome: { emitted: [event('done')] } });
  });

  test('messages bear the label of their role', () => {
    expect(wired({ label: () => ({ lock: 'jobs' }) }, send).outcome.sends).toEqual([
      { to: 'x', message: event('hi', { n: 1, lock: 'jobs' }) },
    ]);
    expect(wired({ label: () => undefined }, send).outcome.sends).toEqual([send]);
  });

  test('a carrier takes the messages of a role instead of the network', () => {
    const { got, outcome } = wired({ carrier: (role) => (role === 'a' ? 'b' : undefined), label: () => ({ lock: 'l' }) }, send);
    expect([got, outcome.sends]).toEqual([
      [event('outgoing', { to: 'x', by: 'a', message: event('hi', { n: 1, lock: 'l' }) })],
      [],
    ]);
  });
});

describe('storage', () => {
  const stores = { type: 'store', key: 'k', value: 3 } as const;

  test('a node without it is answered at once, and one with it by its storage', () => {
    const without = nodeOf({ a: once('go', stores) });
    without.node.start(starts('a'), choose);
    without.node.step('a', event('go'), choose);
    expect(without.received).toEqual(['a go', 'a stored']);
    expect(without.node.stored).toEqual({});
    const got: Message[] = [];
    const { node } = nodeOf({ a: once('go', stores), [STORAGE]: (asked) => (got.push(asked), []) });
    node.start([{ role: STORAGE, chart: STORAGE, input: { stored: { k: 1 } } }, ...starts('a')], choose);
    node.step('a', event('go'), choose);
    expect([got, node.stored]).toEqual([[event('store', { by: 'a', key: 'k', value: 3 })], { k: 1 }]);
  });

  test('a restarted process has its stored data and fresh other roles', () => {
    const { node, received } = nodeOf();
    node.start([{ role: STORAGE, chart: STORAGE, input: { stored: { k: 1 } } }, ...starts('a', 'b')], choose);
    const given: unknown[] = [];
    const outcome = node.reload(
      (stored) => (given.push(stored), [...starts('a'), { role: STORAGE, chart: STORAGE, input: null }]),
      choose,
    );
    expect([given, outcome.closed, Object.keys(node.roles), received]).toEqual([
      [{ k: 1 }],
      ['a', 'b'],
      [STORAGE, 'a'],
      ['a stops', 'b stops', `${STORAGE} reload`],
    ]);
    const bare = nodeOf();
    bare.node.start(starts('a'), choose);
    bare.node.reload(() => starts('b'), choose);
    expect([Object.keys(bare.node.roles), bare.received]).toEqual([['b'], ['a stops']]);
  });

  test('initial roles: first those of the protocol, later those with stored data', () => {
    const protocol = {
      roles: () => starts('first'),
      reload: (_: string, __: unknown, stored: any) => starts(`again${stored.k}`),
    };
    const rolesOf = (stored?: any) => startsOf(protocol as any, 'n', {} as any, stored).map(({ role }) => role);
    expect([rolesOf(), rolesOf({ k: 2 })]).toEqual([['first'], [STORAGE, 'again2']]);
    expect(startsOf(protocol as any, 'n', {} as any, { k: 2 })[0]).toEqual({
      role: STORAGE,
      chart: STORAGE,
      input: { stored: { k: 2 }, delay: 1 },
    });
  });
});

describe('an event from outside', () => {
  const receivedBy = (role: string, time: boolean) => {
    const { node, received } = nodeOf({ a: once('go', { type: 'emit', event: event('done') }) });
    node.start(starts('a'), choose);
    return { got: deliverTo({ route: () => role, network: { time } } as any, node, event('go'), () => 8, choose), received };
  };

  test('the protocol chooses the role of an event, and whether it carries the time', () => {
    const outcome = { ...nothing, emitted: [event('done')] };
    expect(receivedBy('a', false).got).toEqual({ role: 'a', event: event('go'), outcome });
    expect(receivedBy('a', true).got).toEqual({ role: 'a', event: event('go', { at: 8 }), outcome });
  });

  test('is nothing where that role is not open', () => {
    expect(receivedBy('x', false)).toEqual({ got: { closed: 'x' }, received: [] });
  });
});

test('a node is put in a given state, and stops', () => {
  const { node, received } = nodeOf();
  node.start(starts('a', 'b'), choose);
  node.restore({ c: { chart: 'c', value: 'v', context: 5 } } as any);
  expect([received, Object.keys(node.roles), node.role('c')?.context]).toEqual([['a stops', 'b stops'], ['c'], 5]);
  node.stop();
  expect([node.roles, received.at(-1)]).toEqual([{}, 'c stops']);
});
