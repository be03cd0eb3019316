import { expect, test } from 'vitest';
import { directoryScenario, traceOf } from '../page/testing/traces.js';
import { firstDifference, firstOtherStep } from './difference.js';
import { ReadTrace } from './recording.js';

function run(scenario: object): ReadTrace {
  const trace = new ReadTrace();
  trace.push(traceOf(scenario));
  trace.close();
  return trace;
}

const scenario = directoryScenario();
const given = run(scenario);

test('the same run parts nowhere', () => {
  expect(firstDifference(given, run(scenario))).toBe(null);
  expect(firstOtherStep(given, run(scenario))).toBe(null);
});

test('a run with one request less is the same up to that', () => {
  const shorter = run({ ...scenario, events: scenario.events.slice(0, -1) });
  const line = firstDifference(given, shorter)!;
  expect(given.textOf(line - 1)).toBe(shorter.textOf(line - 1));
  expect(given.step(line)?.kind).toBe('command');
  expect(firstOtherStep(given, shorter)).toBe(line);
});

test('another policy is in every line, and does something else only later', () => {
  const ivy = run({ ...scenario, options: { ...scenario.options, policy: 'ivy' } });
  expect(firstDifference(given, ivy)).toBe(0);
  const step = firstOtherStep(given, ivy)!;
  expect(step).toBeGreaterThan(5);
  expect(given.step(step - 1)?.event.type).toBe(ivy.step(step - 1)?.event.type);
});
