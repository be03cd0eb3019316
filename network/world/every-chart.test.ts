/** Steps taken from memory are XState's steps, for every chart there is. */
import type { AnyStateMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import { Random } from '../random.js';
import { onTransition, type TakenTransition } from './kernel.js';
import { lockSteps } from './lock-step.fixtures.js';
import { begin, macrostep } from './remembering.js';
import { sampledCharts } from './sampled-charts.fixtures.js';

describe('every chart takes the same steps from memory', () => {
  test.each(sampledCharts)('$name', ({ name, machine, samples }) => {
    const { steps, byXState } = lockSteps(name, machine, samples, 5, 40);
    expect(steps).toBeGreaterThan(100);
    expect(byXState).toBeLessThan(steps / 2);
  });

  test('there are charts', () => expect(sampledCharts.length).toBeGreaterThanOrEqual(17));
});

test('every macrostep of a watched system: the receivers that XState reports', () => {
  const { machine, samples } = sampledCharts.find(({ name }) => name === 'directory/directory')!;
  const { input, events } = samples[0]!;
  const walk = (chart: AnyStateMachine): { received: Omit<TakenTransition, 'machine'>[]; effects: unknown } => {
    const received: Omit<TakenTransition, 'machine'>[] = [];
    const effects: unknown[] = [];
    const random = new Random(1, 'observed');
    const stop = onTransition(({ machine: _, ...taken }) => void received.push(taken));
    let { snapshot } = begin(chart, input);
    for (let i = 0; i < 100; i++) {
      const candidates = events(snapshot.context);
      const stepped = macrostep(chart, snapshot, random.pick(candidates));
      effects.push(stepped.effects);
      snapshot = stepped.snapshot;
    }
    stop();
    return { received, effects };
  };
  // One chart is well remembered, the other is new.
  lockSteps('directory', machine, samples, 10, 40);
  const known = walk(machine);
  expect(known.received.length).toBeGreaterThan(50);
  expect(known).toEqual(walk(machine.provide({})));
});
