/** Guards and actions of a step that is taken from memory. */
import { expect, test } from 'vitest';
import { EMIT } from './kernel.js';
import {
  answerOf,
  Args,
  asking,
  assigning,
  emitting,
  enqueuing,
  receiving,
  performing,
  raising,
  Run,
  type Operation,
} from './operations.js';

/** A run with the effects of its actions. */
function running(context: object = { n: 1 }, event: object = { type: 'go', by: 5 }) {
  const asked: [type: string, params: unknown][] = [];
  const run = new Run(
    context,
    event as never,
    { add: (type: string, params: unknown) => void asked.push([type, params]) } as never,
  );
  return { run, asked, answer: (operation: Operation) => operation(run) };
}

test('a guard returns true or false from context, event and its parameters', () => {
  const { answer } = running();
  expect(answer(asking(({ context, event }) => context.n + (event as any).by, undefined))).toBe(true);
  expect(
    answer(
      asking(
        (_, params) => (params as any).zero,
        () => ({ zero: 0 }),
      ),
    ),
  ).toBe(false);
  expect(answer(asking((_, params) => params === undefined, undefined))).toBe(true);
});

test('an assignment is a function or values by key, and reads the old context', () => {
  const { run, answer } = running({ n: 1, kept: true });
  expect(
    answer(
      assigning(
        ({ context, event }: any, params: any) => ({ n: context.n + event.by + params.more }),
        () => ({ more: 10 }),
      ),
    ),
  ).toBe('\n');
  expect(run.args.context).toEqual({ n: 16, kept: true });
  expect(
    answer(
      assigning(
        { n: ({ context }: any, params: any) => context.n + params, m: 'plain', o: ({ context }: any) => context.n },
        () => 1,
      ),
    ),
  ).toBe('\n');
  expect(run.args.context).toEqual({ n: 17, m: 'plain', o: 16, kept: true });
  expect(run.args.event).toEqual({ type: 'go', by: 5 });
  expect(answer(assigning(() => ({ n: 0 }), undefined))).toBe('\n');
  expect(answer(assigning({ n: (_: unknown, params: unknown) => params }, undefined))).toBe('\n');
  expect(run.args.context).toMatchObject({ n: undefined });
});

test('raised events are returned by type, after earlier ones', () => {
  const { run, answer } = running();
  expect(answer(raising({ type: 'plain' }, undefined))).toBe('plain');
  expect(
    answer(
      raising(
        ({ event }: any, params: any) => ({ type: `${event.type}${params}` }),
        () => '!',
      ),
    ),
  ).toBe('go!');
  expect(answer(raising((_: unknown, params: unknown) => ({ type: String(params) }), undefined))).toBe('undefined');
  expect(answer(receiving({ type: 'xstate.done.state.a' }))).toBe('');
  expect(run.events.map(({ type }) => type)).toEqual(['go', 'plain', 'go!', 'undefined', 'xstate.done.state.a']);
  run.turnTo(2);
  expect(run.args.event).toEqual({ type: 'go!' });
  const { args } = run;
  run.turnTo(2);
  expect(run.args).toBe(args);
  run.assign({ n: 9 });
  run.turnTo(0);
  expect([run.args.context, run.args.event]).toEqual([{ n: 9 }, { type: 'go', by: 5 }]);
});

test('emitted events and actions are requested, and return nothing', () => {
  const { asked, answer } = running();
  const answers = [
    emitting({ type: 'notified' }, undefined),
    emitting(
      ({ context }: any, params: any) => ({ type: 'notified', n: context.n + params }),
      () => 1,
    ),
    emitting((_: unknown, params: unknown) => ({ type: 'notified', params }) as never, undefined),
    performing('ring', ({ event }: any) => event.by),
    performing('ring', undefined),
  ].map(answer);
  expect(answers).toEqual(['', '', '', '', '']);
  expect(asked).toEqual([
    [EMIT, { event: { type: 'notified' } }],
    [EMIT, { event: { type: 'notified', n: 2 } }],
    [EMIT, { event: { type: 'notified', params: undefined } }],
    ['ring', 5],
    ['ring', undefined],
  ]);
});

test('queued actions run in order, and return their assignments and raised events', () => {
  const { run, asked, answer } = running();
  const operationOf = (action: unknown) => performing(String(action), () => 'given');
  const queued = enqueuing(
    ({ context, event, enqueue }: any, params: unknown) => {
      enqueue.assign({ n: context.n + event.by });
      enqueue.assign(({ context: now }: any) => ({ m: now.n }));
      enqueue('ring');
      enqueue.raise({ type: 'raised' });
      enqueue.raise({ type: 'again' });
      enqueue.emit({ type: 'notified', params });
    },
    () => 'mine',
    operationOf,
  );
  expect(answer(queued)).toBe('\nraised\nagain');
  expect(run.args.context).toEqual({ n: 6, m: 6 });
  expect(asked).toEqual([
    ['ring', 'given'],
    [EMIT, { event: { type: 'notified', params: 'mine' } }],
  ]);
  expect(answer(enqueuing((_: unknown, params: unknown) => expect(params).toBeUndefined(), undefined, operationOf))).toBe('');
  expect(answer(enqueuing(({ enqueue }: any) => enqueue('ring'), undefined, operationOf))).toBe('');
});

test('a chart with unknown or waiting actions is left to XState', () => {
  const args = new Args({}, { type: 'go' });
  for (const key of ['self', 'system', 'spawn'] as const) expect(() => args[key]).toThrow('only XState can take this step');
  const { answer } = running();
  const none = () => undefined;
  for (const collect of [
    ({ enqueue }: any) => enqueue('unknown'),
    ({ enqueue }: any) => enqueue.raise({ type: 'late' }, { delay: 5 }),
    ({ check }: any) => check('isFree'),
    ({ self }: any) => self,
  ])
    expect(() => answer(enqueuing(collect, undefined, none))).toThrow('only XState can take this step');
});

test('a result contains whether it assigned, and the types of raised events', () => {
  expect([
    answerOf(false, []),
    answerOf(true, []),
    answerOf(false, [{ type: 'a' }]),
    answerOf(true, [{ type: 'a' }, { type: 'b' }]),
  ]).toEqual(['', '\n', 'a', '\na\nb']);
});
