/** The rules of spec section 4, one by one, on one chart: actions and receivers of Updates. */
import { describe, expect, test } from 'vitest';
import { begin, macrostep } from '../../network/world/remembering.js';
import {
  adoptLeaderPair,
  electSelf,
  oriented,
  propagateLargestRefLevel,
  reflectRefLevel,
  startNewRefLevel,
  type Height,
  type Identity,
} from './height.js';
import { electionMachine, type ElectionContext, type ElectionInput } from './machine.js';

const [a, u, b, l]: readonly Identity[] = [
  [1, 'a'],
  [2, 'u'],
  [3, 'b'],
  [4, 'l'],
] as const;

/** u between a and b, two hops from the leader l, which is behind b. */
const input = (changes: Partial<ElectionInput> = {}): ElectionInput => ({
  id: u,
  height: oriented(u, l, 2),
  links: [
    { peer: 'a', height: oriented(a, l, 3) },
    { peer: 'b', height: oriented(b, l, 1) },
  ],
  clock: 'perfect',
  hello: true,
  skipIfLeader: false,
  sink: 'settled',
  levels: 0,
  ...changes,
});

/** Result of one event at tick 5: the state, the height, and the receivers of an Update. */
function take(event: { type: string } & Record<string, unknown>, changes: Partial<ElectionInput> = {}) {
  const { snapshot, effects } = macrostep(electionMachine, begin(electionMachine, input(changes)).snapshot, {
    ...event,
    at: 5,
  } as {
    type: string;
  });
  const { height, links, now } = snapshot.context as ElectionContext;
  const sent = effects.filter(({ type }) => type === 'send') as unknown as {
    to: string[];
    message: { hello: boolean; height: Height };
  }[];
  return {
    role: snapshot.value,
    height,
    links: links.map(({ peer, height }) => (height ? peer : `${peer}?`)),
    now,
    notified: sent.flatMap(({ to }) => to),
    hello: sent.some(({ message }) => message.hello),
    emitted: effects.flatMap((effect) => (effect.type === 'emit' ? [effect.event] : [])),
  };
}

const update = (from: Identity, height: Height, hello = false) => ({
  type: 'update',
  from: from[1],
  height,
  hello,
  stamp: null,
  tables: [],
});
const own = oriented(u, l, 2);

describe('ChannelDown', () => {
  test('N is empty: ElectSelf, sent to all that are forming', () => {
    const links = [
      { peer: 'a', height: null },
      { peer: 'b', height: oriented(b, l, 1) },
    ];
    expect(take({ type: 'link.down', peer: 'b' }, { links })).toMatchObject({
      role: 'isolated',
      height: electSelf(own, 5),
      links: ['a?'],
      notified: ['a'],
      emitted: [{ type: 'leader', leader: 'u', term: 5 }],
    });
  });

  test('a leader that is left alone elects itself again, unless skipIfLeader', () => {
    const lonely = { height: oriented(u, u, 0), links: [{ peer: 'b', height: oriented(b, u, 1) }] };
    expect(take({ type: 'link.down', peer: 'b' }, lonely).height.nlts).toBe(-5);
    expect(take({ type: 'link.down', peer: 'b' }, { ...lonely, skipIfLeader: true })).toMatchObject({
      role: 'isolated',
      height: lonely.height,
      emitted: [],
    });
  });

  test('SINK: StartNewRefLevel, sent to all', () => {
    expect(take({ type: 'link.down', peer: 'b' })).toMatchObject({
      role: { searching: 'originator' },
      height: startNewRefLevel(own, 5),
      notified: ['a'],
    });
  });

  test('else nothing', () => {
    expect(take({ type: 'link.down', peer: 'a' })).toMatchObject({ role: 'oriented', height: own, notified: [], links: ['b'] });
  });
});

describe('ChannelUp', () => {
  test.each([true, false])('the peer is forming and notified immediately, with hello %s', (hello) => {
    expect(take({ type: 'link.up', peer: 'l' }, { hello })).toMatchObject({
      links: ['a', 'b', 'l?'],
      notified: ['l'],
      hello,
      height: own,
    });
  });
});

describe('Update', () => {
  const recent = electSelf(oriented(a, l, 3), 4);

  test('from an unknown node: ignored, but the clock advances', () => {
    expect(take(update(l, oriented(l, l, 0)))).toMatchObject({ links: ['a', 'b'], notified: [], height: own, now: 5 });
  });

  test('over a channel that is down, however recent: ignored', () => {
    const down = macrostep(electionMachine, begin(electionMachine, input()).snapshot, {
      type: 'link.down',
      peer: 'a',
      at: 5,
    } as never);
    const { snapshot, effects } = macrostep(electionMachine, down.snapshot, { ...update(a, recent), at: 6 } as never);
    expect(effects).toEqual([]);
    expect(snapshot.context).toEqual({ ...down.snapshot.context, now: 6 });
  });

  test('from a peer that is forming: it becomes a neighbor', () => {
    const links = [{ peer: 'a', height: null }, ...input().links.slice(1)];
    expect(take(update(a, oriented(a, l, 3)), { links })).toMatchObject({ links: ['a', 'b'], notified: [] });
  });

  test('of a more recent leader: AdoptLP, sent to all', () => {
    expect(take(update(a, recent))).toMatchObject({
      role: 'oriented',
      height: adoptLeaderPair(own, recent),
      notified: ['a', 'b'],
      emitted: [{ type: 'leader', leader: 'a', term: 4 }],
    });
  });

  test('of a staler leader: the sender alone is answered', () => {
    const height = { ...own, lid: a, nlts: -3 };
    expect(take(update(b, oriented(b, l, 1)), { height })).toMatchObject({ height, notified: ['b'], hello: false });
  });

  test('of the same leader with a way down: nothing, except an answer to a hello', () => {
    const reported = oriented(a, l, 4);
    expect(take(update(a, reported)).notified).toEqual([]);
    expect(take(update(a, reported, true)).notified).toEqual(['a']);
    expect(take(update(a, reported, true), { hello: false }).notified).toEqual([]);
  });

  const searching = (id: Identity, delta: number, r: 0 | 1 = 0, oid: Identity = b): Height => ({
    ...oriented(id, l, delta),
    tau: 3,
    oid,
    r,
  });

  test('SINK, one reference level that is not reflected: ReflectRefLevel', () => {
    const links = [
      { peer: 'a', height: searching(a, -1) },
      { peer: 'b', height: oriented(b, l, 1) },
    ];
    expect(take(update(b, searching(b, 0)), { links })).toMatchObject({
      role: { reflected: 'propagating' },
      height: reflectRefLevel(own, [searching(b, 0)]),
      notified: ['a', 'b'],
    });
  });

  test('SINK, all neighbors return its own reference level: ElectSelf', () => {
    const reflected = (id: Identity, delta: number) => searching(id, delta, 1, u);
    const links = [
      { peer: 'a', height: reflected(a, -1) },
      { peer: 'b', height: searching(b, -1, 0, u) },
    ];
    expect(take(update(b, reflected(b, 0)), { links, height: { ...searching(u, 0, 0, u) } })).toMatchObject({
      role: 'leader',
      height: electSelf(own, 5),
      notified: ['a', 'b'],
    });
  });

  test('SINK, one reflected reference level of another node: StartNewRefLevel', () => {
    const links = [
      { peer: 'a', height: searching(a, -1, 1) },
      { peer: 'b', height: oriented(b, l, 1) },
    ];
    expect(take(update(b, searching(b, 0, 1)), { links })).toMatchObject({
      role: { searching: 'originator' },
      height: startNewRefLevel(own, 5),
    });
  });

  test('SINK outside of any search: StartNewRefLevel', () => {
    expect(take(update(b, oriented(b, l, 3)))).toMatchObject({
      role: { searching: 'originator' },
      height: startNewRefLevel(own, 5),
    });
  });

  test('SINK, different levels: propagates the largest, below its smallest delta', () => {
    const links = [
      { peer: 'a', height: searching(a, 0) },
      { peer: 'b', height: oriented(b, l, 1) },
      { peer: 'l', height: oriented(l, l, 3) },
    ];
    const height = { ...own, delta: 2 };
    const reported = searching(b, -4);
    expect(take(update(b, reported), { links, height })).toMatchObject({
      role: { searching: 'propagating' },
      height: { tau: 3, oid: b, r: 0, delta: -5 },
      notified: ['a', 'b', 'l'],
    });
    expect(propagateLargestRefLevel(own, [searching(a, 0), reported, oriented(l, l, 3)]).delta).toBe(-5);
  });
});

describe('clocks', () => {
  test('perfect: the tick, and half a tick at the very start', () => {
    expect(take({ type: 'link.down', peer: 'a' }).now).toBe(5);
    const { snapshot } = macrostep(electionMachine, begin(electionMachine, input()).snapshot, {
      type: 'link.down',
      peer: 'b',
      at: 0,
    } as { type: string });
    expect((snapshot.context as ElectionContext).height.tau).toBe(0.5);
  });

  test('logical: one more than all times received', () => {
    const logical = { clock: 'logical' } as const;
    expect(take({ type: 'link.down', peer: 'a' }, logical).now).toBe(1);
    expect(take({ ...update(a, oriented(a, l, 3)), stamp: 7 }, logical).now).toBe(8);
    expect(take({ ...update(l, oriented(l, l, 0)), stamp: 7 }, logical).now).toBe(8);
  });
});
