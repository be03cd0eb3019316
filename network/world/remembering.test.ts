/** Steps from memory equal XState's steps, in charts with XState's features. */
import { and, assign, emit, enqueueActions, not, or, raise, setup, stateIn, type AnyStateMachine } from 'xstate';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { effects, send, type Message } from '../../machines/effects.js';
import { interpreter } from './kernel.js';
import { lockSteps } from './lock-step.fixtures.js';
import { takesEvent, begin, restore, macrostep } from './remembering.js';

afterEach(() => void vi.restoreAllMocks());

interface Count {
  readonly n: number;
}
type In = { readonly context: Count; readonly event: Message };
const types = { types: { context: {} as Count, events: {} as Message, emitted: {} as Message } };
const description = (what: string) =>
  send(({ context }: { context: Count }) => ({ to: 'x', message: { type: what, n: context.n } }));
const inc = assign({ n: ({ context }: In) => context.n + 1 });
const add = assign({ n: ({ context, event }: any) => context.n + event.by });
const isEven = ({ context }: In) => context.n % 2 === 0;
const isOver = (n: number) => ({ type: 'isOver' as const, params: { n } });
const base = setup({
  ...types,
  actions: {
    ...effects(),
    inc,
    announce: emit(({ context }: In) => ({ type: 'counted', n: context.n })),
    raiseBy: raise((_: unknown, { type }: Message) => ({ type, by: 1 })),
  },
  guards: { isEven, isOver: ({ context }: In, { n }: Count) => context.n > n },
} as any) as any;

/** Each uses something of XState that a path may hang on. */
const machines: Readonly<Record<string, { readonly config: Record<string, unknown>; readonly events: readonly string[] }>> = {
  'guards within guards': {
    config: {
      initial: 'a',
      states: {
        a: {
          on: {
            go: [
              { guard: and(['isEven', not(isOver(4) as never)] as never), target: 'b', actions: ['inc', description('both')] },
              { guard: or([isOver(6), 'isEven'] as never), actions: ['inc', description('either')] },
              { actions: ['inc', 'announce'] },
            ],
          },
        },
        b: { on: { go: { target: 'a', actions: ['inc'] }, stay: {}, '*': { actions: [description('anything')] } } },
      },
    },
    events: ['go', 'stay', 'other'],
  },
  'parallel states that look at each other': {
    config: {
      type: 'parallel',
      states: {
        left: {
          initial: 'off',
          states: {
            off: { on: { left: 'on' }, exit: description('left on') },
            on: {
              on: { left: 'off', both: 'off' },
              always: { guard: stateIn({ right: 'on' }) as never, target: 'off' },
              entry: 'inc',
            },
          },
        },
        right: {
          initial: 'off',
          states: {
            off: { on: { right: 'on', both: 'on' } },
            on: { on: { right: 'off' }, entry: [description('right on'), 'announce'] },
          },
        },
      },
    },
    events: ['left', 'right', 'both'],
  },
  history: {
    config: {
      initial: 'deep',
      states: {
        deep: {
          initial: 'one',
          on: { out: 'outside' },
          states: {
            one: { on: { next: { target: 'two', actions: 'inc' } } },
            two: { on: { next: 'one' } },
            last: { type: 'history' },
          },
        },
        outside: { on: { back: 'deep.last', fresh: 'deep' } },
      },
    },
    events: ['next', 'out', 'back', 'fresh'],
  },
  'inner states that are done': {
    config: {
      initial: 'work',
      states: {
        work: {
          initial: 'first',
          onDone: { target: 'rest', actions: ['inc', description('done')] },
          states: { first: { on: { go: [{ guard: 'isEven', target: 'end' }, { actions: 'inc' }] } }, end: { type: 'final' } },
        },
        rest: { on: { go: { target: 'work', actions: 'inc' }, stop: 'over' } },
        over: { type: 'final' },
      },
    },
    events: ['go', 'go', 'go', 'go', 'go', 'stop'],
  },
  'an output of an inner state': {
    config: {
      initial: 'work',
      states: {
        work: {
          initial: 'first',
          onDone: { target: 'rest', actions: assign({ n: ({ event }: any) => event.output + 1 }) },
          states: { first: { on: { go: 'end' } }, end: { type: 'final', output: ({ context }: In) => context.n } },
        },
        rest: { on: { go: 'work' } },
      },
    },
    events: ['go'],
  },
  'raised events': {
    config: {
      initial: 'a',
      states: {
        a: {
          on: {
            go: { actions: [raise(({ context }: In) => ({ type: isEven({ context } as In) ? 'even' : 'odd', by: 3 })), 'inc'] },
            again: { guard: isOver(3), target: 'b', actions: [raise(({ event }: In) => event), 'inc'] },
            // Alternately the same event, and an equal copy of it.
            either: {
              target: 'b',
              actions: raise(({ context, event }: any) => (context.n % 3 === 0 ? event : { ...event, by: 7 })),
            },
            named: { actions: { type: 'raiseBy', params: { type: 'odd' } } },
            even: { actions: [description('even'), add] },
            odd: { target: 'b', actions: [description('odd'), add] },
          },
        },
        b: {
          on: {
            either: { target: 'a', actions: add },
            again: { target: 'a', actions: add },
            go: { target: 'a', actions: 'inc' },
          },
        },
      },
    },
    events: ['go', 'again', 'named', 'either'],
  },
  'queued actions': {
    config: {
      initial: 'a',
      states: {
        a: {
          on: {
            go: {
              actions: enqueueActions(({ context, enqueue }: any) => {
                if (context.n % 3 === 0) enqueue.raise({ type: 'third' });
                if (context.n % 2 === 0) enqueue.assign({ n: context.n + 1 });
                enqueue(description('queued'));
                if (context.n % 2 === 1) enqueue('inc');
                enqueue.emit({ type: 'notified' });
                if (context.n % 5 === 4) enqueue({ type: 'raiseBy', params: { type: 'third' } });
              }),
            },
            quiet: { actions: enqueueActions(({ context, enqueue }: any) => void (context.n % 2 === 0 && enqueue.assign({}))) },
            checked: { actions: enqueueActions(({ check, enqueue }: any) => void (check('isEven') && enqueue('inc'))) },
            third: { target: 'b', actions: description('third') },
          },
        },
        b: { on: { go: { target: 'a', actions: 'inc' } }, always: { guard: isOver(20), target: 'a', actions: assign({ n: 0 }) } },
      },
    },
    events: ['go', 'quiet', 'checked'],
  },
  'charts that fail': {
    config: {
      initial: 'a',
      states: {
        a: {
          on: {
            go: { actions: assign({ n: ({ context }: any) => (context.n > 4 ? context.missing.field : context.n + 1) }) },
            guarded: { guard: { type: 'isOver', params: ({ event }: any) => event.nothing.there }, actions: 'inc' },
            unknown: { guard: 'isNotThere', actions: 'inc' },
            foreign: { actions: 'notOfTheVocabulary' },
          },
        },
      },
    },
    events: ['go', 'guarded', 'unknown', 'foreign'],
  },
};

const made = (config: Record<string, unknown>): AnyStateMachine => base.createMachine({ id: 'm', context: { n: 0 }, ...config });
const sampleOf = (events: readonly string[]) => ({
  input: undefined,
  events: () => events.map((type, i) => ({ type, by: i + 1 })),
});

describe("machines with XState's features", () => {
  test.each(Object.keys(machines))('%s', (name) => {
    const { config, events } = machines[name]!;
    const { steps, failed, byXState } = lockSteps(name, made(config), [sampleOf(events)], 20, 50);
    expect(steps).toBeGreaterThan(100);
    if (name === 'charts that fail') expect(failed).toBeGreaterThan(0);
    // An output can be anything, so XState takes the step; also steps that fail, and those that evaluate a guard by `check`.
    else if (name !== 'an output of an inner state' && name !== 'queued actions') expect(byXState).toBeLessThan(steps / 4);
  });
});

const countsOf = (config: Record<string, unknown>, guards: Record<string, () => boolean>) =>
  setup({ ...types, actions: effects(), guards } as any).createMachine({
    context: { n: 0 },
    ...config,
  } as any) as AnyStateMachine;

describe('steps left to XState', () => {
  test('an infinite macrostep: it is rejected with the same error', () => {
    const circle = made({
      initial: 'a',
      states: { a: { on: { go: 'b' } }, b: { always: 'c' }, c: { always: 'b' } },
    });
    const { snapshot } = begin(circle, undefined);
    for (let i = 0; i < 2; i++)
      expect(() => macrostep(circle, snapshot, { type: 'go' })).toThrow(
        'A step of the chart never ends, because "always" or "raise" loops forever.',
      );
  });

  test('a chart that is not pure, from when it shows', () => {
    // The shared guard of both regions returns different results for the same context and event.
    const answers = [true, false, false, true, true];
    const region = { on: { go: { guard: 'any', actions: description('went') } } };
    const chart = countsOf({ type: 'parallel', states: { a: region, b: region } }, { any: () => answers.shift() ?? true });
    const { snapshot } = begin(chart, undefined);
    macrostep(chart, snapshot, { type: 'go' });
    macrostep(chart, snapshot, { type: 'go' });
    const calls = vi.spyOn(interpreter, 'step');
    for (let i = 0; i < 5; i++) expect(macrostep(chart, snapshot, { type: 'go' }).effects).toHaveLength(2);
    expect(calls).toHaveBeenCalledTimes(5);
  });
});

describe('snapshots', () => {
  const chart = made(machines['parallel states that look at each other']!.config);

  test("have the same fields as XState's", () => {
    const { snapshot } = macrostep(chart, begin(chart, undefined).snapshot, { type: 'right' });
    const own = interpreter.restore(chart, snapshot.value, snapshot.context);
    expect(snapshot.matches({ right: 'on' })).toBe(true);
    expect(snapshot.can({ type: 'right' })).toBe(true);
    expect(snapshot.can({ type: 'both' })).toBe(false);
    expect(snapshot.hasTag('none' as never)).toBe(false);
    expect(JSON.stringify(snapshot)).toBe(JSON.stringify(own));
    expect(snapshot.status).toBe('active');
  });

  test('an event without a transition leaves the same snapshot, as in XState', () => {
    const restored = restore(chart, { value: { left: 'off', right: 'on' }, context: { n: 2 } });
    for (let i = 0; i < 2; i++) expect(macrostep(chart, restored, { type: 'both' }).snapshot).toBe(restored);
    expect(takesEvent(chart, restored, { type: 'both' })).toBe(false);
    expect(takesEvent(chart, restored, { type: 'left' })).toBe(true);
  });
});
