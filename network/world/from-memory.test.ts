/** A known step is taken from memory: XState is not called again, and the result is the same. */
import { and, assign, emit, enqueueActions, not, raise, setup, type AnyMachineSnapshot, type AnyStateMachine } from 'xstate';
import { afterEach, expect, test, vi } from 'vitest';
import { effects, send, type Message } from '../../machines/effects.js';
import { interpreter, kernelSystem } from './kernel.js';
import { begin, macrostep, memoryOf, restore, Snapshot, takesEvent } from './remembering.js';

afterEach(() => void vi.restoreAllMocks());

const base = setup({
  types: { context: {} as any, events: {} as any, emitted: {} as any },
  actions: {
    ...effects(),
    inc: assign({ n: ({ context }) => context.n + 1 }),
    addBy: assign(({ context, event }, { by }: any) => ({ n: context.n + by + event.by })),
  },
  guards: { isEven: ({ context }: any) => context.n % 2 === 0, isOver: ({ context }: any, { n }: any) => context.n > n },
} as any) as any;
const made = (config: object): AnyStateMachine => base.createMachine({ id: 'm', context: { n: 0 }, ...config });
const description = (what: string) =>
  send(({ context, event }: any) => ({ to: 'x', message: { type: what, n: context.n, by: event.by } }));

const shown = ({ value, context, status }: AnyMachineSnapshot) => ({ value, context, status });

/** The same step three times: by XState, as it learns it, and from memory; another context takes the same path. */
function thrice(machine: AnyStateMachine, from: AnyMachineSnapshot, event: Message, isKnown = true) {
  const first = macrostep(machine, from, event);
  const calls = vi.spyOn(interpreter, 'step');
  const again = macrostep(machine, from, event);
  expect(calls.mock.calls.length).toBe(isKnown ? 0 : 1);
  calls.mockRestore();
  expect([shown(again.snapshot), again.effects]).toEqual([shown(first.snapshot), first.effects]);
  return first;
}

test.each<[what: string, config: object, event: Message & { by?: number }, effects: readonly object[], context: object]>([
  ['an assignment by key', { on: { go: { actions: 'inc' } } }, { type: 'go' }, [], { n: 1 }],
  [
    'an assignment that is a function, with parameters',
    { on: { go: { actions: [{ type: 'addBy', params: ({ event }: any) => ({ by: event.by }) }, description('x')] } } },
    { type: 'go', by: 2 },
    [{ type: 'send', to: 'x', message: { type: 'x', n: 4, by: 2 } }],
    { n: 4 },
  ],
  [
    'parameters that are no function',
    { on: { go: { actions: { type: 'addBy', params: { by: 1 } } } } },
    { type: 'go', by: 2 },
    [],
    { n: 3 },
  ],
  [
    'an event that is raised, and what it leads to',
    { on: { go: { actions: raise({ type: 'next', by: 7 } as never) }, next: { actions: [description('next'), 'inc'] } } },
    { type: 'go' },
    [{ type: 'send', to: 'x', message: { type: 'next', n: 0, by: 7 } }],
    { n: 1 },
  ],
  [
    'an event that is made as it is raised',
    {
      on: {
        go: { actions: raise(({ event }: any) => ({ type: 'next', by: event.by + 1 })) },
        next: { actions: description('next') },
      },
    },
    { type: 'go', by: 1 },
    [{ type: 'send', to: 'x', message: { type: 'next', n: 0, by: 2 } }],
    { n: 0 },
  ],
  [
    'what is emitted',
    { on: { go: { actions: emit(({ context }: any) => ({ type: 'notified', n: context.n })) } } },
    { type: 'go' },
    [{ type: 'emit', event: { type: 'notified', n: 0 } }],
    { n: 0 },
  ],
  [
    'queued actions',
    {
      on: {
        go: {
          actions: enqueueActions(({ enqueue, context }: any) => {
            enqueue.assign({ n: context.n + 5 });
            enqueue('inc');
            enqueue(description('queued'));
            enqueue.raise({ type: 'next' });
            enqueue.emit({ type: 'notified' });
          }),
        },
        next: { actions: 'inc' },
      },
    },
    { type: 'go' },
    [
      { type: 'send', to: 'x', message: { type: 'queued', n: 6, by: undefined } },
      { type: 'emit', event: { type: 'notified' } },
    ],
    { n: 7 },
  ],
  [
    'guards within guards, and one with parameters',
    {
      on: {
        go: [
          { guard: and(['isEven', not({ type: 'isOver', params: { n: -1 } } as never)] as never), actions: description('never') },
          { guard: { type: 'isOver', params: ({ event }: any) => ({ n: event.by }) }, actions: description('over') },
          { actions: description('else') },
        ],
      },
    },
    { type: 'go', by: -3 },
    [{ type: 'send', to: 'x', message: { type: 'over', n: 0, by: -3 } }],
    { n: 0 },
  ],
  [
    'a state that is done',
    {
      initial: 'work',
      states: {
        work: {
          initial: 'a',
          onDone: { target: 'rest', actions: ['inc', description('done')] },
          states: { a: { on: { go: 'end' } }, end: { type: 'final' } },
        },
        rest: {},
      },
    },
    { type: 'go' },
    [{ type: 'send', to: 'x', message: { type: 'done', n: 1, by: undefined } }],
    { n: 1 },
  ],
  [
    'entries, exits and what follows by itself',
    {
      initial: 'a',
      states: {
        a: { exit: description('exit'), on: { go: 'b' } },
        b: {
          entry: ['inc', description('entry')],
          always: { guard: ({ context }: any) => context.n > 0, target: 'c', actions: 'inc' },
        },
        c: { initial: 'd', states: { d: { entry: description('inner') } } },
      },
    },
    { type: 'go' },
    [
      { type: 'send', to: 'x', message: { type: 'exit', n: 0, by: undefined } },
      { type: 'send', to: 'x', message: { type: 'entry', n: 1, by: undefined } },
      { type: 'send', to: 'x', message: { type: 'inner', n: 2, by: undefined } },
    ],
    { n: 2 },
  ],
])('%s', (_, config, event, expected, context) => {
  const machine = made(config);
  const { snapshot } = begin(machine, undefined);
  const { snapshot: next, effects: asked } = thrice(machine, snapshot, event);
  expect([next.context, asked]).toEqual([context, expected]);
});

test('another result of a guard is another path, and both are known afterward', () => {
  const machine = made({
    on: { go: [{ guard: 'isEven', actions: ['inc', description('even')] }, { actions: ['inc', description('odd')] }] },
  });
  let { snapshot } = begin(machine, undefined);
  for (let i = 0; i < 2; i++) snapshot = macrostep(machine, snapshot, { type: 'go' }).snapshot;
  const calls = vi.spyOn(interpreter, 'step');
  const notified = Array.from({ length: 4 }, () => {
    const { snapshot: next, effects: asked } = macrostep(machine, snapshot, { type: 'go' });
    snapshot = next;
    return (asked[0] as any).message.type;
  });
  expect([notified, calls.mock.calls.length]).toEqual([['even', 'odd', 'even', 'odd'], 0]);
});

test('three kinds of raised events are three paths', () => {
  const machine = made({
    on: {
      go: { actions: raise(({ event }: any) => ({ type: `to ${event.by}` })) },
      ...Object.fromEntries([1, 2, 3].map((n) => [`to ${n}`, { actions: description(`${n}`) }])),
    },
  });
  const { snapshot } = begin(machine, undefined);
  const sendText = (by: number) => (macrostep(machine, snapshot, { type: 'go', by } as never).effects[0] as any).message.type;
  expect([1, 2, 3].map(sendText)).toEqual(['1', '2', '3']);
  const calls = vi.spyOn(interpreter, 'step');
  expect([3, 1, 2, 3].map(sendText)).toEqual(['3', '1', '2', '3']);
  expect(calls).not.toHaveBeenCalled();
});

test.each<[what: string, config: object, event: object]>([
  [
    'an output',
    { initial: 'a', states: { a: { on: { go: 'b' } }, b: { type: 'final' } }, output: { done: true } },
    { type: 'go' },
  ],
  [
    'a type with a line break',
    { on: { go: { actions: raise({ type: 'odd\ntype' }) }, 'odd\ntype': { actions: 'inc' } } },
    { type: 'go' },
  ],
  [
    'an event that is raised with a delay',
    { on: { go: { actions: [raise({ type: 'x' }, { delay: 0 }), 'inc'] } } },
    { type: 'go' },
  ],
])('%s is left to XState each time', (_, config, event) => {
  const machine = made(config);
  const { snapshot } = begin(machine, undefined);
  const step = () => {
    try {
      return shown(macrostep(machine, snapshot, event as Message).snapshot);
    } catch (error) {
      return (error as Error).message;
    }
  };
  const first = step();
  const calls = vi.spyOn(interpreter, 'step');
  expect(step()).toEqual(first);
  expect(calls).toHaveBeenCalled();
});

test('whether an event is taken is known as well, by the context', () => {
  const machine = made({ on: { go: { guard: 'isEven', actions: 'inc' } } });
  const at = (n: number) => restore(machine, { value: {}, context: { n } });
  expect([
    takesEvent(machine, at(2), { type: 'go' }),
    takesEvent(machine, at(3), { type: 'go' }),
    takesEvent(machine, at(2), { type: 'x' }),
  ]).toEqual([true, false, false]);
  const calls = vi.spyOn(interpreter, 'accepts');
  expect([takesEvent(machine, at(4), { type: 'go' }), takesEvent(machine, at(5), { type: 'go' })]).toEqual([true, false]);
  expect(calls).not.toHaveBeenCalled();
});

test('a state that is restored is known by its value, a text or an object', () => {
  const machine = made({ initial: 'a', states: { a: { on: { go: 'b' } }, b: { initial: 'c', states: { c: {} } } } });
  const value = { b: 'c' };
  for (const known of ['a', value]) {
    const first = restore(machine, { value: known, context: { n: 1 } }) as unknown as Snapshot;
    const calls = vi.spyOn(interpreter, 'restore');
    const second = restore(machine, { value: known, context: { n: 2 } }) as unknown as Snapshot;
    expect([second.place === first.place, second.context, calls.mock.calls.length]).toEqual([true, { n: 2 }, 0]);
    calls.mockRestore();
  }
  expect((restore(machine, { value: 'a', context: {} }) as unknown as Snapshot).place).not.toBe(
    (restore(machine, { value: value, context: {} }) as unknown as Snapshot).place,
  );
});

test('a short snapshot has all fields of XState’s', () => {
  const machine = made({
    initial: 'a',
    states: {
      a: { tags: 'early', initial: 'x', states: { x: { on: { go: '#m.b' } }, h: { type: 'history' } } },
      b: { on: { back: 'a.h' } },
    },
  });
  const { snapshot } = begin(machine, undefined);
  expect([snapshot.machine === machine, snapshot.hasTag('early' as never), [...snapshot.tags], snapshot.children]).toEqual([
    true,
    true,
    ['early'],
    {},
  ]);
  expect(snapshot._nodes.map(({ id }) => id)).toEqual(['m', 'm.a', 'm.a.x']);
  const left = macrostep(machine, snapshot, { type: 'go' }).snapshot;
  expect(Object.keys(left.historyValue)).toEqual(['m.a.h']);
  expect([left.value, macrostep(machine, left, { type: 'back' }).snapshot.value]).toEqual(['b', { a: 'x' }]);
  expect(macrostep(machine, left, { type: 'none' }).snapshot).toBe(left);
});

test('under observation, XState takes every step, and short snapshots are expanded', () => {
  const machine = made({ on: { go: { actions: 'inc' } } });
  const { snapshot } = begin(machine, undefined);
  thrice(machine, snapshot, { type: 'go' });
  const watching = kernelSystem.inspect(() => {});
  const calls = vi.spyOn(interpreter, 'step');
  const { snapshot: next } = macrostep(machine, snapshot, { type: 'go' });
  expect([calls.mock.calls.length, next instanceof Snapshot, next.context]).toEqual([1, false, { n: 1 }]);
  expect(restore(machine, { value: {}, context: { n: 1 } })).not.toBeInstanceOf(Snapshot);
  watching.unsubscribe();
  expect(restore(machine, { value: {}, context: { n: 1 } })).toBeInstanceOf(Snapshot);
  expect(macrostep(machine, next, { type: 'go' }).snapshot).toBeInstanceOf(Snapshot);
});

test('each chart has one memory', () => {
  const machine = made({});
  expect(memoryOf(machine)).toBe(memoryOf(machine));
  expect(memoryOf(machine)).not.toBe(memoryOf(made({})));
});
