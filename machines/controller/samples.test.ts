/** The samples of every chart reach all of its states, and none of their events breaks it. */
import { expect, test } from 'vitest';
import type { AnyStateMachine, StateValue } from 'xstate';
import { begin, macrostep } from '../../network/world/remembering.js';
import { controller } from './index.js';

const LOOKED_AT = 400;

const leaves = (value: StateValue): string[] =>
  typeof value === 'string'
    ? [value]
    : Object.entries(value).flatMap(([key, inner]) => leaves(inner!).map((leaf) => `${key}.${leaf}`));

function statesReached(chart: AnyStateMachine, name: string): string[] {
  const states = new Set<string>();
  for (const { input, events } of controller.samples[name]!) {
    const seen = new Set<string>();
    const ahead = [begin(chart, input).snapshot];
    for (const snapshot of ahead) {
      const key = JSON.stringify([snapshot.value, snapshot.context]);
      if (seen.has(key) || seen.size > LOOKED_AT) continue;
      seen.add(key);
      for (const state of leaves(snapshot.value)) states.add(state);
      for (const event of events(snapshot.context)) ahead.push(macrostep(chart, snapshot, event).snapshot);
    }
  }
  return [...states].sort();
}

const busy = ['idle', 'refilling', 'relaying'];

test.each([
  ['request', ['exhausted', 'frozen', 'held', 'ready', 'refilling.frozen', 'refilling.open']],
  ['delivery', ['dry.idle', 'dry.relaying', 'exhausted.idle', 'exhausted.relaying', ...busy.map((mode) => `stocked.${mode}`)]],
  ['pipelined', ['dry', 'exhausted', 'stocked']],
  ['root', ['deferring', 'ending', 'parking', 'rejecting', 'signaled']],
  ['main', ['collecting', 'echoed', 'leaving', 'outside', 'running', 'settling', 'severed', 'severing']],
  ['deposits', ['frozen', 'open']],
  ['newcomer', ['joined', 'outside']],
])('%s', (name, states) => {
  expect(statesReached(controller.charts[name]!, name)).toEqual(states);
});
