import { expect, test } from 'vitest';
import { chartDefinition } from '../../network/chart-definition.js';
import { mermaidOf } from './chart-mermaid.js';
import { readChart } from './chart.js';
import { publicShapes } from './public-shapes.fixture.js';

const mermaid = (name: string): string => mermaidOf(readChart(name, chartDefinition(publicShapes[name]!)));

test('states, initial and final ones, regions, guards, actions and history', () => {
  expect(mermaid('payment with history')).toBe(`stateDiagram-v2
  state "payment with history" as s0 {
    [*] --> s1
    state "method" as s1 {
      [*] --> s2
      state "cash" as s2
      state "check" as s3
      state "H last" as s4
      s4 : default → cash
    }
    state "review" as s5
    state "paid" as s6
    s6 : entry / sendReceipt
    s6 --> [*]
  }
  s1 --> s5 : NEXT
  s2 --> s3 : SWITCH_CHECK
  s3 --> s2 : SWITCH_CASH
  s5 --> s4 : PREVIOUS
  s5 --> s6 : CONFIRM
`);
  expect(mermaid('media player').match(/^ +--$/gm)).toHaveLength(2);
  expect(mermaid('checkout')).toContain('charge failed [canRetry]');
});

test('every transition of a chart is a line', () => {
  for (const [name, machine] of Object.entries(publicShapes)) {
    const { transitions } = readChart(name, chartDefinition(machine));
    const lines = mermaid(name).match(/^ {2}s\d+ --> s\d+ : /gm) ?? [];
    expect(lines).toHaveLength(transitions.flatMap(({ targets }) => targets).length);
  }
});
