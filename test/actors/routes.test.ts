/** Routes of actors: events from outside that no actor waits for. */
import { assign, createMachine, sendTo } from 'xstate';
import { describe, expect, test } from 'vitest';
import { checkActors, type ActorViews } from './actors.js';

describe('routes', () => {
  const log = createMachine({
    id: 'log',
    context: { n: 0 },
    on: { SEEN: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
  });
  const pages = createMachine({
    id: 'pages',
    initial: 'home',
    states: {
      home: { on: { GO: 'list' } },
      list: { id: 'list', route: { actions: sendTo('log', { type: 'SEEN' }) } },
    },
    invoke: { src: log, id: 'log' },
  } as never);
  const script = [{ actor: 'pages', event: { type: 'xstate.route', to: '#list' } }];

  test('are sent as events, with their actions', () => {
    const isSeen = ({ pages, log }: ActorViews): boolean => pages!.value === 'list' && (log!.context as { n: number }).n === 1;
    const { verdict, counterexample } = checkActors({ pages }, { script, always: { 'not seen': (views) => !isSeen(views) } });
    expect([verdict, counterexample?.property]).toEqual(['invalid', 'not seen']);
  });

  test('nothing waits for one that is not among the events', () => {
    expect(checkActors({ pages }, { events: { pages: { GO: [{}] } } }).verdict).toBe('valid');
  });
});
