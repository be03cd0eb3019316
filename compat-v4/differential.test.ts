/** Version 4's interpreter as a second opinion: the same charts, the same 20,000 random events, the same states and effects. */
import { describe, expect, test } from 'vitest';
import { begin, step } from '../network/kernel.js';
import { Random } from '../network/random.js';
import { refused, rendered } from './charts.js';
import { effectsOf, to4 } from './to4.js';

const EVENTS = 20_000;
/** A walk begins again where nothing leads on, or its context has grown. */
const STEPS_MAX = 50;

const effects5 = (effects: readonly any[]) =>
  effects.map(({ type, ...params }) => ({ type, params: type === 'emit' ? params.event : params }));

test('what cannot be rendered is named with the reason', () => {
  expect(refused).toEqual({ steward: 'enqueueActions decides while it runs what to do' });
});

describe('the same on either', () => {
  const share = Math.ceil(EVENTS / rendered.length);
  let total = 0;

  test.each(rendered)('$name', ({ chart, sample }) => {
    const machine4 = to4(chart, sample.input);
    const random = new Random(1, chart.id);
    for (let taken = 0; taken < share;) {
      const first = begin(chart, sample.input);
      let here5 = first.snapshot;
      let here4 = machine4.initialState;
      expect([here4.value, here4.context, effectsOf(here4)]).toEqual([here5.value, here5.context, effects5(first.effects)]);
      for (let i = 0; i < STEPS_MAX; i++) {
        const events = sample.events(here5.context);
        if (events.length === 0) break;
        const event = random.pick(events);
        const next5 = step(chart, here5, event);
        here5 = next5.snapshot;
        here4 = machine4.transition(here4, event);
        const seen5 = [event, here5.value, here5.context, effects5(next5.effects)];
        expect([event, here4.value, here4.context, effectsOf(here4)]).toEqual(seen5);
        taken++;
        total++;
      }
    }
  });

  test(`${EVENTS} in all`, () => {
    expect(total).toBeGreaterThanOrEqual(EVENTS);
  });
});
