/** The drawings of charts compared with their machines: those of the examples, and of thirty public shapes. scripts/charts.test.ts has the protocols. */
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { examples } from '../../examples/machines/samples.js';
import { chartDefinition } from '../../network/chart-definition.js';
import { ChartPicture } from '../page/chart/picture.js';
import { drawingErrors } from './chart-drawing.fixture.js';
import { layOutChart } from './chart-layout.js';
import { readChart } from './chart.js';
import { conformance } from './conformance.fixture.js';
import { elkHere } from './elk.fixture.js';
import { publicShapes } from './public-shapes.fixture.js';

async function draw(name: string, machine: AnyStateMachine): Promise<string> {
  const chart = readChart(name, JSON.parse(JSON.stringify(chartDefinition(machine))));
  const layout = await layOutChart(chart, elkHere);
  const taken = { taken: [], refused: [], possible: [] };
  const appearance = {
    scale: 1,
    color: 'none',
    active: new Set<string>(),
    taken,
    isNow: false,
    covered: null,
    heat: null,
    controls: null,
  };
  return renderToString(h(ChartPicture, { layout, label: name, ...appearance }));
}

const machines: readonly (readonly [string, AnyStateMachine])[] = [
  ...Object.entries(examples).map(([name, { machine }]) => [`example ${name}`, machine as AnyStateMachine] as const),
  ...Object.entries(publicShapes),
  ['every construct', conformance],
];

test.each(machines)('%s', async (name, machine) => {
  expect(drawingErrors(await draw(name, machine), machine)).toEqual([]);
});

describe('an error in a drawing is found', async () => {
  const machine = publicShapes['checkout']!;
  const right = await draw('checkout', machine);
  const errors = (changed: string) => {
    expect(changed).not.toBe(right);
    return drawingErrors(changed, machine).join('\n');
  };
  const retry = /<path class="edge "[^>]*data-transition="purchase.failed RETRY 0"[^>]*>/;

  test('a line that is missing', () => {
    expect(errors(right.replace(new RegExp(`${retry.source}</path>`), ''))).toContain(
      'RETRY 0: it is not drawn from its source to its targets',
    );
  });

  test('a line that begins at another state', () => {
    const [other] = /(?<=<path class="edge "[^>]*LOGIN 0" d=")[^"]*/.exec(right)!;
    const moved = right.replace(retry, (line) => line.replace(/ d="[^"]*"/, ` d="${other}"`));
    expect(errors(moved)).toContain('RETRY 0: it is not drawn from its source to its targets');
  });

  test('a line that is drawn twice', () => {
    expect(errors(right.replace(retry, (line) => `${line}</path>${line}`))).toContain('RETRY 0: it is not drawn');
  });

  test('a label away from its line', () => {
    const moved = right.replace(/(data-transition="purchase.failed RETRY 0"><rect x=")/, '$1-3');
    expect(errors(moved)).toMatch(/the label "RETRY" is not at its line|is not inside of the picture/);
  });

  test('a state over another one', () => {
    const [, x] = /data-state="purchase.form.payment"[^>]*><rect x="([\d.]+)"/.exec(right)!;
    const moved = right.replace(/(data-state="purchase.form.address"[^>]*>.*?<rect x=")[\d.]+/, `$1${x}`);
    expect(errors(moved)).toMatch(/overlap|sticks out/);
  });

  test('words that are cut', () => {
    expect(errors(right.replace('>expired<', `>${'expired for a long time '.repeat(9)}<`))).toContain('is cut');
  });
});
