/** The comparison of the two interpreters at length: 20,000 random events on every chart. */
import { expect, test } from 'vitest';
import { rendered } from './charts.js';
import { compare } from './walk.js';

const EVENTS = 20_000;

test.each([...new Set(rendered.map(({ chart }) => chart))].map((chart) => ({ name: chart.id, chart })))('$name', ({ chart }) => {
  const starts = rendered.filter((one) => one.chart === chart);
  const taken = starts.map((one) => compare(one, Math.ceil(EVENTS / starts.length)));
  expect(taken.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(EVENTS);
});
