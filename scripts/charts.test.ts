/**
 * The pictures of charts in docs/images/charts are drawn from the machines themselves, by the page of the inspector, and compared with them. A
 * chart that has changed fails here, and `npx vitest run scripts/charts.test.ts -u` draws it again.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { drawingErrors } from '../inspector/model/chart-drawing.fixture.js';
import { layOutChart } from '../inspector/model/chart-layout.js';
import { readChart } from '../inspector/model/chart.js';
import { elkHere } from '../inspector/model/elk.fixture.js';
import { ChartPicture } from '../inspector/page/chart/picture.js';
import { protocols } from '../machines/index.js';
import { chartDefinition } from '../network/chart-definition.js';

const nothing = { taken: [], refused: [], possible: [] };

const styleOf = (path: string): string => readFileSync(new URL(`../inspector/page/styles/${path}`, import.meta.url), 'utf8');
const theme = styleOf('theme.css');
const [dark] = theme.match(/^:root\[data-theme='dark'\] \{.*?\n\}/ms)!;
/** The page's colors in both themes, and its rules for charts, without those for what is going on in them. */
const style = [
  ...theme.match(/^:root \{.*?\n\}/ms)!,
  `@media (prefers-color-scheme: dark) { ${dark.replace("[data-theme='dark']", '')} }`,
  ...styleOf('chart.css').matchAll(/^\.chart [^{]*\{.*?\}/gms),
]
  .map(String)
  .filter((rule) => !rule.includes('.is-'))
  .join('\n')
  .replaceAll(/\s+/g, ' ');

async function draw(name: string, machine: AnyStateMachine): Promise<string> {
  const layout = await layOutChart(readChart(name, chartDefinition(machine)), elkHere);
  const picture = h(ChartPicture, {
    layout,
    scale: 1,
    active: new Set<string>(),
    taken: nothing,
    isNow: false,
    label: `The chart ${name}`,
    color: 'none',
    covered: null,
    heat: null,
    controls: null,
  });
  const ground = `svg { background: var(--panel); font-family: Inter, system-ui, sans-serif }`;
  return `${renderToString(picture)
    .replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"')
    .replace('<defs>', `<style>${style} ${ground}</style><defs>`)}\n`;
}

/** Locks use the charts of other protocols: each is drawn once, under the name of its protocol. */
const own = new Set(Object.values(protocols).flatMap(({ name, charts }) => charts[name] ?? []));
const charts = Object.values(protocols).flatMap(({ name, charts }) =>
  Object.entries(charts)
    .filter(([chart, machine]) => chart === name || !own.has(machine))
    .map(([chart, machine]) => [chart === name ? name : `${name}-${chart}`, machine] as const),
);
const folder = new URL('../docs/images/charts/', import.meta.url);

test.each(charts)('%s', async (name, machine) => {
  const picture = await draw(name, machine);
  expect(drawingErrors(picture, machine)).toEqual([]);
  await expect(picture).toMatchFileSnapshot(new URL(`${name}.svg`, folder).pathname);
});

test('no picture of a removed chart remains', () => {
  expect(readdirSync(folder).sort()).toEqual(charts.map(([name]) => `${name}.svg`).sort());
});
