import { expect, test } from 'vitest';
import { directoryTrace, traceOf } from '../page/testing/traces.js';
import { ReadTrace } from './recording.js';
import { chainOf, stateSince, valueSince } from './why.js';
import { sentence } from './words.js';

function read(text: string): ReadTrace {
  const recording = new ReadTrace();
  recording.push(text);
  recording.close();
  return recording;
}

const find = (recording: ReadTrace, text: RegExp, from = 0): number => {
  for (let line = from; line < recording.end; line++) if (text.test(sentence(recording.line(line)))) return line;
  throw new Error(`no line says ${String(text)}`);
};

test('a grant goes back over token and finds to the request', () => {
  const recording = read(directoryTrace());
  const chain = chainOf(recording, find(recording, /n2 received token from n0/));
  expect(chain.map(({ says }) => says)).toEqual([
    expect.stringMatching(/^n2 received token from n0; announced granted/),
    expect.stringMatching(/^n0 received find from n1; sent token to n2/),
    expect.stringMatching(/^n1 received find from n2; sent find to n0/),
    expect.stringMatching(/^n2 was asked to request; sent find to n1/),
  ]);
  expect(chain[1]!.because).toBe('it sent token to n2');
});

test('a timer goes back to the step that armed it', () => {
  const recording = read(
    traceOf({
      protocol: 'queue',
      topology: { kind: 'path', n: 2 },
      events: [{ at: 1, node: 'n1', do: 'request' }],
      until: { at: 40 },
    }),
  );
  const fired = find(recording, /timer .* went off/, 4);
  const [timer, armed] = chainOf(recording, fired);
  expect(timer!.line).toBe(fired);
  expect(armed!.because).toMatch(/^it armed the timer/);
  expect(recording.step(armed!.line)!.timers).toContainEqual([
    recording.step(fired)!.role,
    recording.step(fired)!.event['timer'],
    expect.any(Number),
  ]);
});

test('a value has been so since the line that gave it', () => {
  const recording = read(directoryTrace());
  const node = recording.nodes.find('n1');
  const line = find(recording, /n1 received find from n2/);
  expect(valueSince(recording, node, 'directory', 'parent', recording.end - 1)).toBeGreaterThan(line);
  expect(valueSince(recording, node, 'directory', 'parent', line)).toBe(line);
  const granted = find(recording, /n1 received token/);
  expect(stateSince(recording, node, 'directory', granted)).toBe(granted);
  expect(stateSince(recording, node, 'directory', granted - 1)).toBe(find(recording, /n1 was asked to request/));
  expect(valueSince(recording, node, 'directory', 'id', recording.end - 1)).toBe(1);
});
