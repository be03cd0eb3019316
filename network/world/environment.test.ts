/** The possible next moves of the environment, and the changes that each makes. */
import { describe, expect, test } from 'vitest';
import { Environment, faultBudget, type Workload } from './environment.js';
import { Script, type Scripted } from './script.js';

const NODES = ['a', 'b', 'c'];
const event = (type: string) => (fields: object) => ({ type, ...fields });
const commands = {
  lock: { waits: true, event: event('lock'), completedBy: ['granted', 'denied'] },
  release: { waits: false, event: event('release'), completedBy: [] },
};
const ask = (node: string, name = 'lock', fields = {}) => ({ do: 'command', node, name, fields }) as const;
const given = (name: 'lock' | 'release', fields = {}) => ({ name, waits: name === 'lock', event: { type: name, ...fields } });

interface Choices {
  readonly events?: readonly Scripted[];
  readonly workload?: Workload;
  readonly budget?: object;
  readonly oneByOne?: boolean;
  readonly ports?: boolean;
}

function environmentOf({ events = [], workload, budget = {}, oneByOne = false, ports = false }: Choices = {}): Environment {
  const addressing = ports ? 'ports' : 'names';
  const taken = [
    ['a', 1, 'b', 2],
    ['b', 1, 'c', 1],
  ] as const;
  const protocol = { network: { addressing, reach: 'links' }, commands, ...(ports ? { ports: () => taken } : {}) } as any;
  const links = [
    ['a', 'b', 1],
    ['b', 'c', 1],
  ] as const;
  const instance = { topology: { nodes: NODES, links }, options: {} } as any;
  return Environment.of({ protocol, instance, script: new Script(events, protocol), workload, budget, oneByOne });
}

/** Performs the next entry of a lane. */
function come(environment: Environment, lane = 0) {
  return environment.make({ kind: 'entry', lane, entry: environment.next(lane)! });
}
const kinds = (environment: Environment) =>
  environment.moves().map((move) => {
    if (move.kind === 'entry') return `${move.lane}:${move.entry.kind}`;
    return move.kind === 'channel' ? `${move.from}${move.to} ${move.up ? 'up' : 'down'}` : `${move.kind} ${move.node}`;
  });

describe('budgets', () => {
  test('faults are off by default, and unlimited if a scenario gives a probability', () => {
    expect([environmentOf().loss, environmentOf().duplicate]).toEqual([0, 0]);
    expect(faultBudget({ loss: 0.1, duplicate: 0 })).toEqual({ loss: Infinity, duplicate: 0 });
    expect(faultBudget({ loss: 0, duplicate: 0.1 })).toEqual({ loss: 0, duplicate: Infinity });
    const some = environmentOf({ budget: { loss: 2, duplicate: 3 } });
    some.loss = 1;
    expect([some.copy().loss, some.copy().duplicate]).toEqual([1, 3]);
  });
});

describe('the script', () => {
  test('each lane offers its next entry, in order', () => {
    const environment = environmentOf({ events: [ask('a'), { do: 'crash', node: 'a' }, ask('b', 'release', { of: 1 })] });
    expect(kinds(environment)).toEqual(['0:command', '1:command']);
    expect(come(environment)).toEqual({ given: { node: 'a', command: given('lock') } });
    expect(kinds(environment)).toEqual(['0:crash', '1:command']);
    expect(come(environment, 1)).toEqual({ given: { node: 'b', command: given('release', { of: 1 }) } });
    expect([environment.isOver, come(environment), environment.isOver]).toEqual([false, { crashed: 'a' }, true]);
    expect(kinds(environment)).toEqual([]);
  });

  test('one by one, an event waits for all earlier ones in the list', () => {
    const environment = environmentOf({ events: [ask('a'), ask('b'), ask('a')], oneByOne: true });
    expect(kinds(environment)).toEqual(['0:command']);
    come(environment);
    expect(kinds(environment)).toEqual(['1:command']);
    come(environment, 1);
    expect(kinds(environment)).toEqual(['0:command']);
  });

  test('a change that has been made already is passed over', () => {
    const cut = { do: 'cut', link: ['a', 'b'] } as const;
    const named = environmentOf({ events: [cut, cut] });
    come(named);
    expect([named.next(0), named.next(1)?.place, kinds(named)]).toEqual([undefined, 0, ['1:channel']]);
    const ported = environmentOf({ events: [{ do: 'join', link: ['a', 'b'] }, cut, cut], ports: true });
    expect(ported.next(0)?.place).toBe(1);
    come(ported);
    expect([ported.next(0), ported.isOver]).toEqual([undefined, true]);
  });

  test('an event of two entries has begun after one of them', () => {
    const environment = environmentOf({ events: [ask('c'), { do: 'cut', link: ['a', 'b'] }] });
    const [, entry] = [environment.next(0), environment.next(1)!];
    expect(environment.hasBegun(entry)).toBe(false);
    come(environment);
    expect(environment.hasBegun(entry)).toBe(false);
    come(environment, 1);
    expect(environment.hasBegun(entry)).toBe(true);
  });

  test('in time, past entries have happened in any order', () => {
    const events = [{ ...ask('a'), at: 1 }, { ...ask('a'), at: 3 }, ask('b')];
    const environment = environmentOf({ events });
    environment.standAt(1);
    expect(environment.places).toEqual([1, 1]);
    environment.standAt(3);
    expect(environment.places).toEqual([1, 2]);
    environment.standAt(0);
    expect(environment.places).toEqual([1, 0]);
  });
});

describe('links', () => {
  test('between names, each end changes alone and receives the name of its neighbor', () => {
    const environment = environmentOf({ events: [{ do: 'cut', link: ['a', 'b'] }] });
    expect(come(environment)).toMatchObject({ changes: [{ from: 'a', to: 'b', up: false }] });
    expect([environment.links.up('a', 'b'), environment.links.up('b', 'a')]).toEqual([false, true]);
    expect(environment.linkEvent({ from: 'a', to: 'b', up: false })).toEqual({ type: 'link.down', peer: 'b' });
    expect(environment.linkEvent({ from: 'a', to: 'b', up: true })).toEqual({ type: 'link.up', peer: 'b' });
  });

  test('a join has its weight, or none by default', () => {
    const environment = environmentOf({
      events: [
        { do: 'join', link: ['a', 'c'], weight: 5 },
        { do: 'cut', link: ['b', 'c'] },
      ],
    });
    come(environment);
    come(environment, 2);
    expect([environment.links.weight('a', 'c'), environment.links.weight('b', 'c')]).toEqual([5, 1]);
  });

  test('between ports, a link changes as a whole and each end receives its own port', () => {
    const environment = environmentOf({
      events: [
        { do: 'cut', link: ['a', 'b'] },
        { do: 'join', link: ['a', 'c'], weight: 3, ports: [4, 5] },
      ],
      ports: true,
    });
    const both = (from: string, to: string, up: boolean) => ({
      changes: [
        { from, to, up },
        { from: to, to: from, up },
      ],
    });
    expect(environment.isAnonymous).toBe(true);
    expect(come(environment)).toEqual(both('a', 'b', false));
    expect(environment.linkEvent({ from: 'b', to: 'a', up: false })).toEqual({ type: 'link.down', peer: 2 });
    expect(come(environment, 1)).toEqual(both('a', 'c', true));
    expect([environment.links.port('a', 'c'), environment.links.port('c', 'a'), environment.links.weight('c', 'a')]).toEqual([
      4, 5, 3,
    ]);
    expect(environment.ports(NODES)).toEqual([-1, -1, 4, -1, -1, 1, 5, 1, -1]);
  });

  test('a join brings up the one direction that is down, and of two that are up none', () => {
    const environment = environmentOf();
    environment.links.set('b', 'a', false);
    expect(environment.change({ do: 'join', link: ['a', 'b'] })).toEqual([{ from: 'b', to: 'a', up: true }]);
    expect(environment.change({ do: 'join', link: ['a', 'b'] })).toEqual([]);
    environment.change({ do: 'cut', link: ['a', 'b'] });
    expect(environment.links.weight('a', 'b')).toBe(1);
  });
});

describe('nodes that stop', () => {
  test('stop once and continue once', () => {
    const events = ['crash', 'crash', 'restart', 'restart', 'reload'].map((what) => ({ do: what, node: 'b' }) as Scripted);
    const environment = environmentOf({ events });
    expect(environment.isAnonymous).toBe(false);
    expect([1, 2, 3, 4, 5].map(() => come(environment))).toEqual([{ crashed: 'b' }, {}, { restarted: 'b' }, {}, {}]);
  });

  test('before a restart, neighbors are notified of the crash, then of the return', () => {
    const environment = environmentOf({
      events: [
        { do: 'crash', node: 'b' },
        { do: 'reload', node: 'b' },
      ],
    });
    expect(environment.severed('b')).toEqual([]);
    come(environment);
    environment.enqueue('b', given('lock'));
    environment.underWay.add('b');
    expect(kinds(environment)).toEqual(['ab down', 'cb down', 'turn b']);
    for (const move of environment.severed('b')) environment.make(move);
    // A process that has ended is notified of none of its channels.
    expect([kinds(environment), environment.returns()]).toEqual([['0:reload', 'turn b'], []]);
    expect(come(environment)).toEqual({
      reloaded: 'b',
      changes: [
        { from: 'b', to: 'a', up: false },
        { from: 'b', to: 'c', up: false },
      ],
    });
    expect([environment.hasWaiting, environment.underWay.size, environment.head('b')]).toEqual([false, 0, undefined]);
    expect(kinds(environment)).toEqual(['ab up', 'cb up', 'ba up', 'bc up']);
    const [back] = environment.moves();
    expect(environment.make(back!)).toMatchObject({ changes: [{ from: 'a', to: 'b', up: true }] });
    expect(kinds(environment)).toEqual(['cb up', 'ba up', 'bc up']);
  });

  test('a link that is cut while the process is down stays down', () => {
    const environment = environmentOf({
      events: [
        { do: 'crash', node: 'b' },
        { do: 'reload', node: 'b' },
        { do: 'cut', link: ['b', 'c'] },
      ],
    });
    come(environment);
    for (const move of environment.severed('b')) environment.make(move);
    come(environment);
    expect([environment.next(1), environment.next(2)]).toEqual([undefined, undefined]);
    expect(environment.returns()).toEqual([
      ['a', 'b'],
      ['b', 'a'],
    ]);
  });

  test('all nodes of a corruption are named', () => {
    const environment = environmentOf({ events: [{ do: 'corrupt', nodes: ['a', 'c'] }] });
    expect(come(environment)).toEqual({ corrupted: ['a', 'c'] });
  });
});

describe('commands', () => {
  test('wait at their node, oldest first, until the chart takes them', () => {
    const environment = environmentOf();
    expect([environment.hasWaiting, environment.takeTurn('a')]).toEqual([false, undefined]);
    const [one, two] = [given('lock', { n: 1 }), given('lock', { n: 2 })];
    environment.enqueue('a', one);
    environment.enqueue('a', two);
    expect([environment.hasWaiting, environment.isOver, kinds(environment), environment.head('a')]).toEqual([
      true,
      false,
      ['turn a'],
      one,
    ]);
    expect(environment.takeTurn('a', () => false)).toBeUndefined();
    expect(environment.make({ kind: 'turn', node: 'a' })).toEqual({ given: { node: 'a', command: one } });
    expect([environment.head('a'), environment.takeTurn('a'), environment.hasWaiting, kinds(environment)]).toEqual([
      two,
      two,
      false,
      [],
    ]);
  });

  test('one after the other, the workload issues the next when the last is done', () => {
    const environment = environmentOf({ workload: { command: 'lock', sequential: ['c', 'a'] } });
    expect([environment.total, kinds(environment)]).toEqual([2, ['workload c']]);
    expect(environment.make({ kind: 'workload', node: 'c' })).toEqual({ given: { node: 'c', command: given('lock') } });
    expect([kinds(environment), environment.isOver]).toEqual([[], false]);
    environment.underWay.delete('c');
    expect([environment.issuers(), environment.isOver]).toEqual([['a'], false]);
    environment.issue('a');
    expect([environment.issuers(), environment.isOver]).toEqual([[], false]);
    environment.underWay.delete('a');
    expect([environment.issuers(), environment.isOver]).toEqual([[], true]);
  });

  test('several at a time, each at its own node, up to the requested number', () => {
    const environment = environmentOf({ workload: { command: 'lock', concurrent: 2, requests: 3 } });
    expect([environment.total, environment.issuers()]).toEqual([3, NODES]);
    environment.issue('b');
    expect(environment.issuers()).toEqual(['a', 'c']);
    environment.issue('a');
    expect(environment.issuers()).toEqual([]);
    environment.underWay.clear();
    expect(environment.issuers()).toEqual(NODES);
    environment.issue('c');
    environment.underWay.clear();
    expect([environment.issuers(), environment.isOver]).toEqual([[], true]);
  });

  test("a command completes by its node's notification, or by its requester's name", () => {
    const environment = environmentOf({ workload: { command: 'lock', sequential: ['a'] } });
    expect(environment.doneBy('a', { type: 'granted' })).toBeUndefined();
    environment.issue('a');
    expect(environment.doneBy('a', { type: 'granted' })).toBe('a');
    expect(environment.doneBy('a', { type: 'granted', requester: null })).toBe('a');
    expect(environment.doneBy('b', { type: 'granted' })).toBeUndefined();
    expect(environment.doneBy('b', { type: 'denied', requester: 'a' } as any)).toBe('a');
    expect(environment.doneBy('a', { type: 'granted', requester: 'b' } as any)).toBeUndefined();
    expect(environment.doneBy('a', { type: 'released' })).toBeUndefined();
    const none = environmentOf();
    none.underWay.add('a');
    expect([none.doneBy('a', { type: 'granted' }), none.total, none.issuers()]).toEqual([undefined, 0, []]);
  });
});

/** One of everything: a crash, a pause, a clog, a link that is to return, a command that waits and one under way. */
function full(): Environment {
  const environment = environmentOf({ events: [ask('a'), ask('b')], workload: { command: 'lock', sequential: ['a', 'b'] } });
  environment.crash('c');
  for (const move of environment.severed('c')) environment.make(move);
  environment.reload('c');
  environment.crash('b');
  environment.paused.add('a');
  environment.clogged.add('a\nb');
  environment.enqueue('a', given('lock', { n: 1 }));
  environment.issue('a');
  come(environment);
  return environment;
}

test('a copy has everything, and goes its own way', () => {
  const environment = full();
  const copy = environment.copy();
  const shown = (of: Environment) =>
    JSON.stringify([of.key(NODES), [...of.crashed], [...of.paused], [...of.clogged], [...of.underWay], of.issued, of.places]);
  expect(shown(copy)).toBe(shown(environment));
  expect(environment.crash('b')).toBe(false);
  const before = shown(environment);
  for (const set of ['crashed', 'paused', 'clogged', 'underWay'] as const) copy[set].clear();
  expect(copy.returns()).toEqual([
    ['b', 'c'],
    ['c', 'b'],
  ]);
  copy.takeTurn('a');
  come(copy, 1);
  copy.links.set('a', 'b', false);
  expect(shown(environment)).toBe(before);
  expect(copy.copy().hasWaiting).toBe(false);
});

test('under other names everything is the same at those names', () => {
  const environment = full();
  const other: Record<string, string> = { a: 'b', b: 'a', c: 'c' };
  const image = environment.renamed((node) => other[node]!, [1, 0]);
  expect([image.places, [...image.crashed], [...image.paused], [...image.underWay]]).toEqual([[0, 1], ['a'], ['b'], ['b']]);
  expect([image.head('a'), image.head('b'), image.links.up('b', 'c'), image.links.up('b', 'a')]).toEqual([
    undefined,
    given('lock', { n: 1 }),
    false,
    true,
  ]);
  image.crashed.clear();
  expect(image.returns()).toEqual([
    ['a', 'c'],
    ['c', 'a'],
  ]);
  image.takeTurn('b');
  expect([environment.head('a'), [...environment.crashed]]).toEqual([given('lock', { n: 1 }), ['b']]);
});

test('the text of an environment distinguishes different futures', () => {
  const texts = new Set<string>([full().key(NODES)]);
  const changes: readonly ((of: Environment) => void)[] = [
    (of) => of.crashed.add('a'),
    (of) => of.crashed.clear(),
    (of) => of.links.set('a', 'b', false),
    (of) => of.loss++,
    (of) => of.duplicate++,
    (of) => of.issued++,
    (of) => of.underWay.add('b'),
    (of) => of.underWay.clear(),
    (of) => of.enqueue('a', given('lock', { n: 2 })),
    (of) => of.enqueue('b', given('lock', { n: 1 })),
    (of) => of.takeTurn('a'),
    (of) => come(of, 1),
    (of) => of.links.set('b', 'c', true),
    // Down for good, and not until its end is notified of it.
    (of) => (of as unknown as { returning: Set<string> }).returning.clear(),
  ];
  for (const change of changes) {
    const environment = full();
    change(environment);
    texts.add(environment.key(NODES));
  }
  expect(texts.size).toBe(changes.length + 1);
  expect(full().key(NODES)).toBe(full().key(NODES));
});
