/** The end of a counterexample's trace: an infinite run whose choices are known. */
import { expect, test } from 'vitest';
import { ReadTrace } from '../inspector/model/recording.js';
import { verdictOf } from '../inspector/model/verdict.js';
import { textOf } from '../inspector/gestures.js';
import { protocols } from '../machines/index.js';
import { parseScenario } from '../network/scenario/parse.js';
import { isStep } from '../network/trace.js';
import { checkScenario } from '../test/explore/scenario.js';
import { recordCounterexample } from './recording.js';

const printed = {
  protocol: 'exclusion',
  topology: { nodes: ['n0', 'n1'], links: [['n0', 'n1', 1]] },
  options: { priorities: 2, rules: 'printed' },
  events: ['n0', 'n1'].map((node) => ({ at: 0, node, do: 'lock' })),
};

const scenario = parseScenario(printed, protocols);
const found = checkScenario(scenario).counterexample!;

function read(loop: number | undefined): ReadTrace {
  const { loop: _, ...rest } = found;
  const given = { ...rest, ...(loop !== undefined && { loop }) };
  const recording = new ReadTrace();
  for (const piece of textOf(recordCounterexample(scenario, printed, given))) recording.push(piece);
  recording.close();
  return recording;
}

test.each([0, 3, 15])('a run that loops from choice %i shows so where that choice is made', (loop) => {
  const recording = read(loop);
  const steps = Array.from({ length: recording.endless! }, (_, line) => recording.line(line)).filter(isStep);
  expect(steps.filter(({ kind }) => kind !== 'start')).toHaveLength(loop);
  expect(recording.line(recording.endless!)).toMatchObject({ why: 'the following lines repeat forever' });
  expect(verdictOf(recording)).toMatchObject({ verdict: 'invalid', endless: { from: recording.endless, rests: false } });
});

test('a run that rests has a line for it at its end; a finite run has none', () => {
  const resting = read(found.choices.length);
  expect(verdictOf(resting).endless).toEqual({ from: resting.endless, rests: true });
  expect(resting.end - resting.endless!).toBe(3);
  expect(verdictOf(read(undefined)).endless).toBeNull();
});

test('an unknown property is rejected with its name', () => {
  const lines = recordCounterexample(scenario, printed, { ...found, property: 'world peace' });
  expect(() => [...lines]).toThrow('Unknown property "world peace" in `refutes`. The properties are roles of a port');
});
