/** The states that a monitor checks, its reports, and how another monitor continues from it. */
import { describe, expect, test } from 'vitest';
import type { Fold, Folded } from '../machines/folded.js';
import type { Changes, Configuration, Property, Step } from '../machines/protocol.js';
import { Monitor, type Violation } from './monitor.js';
import { Sums } from './evaluation.js';

/** A configuration that is a number for each node. */
function stateOf(nodes: Readonly<Record<string, number>> = { a: 0 }) {
  const values = new Map(Object.entries(nodes));
  const state = { nodes: values, instance: { topology: { nodes: [...values.keys()] } }, follow: undefined as unknown };
  return state;
}
type State = ReturnType<typeof stateOf>;
const sumOf = (c: any): number => [...(c as State).nodes.values()].reduce((sum, value) => sum + value, 0);

/** A monitor on it, which steps set. */
function watching(properties: readonly Property[], state = stateOf(), from?: Monitor) {
  const monitor = new Monitor(properties, state as never as Configuration, from);
  const notified: Violation[] = [];
  monitor.violations$.subscribe((violation) => notified.push(violation));
  let index = 0;
  const step = (at: number, node: string, value: number, kind: Step['kind'] = 'deliver') => {
    state.nodes.set(node, value);
    monitor.record({ index: index++, at, kind, node } as Step);
  };
  const verdicts = (atRest = false, at = 0) => monitor.finish(atRest, at).map(({ holds }) => holds);
  return { monitor, state, notified, step, verdicts };
}

const named = (name: string) => ({ name, description: `${name} it is.` });
const always = (name: string, holds: (c: any) => boolean): Property => ({ ...named(name), kind: 'always', holds });
const small = always('small', (c) => sumOf(c) < 10);

describe('always', () => {
  test('one state violates it; the violation is reported once, with its step', () => {
    const { notified, step, verdicts } = watching([small, always('fine', () => true)]);
    step(1, 'a', 5);
    expect(notified).toEqual([]);
    step(2, 'a', 10);
    step(3, 'a', 11);
    step(4, 'a', 1);
    expect(notified).toEqual([{ property: 'small', description: 'small it is.', index: 1, at: 2 }]);
    expect(verdicts()).toEqual([false, true]);
  });

  test('a violated property is not checked again', () => {
    let checks = 0;
    const { step, verdicts } = watching([always('counted', () => (checks++, false))]);
    for (const at of [1, 2, 3]) step(at, 'a', at);
    expect([checks, verdicts(), checks]).toEqual([1, [false], 1]);
  });

  test('is evaluated again at the end', () => {
    const { monitor, state, notified, step } = watching([small]);
    step(1, 'a', 1);
    state.nodes.set('a', 99);
    expect(monitor.finish(false, 1)).toEqual([{ name: 'small', kind: 'always', holds: false }]);
    expect(notified).toMatchObject([{ index: 0, at: 1 }]);
  });

  test('a run without a step has been checked at its end', () => {
    const { notified, verdicts } = watching([small], stateOf({ a: 50 }));
    expect([verdicts(), notified]).toEqual([[false], [{ property: 'small', description: 'small it is.', index: -1, at: 0 }]]);
  });
});

test('sometimes: one state satisfies it, otherwise the result is unknown', () => {
  let checks = 0;
  const seen: Property = { ...named('large'), kind: 'sometimes', holds: (c) => (checks++, sumOf(c) > 10) };
  const never: Property = { ...named('never'), kind: 'sometimes', holds: () => false };
  const { step, verdicts } = watching([seen, never]);
  step(1, 'a', 1);
  step(2, 'a', 11);
  step(3, 'a', 1);
  expect([verdicts(true), checks]).toEqual([[true, null], 2]);
});

describe('eventually', () => {
  const served: Property = {
    ...named('served'),
    kind: 'eventually',
    when: (c: any, node) => c.nodes.get(node) > 0,
    holds: (c: any, node) => c.nodes.get(node) === 2,
  };

  test('holds without pending requests, is unknown during a run, violated at rest', () => {
    const { notified, step, verdicts } = watching([served], stateOf({ a: 0, b: 0, c: 0 }));
    expect(verdicts(true)).toEqual([true]);
    for (const node of ['a', 'b', 'c']) step(1, node, node === 'b' ? 2 : 1);
    expect([verdicts(false), notified]).toEqual([[null], []]);
    expect(verdicts(true)).toEqual([false]);
    expect(notified).toMatchObject([{ property: 'served', nodes: ['a', 'c'] }]);
  });
});

describe('closed', () => {
  const closed: Property = { ...named('closed'), kind: 'closed', holds: (c) => sumOf(c) === 1 };

  test.each<Step['kind']>(['corrupt', 'crash', 'restart', 'reload', 'link'])('starts over at a fault: %s', (kind) => {
    const { step, verdicts } = watching([closed]);
    step(1, 'a', 1);
    step(2, 'a', 0, kind);
    expect(verdicts()).toEqual([null]);
    step(3, 'a', 1);
    step(4, 'a', 0);
    expect(verdicts()).toEqual([false]);
  });

  test.each<Step['kind']>(['start', 'deliver', 'timer', 'command'])('and not with a step that is none: %s', (kind) => {
    const { notified, step, verdicts } = watching([closed]);
    step(1, 'a', 1);
    step(2, 'a', 0, kind);
    expect([verdicts(), notified.length]).toEqual([[false], 1]);
  });

  test('an observer reports a fault without a step', () => {
    const { monitor, step, verdicts } = watching([closed]);
    step(1, 'a', 1);
    monitor.fault(2);
    step(2, 'a', 0);
    expect(verdicts()).toEqual([null]);
  });
});

describe('a large network', () => {
  const many = () => stateOf(Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`n${i}`, 0])));

  test('is checked at one step of four, except for properties of a neighborhood', () => {
    let checks = 0;
    const global = always('global', () => (checks++, true));
    const around: [unknown, string][] = [];
    const local: Property = {
      ...named('local'),
      kind: 'always',
      holds: () => true,
      holdsAround: (c: any, node: string) => (around.push([c.nodes.size, node]), node !== 'n7'),
    };
    const { notified, step } = watching([global, local], many());
    for (let i = 0; i < 9; i++) step(i, `n${i}`, 1);
    expect([checks, around.map(([, node]) => node)]).toEqual([3, ['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7']]);
    expect(notified).toEqual([{ property: 'local', description: 'local it is.', nodes: ['n7'], index: 7, at: 7 }]);
  });

  test('up to two hundred nodes, every step is checked', () => {
    let checks = 0;
    const state = stateOf(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`n${i}`, 0])));
    const { step } = watching([always('global', () => (checks++, true))], state);
    for (let i = 0; i < 5; i++) step(i, 'n0', 1);
    expect(checks).toBe(5);
  });

  test('a property that had not converged at the last evaluation stays unknown', () => {
    const converges: Property = { ...named('settled'), kind: 'converges', within: 2, holds: (c) => sumOf(c) > 0 };
    const { notified, step } = watching([converges], many());
    step(0, 'n0', 0);
    step(3, 'n0', 1);
    step(4, 'n0', 1);
    step(5, 'n0', 1);
    step(6, 'n0', 1);
    expect(notified).toEqual([]);
    const late = watching([converges], many());
    for (const at of [0, 1, 2, 3, 4]) late.step(at, 'n0', 0);
    expect(late.notified).toMatchObject([{ property: 'settled', index: 4, at: 4 }]);
  });
});

describe('the result of a checker on a run', () => {
  test('is violated once, with its message', () => {
    const { monitor, notified, step } = watching([small, always('fine', () => true)]);
    step(3, 'a', 1);
    const refutes = { property: 'fine', nodes: ['a'], loop: 2 };
    expect(monitor.finish(true, 3, refutes).map(({ holds }) => holds)).toEqual([true, false]);
    expect(notified).toEqual([{ property: 'fine', description: 'fine it is.', nodes: ['a'], loop: 2, index: 0, at: 3 }]);
  });

  test('an unknown property is rejected', () => {
    const { monitor } = watching([small, always('fine', () => true)]);
    expect(() => monitor.finish(true, 3, { property: 'large' })).toThrow(
      'Unknown property "large" in `refutes`. The properties are small, fine',
    );
  });
});

test('another monitor continues with its results', () => {
  const properties: Property[] = [
    small,
    { ...named('seen'), kind: 'sometimes', holds: (c) => sumOf(c) === 3 },
    { ...named('kept'), kind: 'closed', holds: (c) => sumOf(c) > 2 },
    { ...named('settled'), kind: 'converges', within: 5, holds: (c) => sumOf(c) === 7 },
    { ...named('rested'), kind: 'converges', within: 50, holds: (c) => sumOf(c) < 50 },
  ];
  const first = watching(properties);
  first.step(1, 'a', 99);
  first.step(20, 'a', 3, 'corrupt');
  const second = watching(properties, stateOf({ a: 3 }), first.monitor);
  second.step(21, 'a', 1);
  expect(second.notified).toEqual([{ property: 'kept', description: 'kept it is.', index: 0, at: 21 }]);
  second.step(26, 'a', 1);
  expect(second.notified.map(({ property }) => property)).toEqual(['kept', 'settled']);
  expect(second.verdicts(false, 30)).toEqual([false, true, false, false, true]);
});

/** Totals that log their input. */
function foldOf() {
  const log: unknown[] = [];
  const fold: Fold = {
    node: (view: any, id) => [id, view],
    flight: ({ id }) => ({ number: id }),
    totals: () => ({
      node: (fact: unknown, by: number) => log.push(['node', fact, by]),
      flight: (fact: unknown, by: number) => log.push(['flight', fact, by]),
      channel: (state: unknown) => log.push(['channel', state]),
    }),
  };
  return { fold, log };
}

describe('totals', () => {
  test('receive the changes: old facts with -1, new ones with 1', () => {
    const { fold, log } = foldOf();
    const state = stateOf({ a: 1, b: 2 });
    const changes: Changes[] = [];
    let followed = 0;
    const configuration = { ...state, follow: () => (followed++, () => changes.shift()!) } as never as Configuration;
    const other = { ...foldOf().fold, totals: () => ({ node: () => {}, flight: () => {} }) };
    const sums = new Sums([fold, fold, other], configuration);
    expect([sums.of(fold) === sums.of(other), sums.of(fold), log, followed]).toEqual([false, sums.of(fold), [], 0]);
    changes.push({ nodes: ['a', 'b'], channels: ['ab'], flights: [[{ id: 7 }, 1]] } as never);
    sums.update();
    expect(log.splice(0)).toEqual([
      ['channel', 'ab'],
      ['node', ['a', 1], 1],
      ['node', ['b', 2], 1],
      ['flight', { number: 7 }, 1],
    ]);
    state.nodes.set('a', 5);
    changes.push({ nodes: ['a'], channels: [], flights: [[{ id: 7, changed: true }, -1]] } as never);
    sums.update();
    expect(log.splice(0)).toEqual([
      ['node', ['a', 1], -1],
      ['node', ['a', 5], 1],
      ['flight', { number: 7 }, -1],
    ]);
    expect(followed).toBe(1);
  });

  test('without folds nothing is followed', () => {
    const configuration = { ...stateOf(), follow: () => expect.unreachable() } as never as Configuration;
    new Sums([], configuration).update();
  });
});

describe('a judgment on totals', () => {
  /** The sum of all nodes, as a total. */
  const total: Fold = {
    node: (view: any) => view as number,
    flight: () => 0,
    totals: () => {
      const totals = { sum: 0, node: (fact: number, by: number) => void (totals.sum += by * fact), flight: () => {} };
      return totals;
    },
  };
  const folded = (more: Partial<Folded> = {}): Property => ({
    ...named('folded'),
    kind: 'always',
    holds: () => expect.unreachable(),
    folded: { over: total, holds: (totals: any) => totals.sum < 10, ...more },
  });
  /** A network that reports the nodes that steps have set. */
  const followed = (nodes: number) => {
    const state = stateOf(Object.fromEntries(Array.from({ length: nodes }, (_, i) => [`n${i}`, 0])));
    const follow = () => {
      let known = new Map<string, number>();
      return () => {
        const changed = [...state.nodes.keys()].filter((node) => known.get(node) !== state.nodes.get(node));
        known = new Map(state.nodes);
        return { nodes: changed, channels: [], flights: [] };
      };
    };
    return Object.assign(state, { follow });
  };

  test('is evaluated after every step at any size; a local one names its node', () => {
    for (const isLocal of [undefined, true] as const) {
      const { notified, step } = watching([folded(isLocal && { isLocal })], followed(400));
      step(0, 'n0', 5);
      step(1, 'n1', 5);
      expect(notified).toEqual([
        { property: 'folded', description: 'folded it is.', ...(isLocal && { nodes: ['n1'] }), index: 1, at: 1 },
      ]);
    }
  });

  test('except if it reads the configuration', () => {
    const { notified, step } = watching([folded({ hasLinearCost: true })], followed(400));
    for (const at of [0, 1, 2, 3]) step(at, `n${at}`, 5);
    expect(notified).toEqual([]);
    step(4, 'n4', 5);
    expect(notified).toMatchObject([{ index: 4 }]);
  });

  test('may read the configuration, and works without incremental totals', () => {
    const seen: unknown[] = [];
    const state = followed(2);
    const looking = folded({ holds: (_: unknown, c: () => unknown) => (seen.push(c()), true) });
    watching([looking], state).step(0, 'n0', 1);
    expect(seen).toEqual([state]);
    const plain: Property = { ...folded(), holds: (c: any) => sumOf(c) < 10 } as never;
    const { notified, step } = watching([plain], stateOf({ a: 0 }));
    step(0, 'a', 10);
    expect(notified).toHaveLength(1);
  });

  test('that has not converged is late after every step, however large the network', () => {
    const settled = { ...folded({ holds: (totals: any) => totals.sum > 0 }), kind: 'converges', within: 2 } as Property;
    const { notified, step } = watching([settled], followed(400));
    for (const at of [0, 1, 2]) step(at, 'n0', 0);
    expect(notified).toEqual([]);
    step(3, 'n0', 1);
    expect(notified).toMatchObject([{ index: 3, at: 3 }]);
  });
});
