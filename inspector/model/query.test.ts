import { expect, test } from 'vitest';
import type { NetworkLine } from '../../network/trace.js';
import { counterexampleTrace } from '../counterexample.fixtures.js';
import { corruptedScenario, directoryTrace, readTrace, traceOf } from '../page/testing/traces.js';
import { queryOf } from './query.js';
import { sentence } from './words.js';

const recording = readTrace(directoryTrace());
const lossy = readTrace(
  traceOf({
    protocol: 'directory',
    topology: { kind: 'ring', n: 4 },
    network: { loss: 0.4 },
    events: [{ at: 0, node: 'n2', do: 'request' }],
    seed: 3,
  }),
);

/** A corruption of n2 that is recorded as a violation at n0. */
const broken = readTrace(
  traceOf(corruptedScenario())
    .split('\n')
    .map((line) => line.replace('"refutes":{', '"refutes":{"nodes":["n0"],'))
    .join('\n'),
);

const hits = (text: string, of = recording): number[] => {
  const query = queryOf(text);
  return Array.from({ length: of.end }, (_, line) => line).filter((line) => query.answers(of, line));
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

test('the sender is known if nodes know each other by their ports', () => {
  const locking = readTrace(
    traceOf({ protocol: 'exclusion', topology: { kind: 'path', n: 2 }, events: [{ at: 0, node: 'n0', do: 'lock' }] }),
  );
  const received = hits('from:n0 node:n1', locking);
  expect(received.length).toBeGreaterThan(0);
  expect(received).toEqual(hits('kind:deliver node:n1', locking));
});

test('the end of a name, without a number, is enough; a part of its last word is not', () => {
  const all = ['shop/boss', 'shop/boss/checkout', 'shop/boss/checkout/payment (2)', 'shop/checkout', 'shop/precheckout'];
  const step = { at: 0, kind: 'deliver', sent: [], emitted: [], roles: {}, clock: {} };
  const header = { quiver: 1, protocol: 'programs', scenario: null, seed: 0, nodes: [], links: [], charts: {}, properties: [] };
  const lines = all.map((node, index) => ({ ...step, index, node, event: { type: 'GO', from: 'shop/boss' } }));
  const programs = readTrace([header, ...lines].map((line) => JSON.stringify(line)).join('\n'));
  const found = (text: string) => hits(text, programs).map((line) => all[line]);
  expect(found('node:checkout')).toEqual(['shop/boss/checkout', 'shop/checkout']);
  expect(found('node:boss/checkout')).toEqual(['shop/boss/checkout']);
  expect(found('-node:checkout node:payment')).toEqual(['shop/boss/checkout/payment (2)']);
  expect(found('node:"payment (2)"')).toEqual(['shop/boss/checkout/payment (2)']);
  expect(found('node:"payment (1)"')).toEqual([]);
  expect(found('from:boss')).toEqual(all);
  const unknown = (text: string) => queryOf(text).unknownNodes(programs);
  expect(unknown('-node:chekout from:boss to:checkout type:GOO')).toEqual(['chekout']);
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

test('a value that is not a number is neither less nor greater than one', () => {
  const holder = hits('node:n0 ctx.next=null');
  expect(holder.length).toBeGreaterThan(0);
  expect(hits('node:n0 ctx.next<5')).toEqual([]);
  expect(hits('node:n0 ctx.next>-1')).toEqual([]);
  expect(() => queryOf('ctx.next<')).toThrow(/^"ctx.next<" does not compare numbers. Write a number after <\.$/);
  expect(() => queryOf('ctx.next>n0')).toThrow(/compare numbers/);
});

test('lines that concern a node without being its steps', () => {
  const lost = hits('lost', lossy);
  expect(lost.length).toBeGreaterThan(0);
  const [sender] = (lossy.line(lost[0]!) as NetworkLine).between!;
  expect(hits(`lost node:${sender}`, lossy)).toContain(lost[0]);
});

test('a violation is found at the step that caused it, by its text and its nodes', () => {
  const [notified] = broken.violations;
  const seen = broken.seenAt(notified!);
  expect(seen).toBeGreaterThan(notified!);
  expect(broken.nodes.names[broken.nodeOf(seen)]).toBe('n2');
  for (const text of ['violated', 'kind:violated', '"violated for n0"', 'node:n0 violated', 'node:n2 violated'])
    expect(hits(text, broken)[0]).toBe(seen);
  expect(hits('node:n1 violated', broken)).not.toContain(seen);
  expect(hits('-violated', broken)).not.toContain(seen);
  expect(hits('-violated', broken)).not.toContain(notified);
});

test('one at the end of a run is found at its own line', () => {
  const atRest = readTrace(counterexampleTrace());
  expect(hits('node:n1 violated', atRest)).toEqual(atRest.violations);
});

test('a state in a query is that of the node that took the step, not of violators', () => {
  const ofN0 = hits('node:n0 -state:nowhere', broken);
  expect(ofN0).toEqual(broken.steps[broken.nodes.find('n0')]);
  expect(hits('node:n0 -state:nowhere violated', broken)).toEqual([]);
});

test('quotes keep a word with a colon together', () => {
  expect(hits('"n1 was: nothing"')).toEqual([]);
  expect(hits('-"n1 was: nothing"')).toHaveLength(recording.end);
});

test.each([
  ['nodes:n2', /Unknown field "nodes".*. Did you mean "node"\? Known: node, type, kind, from, to, state, ctx\.KEY$/],
  ['constructor:x', /Unknown field "constructor".*. Known: node, type/],
  ['__proto__:x', /Unknown field "__proto__"/],
  ['-toString:x', /Unknown field "toString"/],
  ['node:', /"node:" has no value\. Write one after the colon, without a space: the node that took the step/],
  ['-state:""', /"state:" has no value\. .*: a state of the node after the step: compete/],
  ['nodes:', /Unknown field "nodes".*. Did you mean "node"\?/],
  ['ctx.parent', /"ctx\.parent" compares nothing\. Write ctx\.KEY=VALUE/],
])('%s is rejected with the reason', (text, message) => {
  expect(() => queryOf(text)).toThrow(message);
});

test('inherited properties are not values of a context', () => {
  for (const key of ['constructor', 'toString', '__proto__', 'parent.constructor']) expect(hits(`ctx.${key}!=1`)).toEqual([]);
});

test.each([
  ['state:waiting', true],
  ['node:n1 -ctx.parent=n1', true],
  ['node:n1', false],
  ['state:waiting type:find', false],
  ['state:waiting violated', false],
])('%s is about how things stand: %s', (text, lasts) => {
  expect(queryOf(text).lasts).toBe(lasts);
});
