import { describe, expect, test } from 'vitest';
import { createMachine, type StateValue } from 'xstate';
import type { StepLine } from '../../network/trace.js';
import { counterexampleTrace } from '../counterexample.fixtures.js';
import { corruptedScenario, directoryTrace, locksScenario, readTrace, traceOf } from '../page/testing/traces.js';
import { traceOfPaths } from '../path-trace.js';
import { nextStop } from './playback.js';
import { ReadTrace } from './recording.js';
import { verdictOf } from './verdict.js';
import { readChart } from './chart.js';
import { chainOf, stateSince, takenAt, valueSince } from './why.js';
import { sentence } from './words.js';

const find = (recording: ReadTrace, text: RegExp, from = 0): number => {
  for (let line = from; line < recording.end; line++) if (text.test(sentence(recording.line(line)))) return line;
  throw new Error(`no line says ${String(text)}`);
};

test('a grant goes back over token and finds to the request', () => {
  const recording = readTrace(directoryTrace());
  const chain = chainOf(recording, find(recording, /n2 received token from n0/));
  expect(chain.map(({ description }) => description)).toEqual([
    expect.stringMatching(/^n2 received token from n0; announced granted/),
    expect.stringMatching(/^n0 received find from n1; sent token to n2/),
    expect.stringMatching(/^n1 received find from n2; sent find to n0/),
    expect.stringMatching(/^n2 was asked to request; sent find to n1/),
  ]);
  expect(chain[1]!.because).toBe('it sent token to n2');
});

test('a timer goes back to the step that armed it', () => {
  const recording = readTrace(
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

describe('a delay goes back to the step that entered its state', () => {
  const shop = createMachine({
    id: 'shop',
    initial: 'open',
    states: {
      open: { on: { PAY: 'paying' } },
      paying: {
        id: 'till',
        after: { 300: 'closed' },
        on: { LOOK: {}, AGAIN: { target: 'paying', reenter: true } },
        initial: 'card',
        states: { card: { on: { PIN: 'checked' } }, checked: {} },
      },
      closed: {},
    },
  });
  const after = 'xstate.after.300.till';
  const walked = (...steps: readonly (readonly [type: string, value: StateValue])[]) => {
    const seen = (value: StateValue) => ({ value, context: {}, effects: [] });
    const path = {
      chart: 'shop',
      first: seen('open'),
      steps: steps.map(([type, value]) => ({ event: { type }, expected: seen(value) })),
    };
    const lines = [...traceOfPaths({ name: 'shop', charts: { shop } }, [path], {})];
    const taken = [null, null, 'open', null, 'paying'];
    return readTrace(
      lines
        .map((line, i) => {
          const { event } = line as StepLine;
          if (event?.type === after) return JSON.stringify({ ...line, kind: 'timer' });
          return JSON.stringify(taken[i] && event ? { ...line, taken: [['shop', taken[i], event.type, 0]] } : line);
        })
        .join('\n'),
    );
  };

  test('and not to a change inside of it', () => {
    const recording = walked(['PAY', { paying: 'card' }], ['PIN', { paying: 'checked' }], [after, 'closed']);
    expect(chainOf(recording, 3).map(({ line, description, because }) => [line, description, because])).toEqual([
      [3, 'shop 1 took the transition after 300 ms in till', ''],
      [1, 'shop 1 was asked to PAY', 'it entered paying, and there the delay began'],
    ]);
  });

  test('or entered it again', () => {
    const recording = walked(
      ['PAY', { paying: 'card' }],
      ['LOOK', { paying: 'card' }],
      ['AGAIN', { paying: 'card' }],
      [after, 'closed'],
    );
    expect(chainOf(recording, 4).map(({ line }) => line)).toEqual([4, 3]);
  });
});

test('a value has been so since the line that gave it', () => {
  const recording = readTrace(directoryTrace());
  const node = recording.nodes.find('n1');
  const line = find(recording, /n1 received find from n2/);
  expect(valueSince(recording, node, 'directory', 'parent', recording.end - 1)).toBeGreaterThan(line);
  expect(valueSince(recording, node, 'directory', 'parent', line)).toBe(line);
  const granted = find(recording, /n1 received token/);
  expect(stateSince(recording, node, 'directory', granted)).toBe(granted);
  expect(stateSince(recording, node, 'directory', granted - 1)).toBe(find(recording, /n1 was asked to request/));
  expect(valueSince(recording, node, 'directory', 'id', recording.end - 1)).toBe(1);
});

describe('a broken property', () => {
  const recording = readTrace(traceOf(corruptedScenario()));
  const notified = find(recording, /^violated: end of the queue/);
  const broken = find(recording, /^n2 was corrupted/);

  test('is recorded before the step that caused it, and visible after it', () => {
    expect(recording.violations.length).toBeGreaterThan(2);
    expect(notified).toBeLessThan(broken);
    expect(recording.at(notified)).toBe(recording.at(broken));
    const places = verdictOf(recording).violated.map(({ line }) => line);
    expect(new Set(places)).toEqual(new Set([broken, find(recording, /^n2 received token from n2/)]));
    expect(nextStop(recording, -1, 'violation', 1)).toBe(broken);
    expect(nextStop(recording, broken, 'violation', 1)).toBe(places.at(-1));
  });

  test('was broken by that step and not by the one before', () => {
    for (const line of [notified, notified - 1]) {
      expect(recording.kindOf(line)).toBe('violated');
      expect(chainOf(recording, line)[1]).toMatchObject({ line: broken, because: 'this step left it so' });
    }
  });

  test('at the end of a run is visible at its own line', () => {
    const atRest = readTrace(counterexampleTrace());
    const line = find(atRest, /^violated for n0 and n1/);
    expect(verdictOf(atRest).violated.map((property) => property.line)).toEqual([line]);
  });

  test('whose step was left out is visible at its own line', () => {
    const lines = recording.text().trimEnd().split('\n');
    const left = '{"index":-1,"at":1,"kind":"skipped","clock":{}}';
    const cut = readTrace([...lines.slice(0, broken + 1), left, ...lines.slice(broken + 2)].join('\n'));
    expect(cut.seenAt(notified)).toBe(notified);
  });
});

test('the transitions of a step are in order, over all roles, with their actions', () => {
  const recording = readTrace(traceOf(locksScenario));
  const chartOf = (name: string) => readChart(name, recording.header!.charts[name]);
  let several = 0;
  for (let line = 0; line < recording.end; line++) {
    const notified = recording.step(line)?.taken ?? [];
    const taken = takenAt(recording, line, chartOf);
    expect(taken.map(({ role, transition }) => [role, transition.source, transition.event, transition.index])).toEqual(notified);
    if (new Set(notified.map(([role]) => role)).size > 1) several++;
  }
  expect(several).toBeGreaterThan(0);
});

test('and its actions are those of the chart, in their order', () => {
  const recording = readTrace(directoryTrace());
  const line = find(recording, /n2 received token/);
  const [taken] = takenAt(recording, line, (name) => readChart(name, recording.header!.charts[name]));
  expect(taken!.transition.actions).toEqual(['countGrant', 'noteReaders', 'announceGrant', 'forgetJoined']);
});

test('and so are those of entry and exit, by the states that it left and entered', () => {
  const recording = readTrace(counterexampleTrace());
  const chartOf = (name: string) => readChart(name, recording.header!.charts[name]);
  const taken = Array.from({ length: recording.end }, (_, line) => takenAt(recording, line, chartOf)).flat();
  expect(taken.filter(({ passed }) => passed === null)).toEqual([]);
  const entered = taken.flatMap(({ transition, passed }) =>
    passed!.entered.map(({ path, entry }) => [transition.source, path, entry]),
  );
  expect(entered).toContainEqual(['initiator.prepare', 'initiator.compete', ['draw priority']]);
});
