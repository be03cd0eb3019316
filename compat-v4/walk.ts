/** Random events on one chart under both interpreters: after each, version 4 must be where version 5 is and ask for the same. */
import { expect } from 'vitest';
import { begin, macrostep } from '../network/world/remembering.js';
import { Random } from '../network/random.js';
import type { Rendered } from './charts.js';
import { effectsOf, to4 } from './to4.js';

/** A walk begins again where nothing leads on, or its context has grown. */
const STEPS_MAX = 50;

const effects5 = (effects: readonly any[]) =>
  effects.map(({ type, ...params }) => ({ type, params: type === 'emit' ? params.event : params }));

/** Takes at least so many events, and tells how many. */
export function compare({ chart, sample }: Rendered, events: number): number {
  const machine4 = to4(chart, sample.input);
  const random = new Random(1, chart.id);
  let taken = 0;
  while (taken < events) {
    const first = begin(chart, sample.input);
    let here5 = first.snapshot;
    let here4 = machine4.initialState;
    expect([here4.value, here4.context, effectsOf(here4)]).toEqual([here5.value, here5.context, effects5(first.effects)]);
    for (let i = 0; i < STEPS_MAX; i++) {
      const possible = sample.events(here5.context);
      if (possible.length === 0) break;
      const event = random.pick(possible);
      const next5 = macrostep(chart, here5, event);
      here5 = next5.snapshot;
      here4 = machine4.transition(here4, event);
      const seen5 = [event, here5.value, here5.context, effects5(next5.effects)];
      expect([event, here4.value, here4.context, effectsOf(here4)]).toEqual(seen5);
      taken++;
    }
  }
  return taken;
}
