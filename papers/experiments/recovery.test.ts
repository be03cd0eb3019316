/** Corrupt states that recover, in the systems with a fast search; `quiver paper` covers all of them. */
import { expect, test } from 'vitest';
import { protocols } from '../../machines/index.js';
import { recoveryOf, recoverySystems } from './recovery.js';

test.each([
  ['controller', 0],
  ['controller', 1],
] as const)('%s, system %i: as many recover as recorded, and others do not', (name, place) => {
  const system = recoverySystems[name]![place]!;
  const { states, healthy, lost, always } = recoveryOf(protocols[name]!, system);
  expect([states, healthy, lost]).toEqual(system.expected);
  expect(always).toBe(false);
});

test('where nothing is corrupt, the one state is healthy', () => {
  const system = { ...recoverySystems['controller']![0]!, corrupt: [] };
  expect(recoveryOf(protocols['controller']!, system)).toEqual({ states: 1, healthy: 1, lost: 0, always: true });
});
