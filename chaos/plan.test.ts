import { expect, test } from 'vitest';
import { BROKERS, inWords, PEERS, plan, SUBJECTS } from './plan.js';

const plans = Array.from({ length: 200 }, (_, round) => plan(7, round, BROKERS));
const faults = plans.flatMap((plan) => plan.faults);

test('a seed and a round give one plan, another seed another', () => {
  expect(plan(7, 3, BROKERS)).toEqual(plans[3]);
  expect(plan(8, 3, BROKERS).faults).not.toEqual(plans[3]!.faults);
});

test('every kind of fault happens, to every peer, and every subject meets every broker', () => {
  const kinds = ['kill', 'stop', 'cut', 'broker', 'all', 'roll', 'disk', 'members', 'visit', 'host'];
  expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(kinds));
  for (const peer of PEERS) expect(faults.some((fault) => fault.kind === 'kill' && fault.peer === peer)).toBe(true);
  const met = plans.slice(0, SUBJECTS.length * BROKERS.length).map(({ subject, broker }) => `${subject} ${broker}`);
  expect(new Set(met).size).toBe(SUBJECTS.length * BROKERS.length);
});

test('peers start together or in turn, and all are killed with and without storage', () => {
  const spreads = plans.map(({ startsMs }) => Math.max(...startsMs) > 0);
  expect(new Set(spreads).size).toBe(2);
  const killed = plans.filter((plan) => plan.faults.some(({ kind }) => kind === 'all'));
  expect(new Set(killed.map(({ isStored }) => isStored)).size).toBe(2);
});

test('state without storage is not expected to survive; only real disks fail', () => {
  for (const { subject, isStored, faults } of plans.filter((plan) => !plan.isStored)) {
    if (subject === 'quota' || subject === 'names') expect(faults.map(({ kind }) => kind)).not.toContain('all');
    expect(isStored || faults.every(({ kind }) => kind !== 'disk')).toBe(true);
  }
});

test('members change with and without storage; without, a change may be lost', () => {
  const many = Array.from({ length: 1_200 }, (_, round) => plan(7, round, BROKERS));
  const changing = many.filter(({ subject }) => subject === 'members');
  expect(new Set(changing.map(({ isStored }) => isStored)).size).toBe(2);
  const without = changing.filter(({ isStored }) => !isStored);
  const ended = without.filter(({ faults }) => faults.some(({ kind }) => kind === 'all'));
  expect(ended.length).toBeGreaterThan(20);
  for (const { faults } of ended) {
    const at = (wanted: string) => faults.findIndex(({ kind }) => kind === wanted);
    expect(at('all')).toBeLessThan(at('members'));
  }
});

test('every cut leaves a majority of three connected, and all faults end within 2 s', () => {
  for (const fault of faults) {
    if (fault.kind === 'cut') expect(PEERS.length - fault.side.length).toBeGreaterThanOrEqual(3);
    expect(fault.at + fault.forMs).toBeLessThan(2_000);
  }
});

test('a fault in words', () => {
  const when = { at: 5, forMs: 50 };
  expect(inWords({ ...when, kind: 'kill', peer: 'a' })).toBe('kill -9 a, started again: at 5 for 50 ms');
  expect(inWords({ ...when, kind: 'cut', side: ['a', 'b'], isMutual: false })).toBe('cut a, b off, one way: at 5 for 50 ms');
  const [added, replaced] = [
    { add: 'f', remove: null },
    { add: 'f', remove: 'a' },
  ];
  expect(inWords({ ...when, kind: 'members', changes: [added, { add: null, remove: 'b' }] })).toContain('add f, remove b: at 5');
  expect(inWords({ ...when, kind: 'members', changes: [replaced] })).toContain('replace a by f: at 5');
});
