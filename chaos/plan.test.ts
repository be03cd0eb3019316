import { expect, test } from 'vitest';
import { BROKERS, inWords, PEERS, plan } from './plan.js';

const plans = Array.from({ length: 200 }, (_, round) => plan(7, round, BROKERS));

test('a seed and a round give one plan, another seed another', () => {
  expect(plan(7, 3, BROKERS)).toEqual(plans[3]);
  expect(plan(8, 3, BROKERS).faults).not.toEqual(plans[3]!.faults);
});

test('every kind of fault happens, to every peer, and every subject meets every broker', () => {
  const faults = plans.flatMap((plan) => plan.faults);
  expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(['kill', 'stop', 'cut', 'broker', 'all']));
  for (const peer of PEERS) expect(faults.some((fault) => fault.kind === 'kill' && fault.peer === peer)).toBe(true);
  expect(new Set(plans.slice(0, 12).map(({ subject, broker }) => `${subject} ${broker}`)).size).toBe(12);
});

test('a majority is never cut off for good: every cut leaves three peers together, and everything is over within two seconds', () => {
  for (const fault of plans.flatMap((plan) => plan.faults)) {
    if (fault.kind === 'cut') expect(PEERS.length - fault.side.length).toBeGreaterThanOrEqual(3);
    expect(fault.at + fault.forMs).toBeLessThan(2_000);
  }
});

test('a fault in words', () => {
  const when = { at: 5, forMs: 50 };
  expect(inWords({ ...when, kind: 'kill', peer: 'a' })).toBe('kill -9 a, started again: at 5 for 50 ms');
  expect(inWords({ ...when, kind: 'cut', side: ['a', 'b'], isMutual: false })).toBe('cut a, b off, one way: at 5 for 50 ms');
});
