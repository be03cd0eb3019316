import { expect, test } from 'vitest';
import type { NetworkLine } from '../../network/trace.js';
import { directoryTrace, traceOf } from '../page/testing/traces.js';
import { queryOf } from './query.js';
import { ReadTrace } from './recording.js';
import { sentence } from './words.js';

function read(text: string): ReadTrace {
  const recording = new ReadTrace();
  recording.push(text);
  recording.close();
  return recording;
}

const recording = read(directoryTrace());
const lossy = read(
  traceOf({
    protocol: 'directory',
    topology: { kind: 'ring', n: 4 },
    network: { loss: 0.4 },
    events: [{ at: 0, node: 'n2', do: 'request' }],
    seed: 3,
  }),
);

const hits = (text: string, of = recording): number[] => {
  const query = queryOf(text);
  return Array.from({ length: of.end }, (_, line) => line).filter((line) => query(of, line));
};
const steps = Array.from({ length: recording.end }, (_, line) => recording.step(line));

test.each([
  ['node:n2', (line: number) => steps[line]?.node === 'n2'],
  [
    'kind:deliver type:token',
    (line: number) => steps[line]?.kind === 'deliver' && JSON.stringify(steps[line]).includes('"token"'),
  ],
  ['from:n2', (line: number) => steps[line]?.event['from'] === 'n2'],
  [
    'to:n0 -kind:deliver',
    (line: number) => steps[line]?.kind !== 'deliver' && (steps[line]?.sent.some(({ to }) => to === 'n0') ?? false),
  ],
  ['"announced granted"', (line: number) => sentence(recording.line(line)).includes('announced granted')],
])('%s', (text, expected) => {
  const wanted = steps.map((_, line) => line).filter(expected);
  expect(wanted.length).toBeGreaterThan(0);
  expect(hits(text)).toEqual(wanted);
});

test('states and contexts are those after the step, whether it changed them or not', () => {
  const waiting = hits('node:n1 state:waiting');
  expect(hits('node:n1 state:waiting.last')[0]).toBe(waiting[0]);
  // It passes a find on and stays as it is.
  expect(hits('node:n1 state:idle kind:deliver type:find').length).toBeGreaterThan(0);
  expect(sentence(recording.line(waiting[0]!))).toMatch(/^n1 was asked to request/);
  const token = hits('node:n1 kind:deliver type:token')[0]!;
  expect(waiting.every((line) => line < token)).toBe(true);
  expect(hits('node:n1 ctx.parent=n1')).toContain(waiting[0]);
  expect(hits('node:n1 ctx.parent!=n1')).not.toContain(waiting[0]);
  expect(hits('ctx.nothing=1')).toEqual([]);
});

test('what concerns a node and is no step of it', () => {
  const lost = hits('lost', lossy);
  expect(lost.length).toBeGreaterThan(0);
  const [sender] = (lossy.line(lost[0]!) as NetworkLine).between!;
  expect(hits(`lost node:${sender}`, lossy)).toContain(lost[0]);
});

test.each([
  ['nodes:n2', /"nodes" is nothing to ask for; ask for node, type, kind/],
  ['ctx.parent', /"ctx\.parent" compares nothing/],
])('%s is refused by name', (text, message) => {
  expect(() => queryOf(text)).toThrow(message);
});
