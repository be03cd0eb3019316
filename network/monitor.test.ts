/** The result of a run for each kind of property, on a configuration that is only a number. */
import { describe, expect, test } from 'vitest';
import type { Property, Step } from '../machines/protocol.js';
import { Monitor } from './monitor.js';

/** A monitored number: each step sets it. */
function watch(
  property: Property,
  atRest: boolean,
  end: number,
  ...steps: readonly (readonly [at: number, value: number, kind?: Step['kind']])[]
) {
  const state = { value: 0, instance: { topology: { nodes: ['a'] } }, nodes: new Map([['a', {}]]) };
  const monitor = new Monitor([property], state as any);
  steps.forEach(([at, value, kind = 'deliver'], index) => {
    state.value = value;
    monitor.record({ index, at, kind, node: 'a' } as Step);
  });
  return monitor.finish(atRest, end)[0]!.holds;
}

const is1 = (c: any): boolean => c.value === 1;
const named = { name: 'one', description: 'The number is 1.' };
const converges: Property = { ...named, kind: 'converges', within: 10, holds: is1 };
const closed: Property = { ...named, kind: 'closed', holds: is1 };

describe('converges within 10', () => {
  test('holds when reached in time', () => expect(watch(converges, false, 50, [0, 0], [10, 1])).toBe(true));
  test('is violated if reached late, even without checks in between', () => {
    expect(watch(converges, false, 50, [0, 0], [11, 1])).toBe(false);
  });
  test('is violated if it is lost again later', () => expect(watch(converges, false, 50, [0, 1], [20, 0], [21, 1])).toBe(false));
  test('is violated by a late end, and by rest', () => {
    expect(watch(converges, false, 11, [0, 0])).toBe(false);
    expect(watch(converges, true, 5, [0, 0])).toBe(false);
  });
  test('is unknown when the run ends in time', () => expect(watch(converges, false, 9, [0, 0])).toBe(null));
  test('is counted from the last fault', () => {
    expect(watch(converges, false, 50, [0, 1], [20, 0, 'corrupt'], [30, 1])).toBe(true);
    expect(watch(converges, false, 50, [0, 1], [20, 0, 'corrupt'], [31, 1])).toBe(false);
  });
});

describe('closed', () => {
  test('holds when reached and kept', () => expect(watch(closed, false, 9, [0, 0], [1, 1], [2, 1])).toBe(true));
  test('is violated when lost', () => expect(watch(closed, false, 9, [0, 1], [1, 0], [2, 1])).toBe(false));
  test('is not, when a fault took it', () => expect(watch(closed, false, 9, [0, 1], [1, 0, 'corrupt'], [2, 1])).toBe(true));
  test('is unknown when never reached', () => expect(watch(closed, false, 9, [0, 0])).toBe(null));
});

describe('properties that share a predicate', () => {
  const checks = (...properties: readonly Property[]) => {
    const state = { value: 1, instance: { topology: { nodes: ['a'] } }, nodes: new Map([['a', {}]]) };
    const monitor = new Monitor(properties, state as any);
    monitor.record({ index: 0, at: 0, kind: 'deliver', node: 'a' } as Step);
    return monitor.finish(false, 0).map(({ holds }) => holds);
  };

  test('share its result, which is computed once per check', () => {
    let asked = 0;
    const holds = (c: any) => (asked++, is1(c));
    expect(checks({ ...closed, holds }, { ...converges, holds })).toEqual([true, true]);
    // After the step, and at the end.
    expect(asked).toBe(2);
  });

  test('but not where the predicate is a method of a class', () => {
    class Is {
      readonly kind = 'always';
      readonly description = '';
      constructor(
        readonly name: string,
        private readonly value: number,
      ) {}
      holds(c: any): boolean {
        return c.value === this.value;
      }
    }
    expect(checks(new Is('one', 1), new Is('two', 2))).toEqual([true, false]);
  });
});
