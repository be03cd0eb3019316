/** The directory chart, one transition of spec 1.3 at a time, on the bare kernel. */
import { describe, expect, test } from 'vitest';
import { begin, macrostep } from '../../network/world/remembering.js';
import { statePath } from '../checks.js';
import type { Message } from '../effects.js';
import { directoryMachine, type DirectoryContext, type DirectoryInput } from './machine.js';

const input = (over: Partial<DirectoryInput> = {}): DirectoryInput => ({
  id: 'a',
  parent: 'b',
  edge: 'tree',
  policy: 'ivy',
  fence: null,
  ...over,
});

/** The chart after these events, with the effects of the last one. */
function after(start: DirectoryInput, ...events: readonly (Message & Record<string, unknown>)[]) {
  let { snapshot, effects } = begin(directoryMachine, start);
  for (const event of events) ({ snapshot, effects } = macrostep(directoryMachine, snapshot, event));
  return { state: statePath(snapshot), context: snapshot.context as DirectoryContext, effects };
}

const find = (over: Record<string, unknown> = {}) => ({
  type: 'find',
  from: 'c',
  producer: 'd',
  visited: ['d', 'c'],
  edge: 'tree',
  ...over,
});
const request = { type: 'request' };
const release = { type: 'release' };
const token = { type: 'token', from: 'b', fence: null };
const root = input({ parent: 'a' });

describe('transitions of spec 1.3', () => {
  test('T2: a request by the idle holder is granted at once and costs nothing', () => {
    const { state, effects } = after(root, request);
    expect(state).toBe('holding.using.last');
    expect(effects).toEqual([{ type: 'emit', event: { type: 'granted', fence: null } }]);
  });

  test('T3: any other request sends a find along the pointer, which then becomes a loop', () => {
    const { state, context, effects } = after(input(), request);
    expect(state).toBe('waiting.last');
    expect(context.parent).toBe('a');
    expect(effects).toEqual([{ type: 'send', to: 'b', message: { type: 'find', producer: 'a', visited: ['a'], edge: 'tree' } }]);
  });

  test('T4: a node inside the queue forwards the find and points to the new parent', () => {
    const { state, context, effects } = after(input({ policy: 'middle' }), find());
    expect(state).toBe('idle');
    expect(context.parent).toBe('d');
    expect(effects).toEqual([
      { type: 'send', to: 'b', message: { type: 'find', producer: 'd', visited: ['d', 'c', 'a'], edge: 'tree' } },
    ]);
  });

  test('T5: the idle holder sends the token to the producer', () => {
    const { state, context, effects } = after(root, find());
    expect(state).toBe('idle');
    expect(context).toMatchObject({ parent: 'd', next: null });
    expect(effects).toEqual([{ type: 'send', to: 'd', message: { type: 'token', fence: null } }]);
  });

  test.each([
    ['waiting', input(), 'waiting.followed'],
    ['using', root, 'holding.using.followed'],
  ])('T6: a %s end of the queue keeps the producer as its next', (_, start, state) => {
    const result = after(start, request, find());
    expect(result.state).toBe(state);
    expect(result.context).toMatchObject({ parent: 'd', next: 'd' });
    expect(result.effects).toEqual([]);
  });

  test.each([
    ['last', [request], 'holding.using.last'],
    ['followed', [request, find()], 'holding.using.followed'],
  ])('T7: the token is used at once, and who waits behind (%s) still does', (_, events, state) => {
    const result = after(input(), ...events, token);
    expect(result.state).toBe(state);
    expect(result.effects).toEqual([{ type: 'emit', event: { type: 'granted', fence: null } }]);
  });

  test('T8: a release hands the token to the next, or keeps it idle', () => {
    const handed = after(root, request, find(), release);
    expect(handed.state).toBe('idle');
    expect(handed.context.next).toBeNull();
    expect(handed.effects).toContainEqual({ type: 'send', to: 'd', message: { type: 'token', fence: null } });
    expect(after(root, request, release).state).toBe('holding.idle');
  });

  test('T1 and unknown nodes: an event without a transition has no effect', () => {
    const waiting = after(input(), request);
    expect(after(input(), request, request)).toEqual({ ...waiting, effects: [] });
    expect(after(input(), release)).toEqual(after(input()));
    expect(after(input(), token)).toEqual(after(input()));
    expect(after(input(), { type: 'what is this' })).toEqual(after(input()));
  });
});

describe('NewParent policies', () => {
  const parentAfter = (policy: DirectoryInput['policy'], over: Record<string, unknown> = {}) =>
    after(input({ policy }), find({ producer: 'd', visited: ['d', 'e', 'f', 'c'], ...over })).context.parent;

  test('arrow takes the sender, ivy the producer, second and middle the node there', () => {
    expect(parentAfter('arrow')).toBe('c');
    expect(parentAfter('ivy')).toBe('d');
    expect(parentAfter('second')).toBe('e');
    expect(parentAfter('middle')).toBe('e');
    expect(parentAfter('second', { visited: ['d'] })).toBe('d');
  });

  test('the bridge is taken as a whole: then producer, else sender; the flag travels', () => {
    expect(parentAfter('bridge', { edge: 'bridge' })).toBe('d');
    expect(parentAfter('bridge')).toBe('c');
    const { context, effects } = after(input({ policy: 'bridge', edge: 'bridge' }), find());
    expect(context.edge).toBe('tree');
    expect(effects).toMatchObject([{ message: { edge: 'bridge' } }]);
  });

  test('random draws an index first, in the same macrostep, and keeps nothing of it', () => {
    const start = input({ policy: 'random' });
    expect(after(start, find()).effects).toEqual([{ type: 'draw', bound: 2 }]);
    const drawn = after(start, find(), { type: 'drawn', value: 1 });
    expect(drawn.context).toMatchObject({ parent: 'c', held: null });
    expect(drawn.effects).toMatchObject([{ type: 'send', to: 'b' }]);
  });
});

test('a requested fence grows by one with every grant and travels with the token', () => {
  const first = after(input({ parent: 'a', fence: 0 }), request);
  expect(first.context.fence).toBe(1);
  const second = after(input({ fence: 0 }), request, { ...token, fence: 7 });
  expect(second.effects).toEqual([{ type: 'emit', event: { type: 'granted', fence: 8 } }]);
});
