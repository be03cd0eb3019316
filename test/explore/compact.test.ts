/** Hash compaction: the same answers as a search that stores states, a correct probability of misses, and rejected questions. */
import fc from 'fast-check';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { describe, expect, test } from 'vitest';
import { directory } from '../../machines/directory/index.js';
import { CompactStore, chanceOfMiss } from './compact-store.js';
import { everyStart } from './directory.fixtures.js';
import { explore, type ExploreOptions } from './explore.js';
import type { Exploration } from './examine.js';
import { completeGraph } from './fixtures.js';
import { anyTable, chartOf } from './random-charts.fixture.js';
import { replay } from './replay.fixture.js';
import { NO_PARENT, StateStore } from './store.js';
import { toy } from './toys.fixtures.js';

const SAFETY = everyStart(4, 1).properties.filter(({ kind }) => kind === 'always');

/** The results that do not depend on how states are stored. */
function comparable(found: Exploration) {
  const { bytesPerState: _, chanceOfMiss: __, counterexample, ...rest } = found;
  // The instance contains functions.
  return { ...rest, counterexample: counterexample && { ...counterexample, instance: undefined } };
}

describe('the same answers', () => {
  test.each([
    [4, 'all'],
    [4, 'symmetry'],
  ] as const)('the directory with %i nodes, %s', (n, reduce) => {
    const question: ExploreOptions = {
      ...everyStart(n, 1),
      properties: SAFETY,
      ...(reduce !== 'all' && { reduce }),
    };
    const found = explore(directory, { ...question, compact: true });
    expect(comparable(found)).toEqual(comparable(explore(directory, question)));
    expect(found).toMatchObject({ verdict: 'valid', chanceOfMiss: chanceOfMiss(found.states) });
  });

  test('random charts: the same verdict and the same counterexample', () => {
    fc.assert(
      fc.property(anyTable, fc.nat(2), (table, bad) => {
        const protocol = toy({ chart: chartOf(table), commands: ['go'] });
        const go = (node: string) => ({ do: 'command', name: 'go', node, fields: {} }) as const;
        const holds = (c: any) => c.nodes.get('n1').toy.value !== `s${bad}`;
        const properties = [
          { name: 'never', description: '', kind: 'always' as const, holds },
          { name: 'kept', description: '', kind: 'closed' as const, holds: (c: any) => !holds(c) },
        ];
        const commands = [go('n0'), go('n1')];
        const question = { topology: completeGraph(2), commands, properties, bounds: { states: 500 } };
        const found = explore(protocol, { ...question, compact: true });
        expect(comparable(found)).toEqual(comparable(explore(protocol, question)));
        if (found.counterexample?.property !== 'never') return;
        expect(holds(replay(protocol, completeGraph(2), found.counterexample, commands).end)).toBe(false);
      }),
      { numRuns: 25 },
    );
  });
});

/** Rows of `length` numbers, all different. */
function* rows(count: number, length: number, spread = 7): Generator<Int32Array> {
  for (let i = 0; i < count; i++) {
    const row = new Int32Array(length);
    for (let rest = i, at = 0; at < length; at++, rest = Math.floor(rest / spread)) row[at] = rest % spread;
    yield row;
  }
}

describe('the store', () => {
  test('ids, parents and rows equal those of a store of states while both grow', () => {
    const [compact, whole] = [new CompactStore(), new StateStore()];
    const rng = xoroshiro128plus(1);
    const draw = (most: number) => uniformInt(rng, 0, most - 1);
    const [rows, starts] = [new Int32Array(64), new Int32Array(9)];
    const [into, found, a, b] = [new Int32Array(8), new Int32Array(8), new Int32Array(64), new Int32Array(64)];
    for (let expanded = 0; compact.size < 300_000; expanded++) {
      for (let i = 0; i < 8; i++) {
        starts[i + 1] = starts[i]! + 3 + draw(5);
        // Small numbers repeat; numbers of more than two bytes are rare and come late.
        for (let at = starts[i]!; at < starts[i + 1]!; at++) rows[at] = draw(at - starts[i]! < 3 ? 60 : 3);
        if (compact.size > 200_000 && draw(20) === 0) rows[starts[i]!] = 0x10000 + draw(1e6);
      }
      const parent = expanded === 0 ? NO_PARENT : expanded - 1;
      compact.addAll(rows, starts, 8, parent, into);
      whole.addAll(rows, starts, 8, parent, found);
      if (into.some((state, i) => state !== found[i])) expect(into).toEqual(found);
      const length = compact.load(expanded, a);
      if (length !== whole.load(expanded, b) || a.some((word, i) => i < length && word !== b[i])) expect(a).toEqual(b);
    }
    for (let state = 0; state < compact.size; state++) if (compact.parent(state) !== whole.parent(state)) expect(state).toBe(-1);
    expect([compact.size, compact.longest]).toEqual([whole.size, whole.longest]);
    expect(() => compact.load(0, a)).toThrow(
      'hash compaction no longer stores the row of state 0. Report this as a bug, or check without --compact.',
    );
  });

  test('half a hash distinguishes as many rows as expected', () => {
    for (const store of [new CompactStore(-1, 0), new CompactStore(0xffff, 0xffff), new CompactStore(0xffff, 0xffff0000)]) {
      for (const row of rows(40_000, 9)) store.add(row, 0, row.length, 0);
      // 0.2 misses are expected.
      expect(store.size).toBeGreaterThan(40_000 - 4);
    }
  });

  test('with a hash of 20 bits, states are missed as often as predicted', () => {
    const most = chanceOfMiss(1_000, 20);
    let missed = 0;
    for (let round = 0; round < 400; round++) {
      const store = new CompactStore(0xfff, 0xff);
      for (const row of rows(1_000, 5)) {
        row[4] = round;
        store.add(row, 0, row.length, 0);
      }
      if (store.size < 1_000) missed++;
    }
    expect(most).toBeCloseTo(0.476, 3);
    expect(missed / 400).toBeLessThan(most);
    expect(missed / 400).toBeGreaterThan(0.6 * most);
  });
});

describe('rejected', () => {
  const question: ExploreOptions = { ...everyStart(3, 1), compact: true };

  test('liveness, a goal, and depth-first search', () => {
    expect(() => explore(directory, question)).toThrow(
      'Hash compaction cannot check the liveness property "every request is served"',
    );
    const safety = { ...question, properties: SAFETY };
    expect(() => explore(directory, { ...safety, goal: () => true })).toThrow('Hash compaction cannot check a goal');
    expect(() => explore(directory, { ...safety, search: 'depth' })).toThrow('Leave out --compact or --search depth.');
  });
});
