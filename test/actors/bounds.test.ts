/** How far the check of actors goes, and what it is asked. */
import { describe, expect, test } from 'vitest';
import { assign, createMachine, sendTo } from 'xstate';
import { checkActors } from './actors.js';

describe('how far it goes', () => {
  const sender = createMachine({ on: { GO: { actions: sendTo(({ system }: any) => system.get('counter'), { type: 'ONE' }) } } });
  const counter = createMachine({
    context: { n: 0 },
    on: { ONE: { guard: ({ context }: any) => context.n < 2, actions: assign({ n: ({ context }: any) => context.n + 1 }) } },
  });
  const actors = { sender, counter };

  test('unlimited growth ends at a named bound, also at a default one', () => {
    const rises = createMachine({
      context: { n: 0 },
      on: { UP: { actions: assign({ n: ({ context }: any) => context.n + 1 }) } },
    });
    const { verdict, stopped, states } = checkActors({ rises }, { events: { rises: { UP: [{}] } } });
    expect([verdict, states < 11_000]).toEqual(['unknown', true]);
    expect(stopped).toMatch(/^more than 10000 states\. New local states or messages keep appearing/);
    const few = checkActors(actors, { events: { sender: { GO: [{}] } }, bounds: { states: 50 } });
    expect(few.stopped).toMatch(/^more than 50 states/);
  });

  test('a script is sufficient: its events and payloads need not be in `events`', () => {
    const script = [
      { actor: 'sender', event: { type: 'GO', n: 1 } },
      { actor: 'sender', event: { type: 'GO' } },
    ];
    const { verdict, states } = checkActors(actors, { script });
    expect([verdict, states > 4]).toEqual(['valid', true]);
  });
});
