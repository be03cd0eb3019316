/** `quiver paper` with made-up experiments: its output, its page, its status. The docs name only existing papers. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Exhibit } from '../../papers/experiments/experiment.js';
import { experiments } from '../../papers/experiments/index.js';
import { called } from '../called.fixture.js';
import { quiver } from '../program.js';

const { inFolder, printed } = called();

const table = (value: number): Exhibit => ({
  title: 'Cost < optimum',
  columns: ['', 'cost', 'plain'],
  rows: [{ label: 'n = 8', cells: [{ value, expected: 38 }, { value: 1500.4 }] }],
  note: 'Exactly.',
});
const plot: Exhibit = {
  name: 'ratio',
  title: 'Ratio',
  x: { label: 'nodes' },
  y: { label: 'ratio' },
  series: [{ label: 'ivy', points: [[8, 4]] }],
};

const yields = (name: string, exhibits: readonly Exhibit[]) =>
  vi
    .spyOn(
      experiments.find((experiment) => experiment.name === name)!,
      'run',
    )
    .mockReturnValue(exhibits);

describe('papers', () => {
  beforeEach(() => {
    for (const { name } of experiments) yields(name, [table(38), plot]);
  });

  test('all: each in turn, then how many figures agree, and one page of all of it', async () => {
    const page = inFolder('papers.html');
    expect(await quiver(['paper', 'all', '--html', page])).toBe(0);
    const reported = printed.join('\n');
    expect(reported).toMatch(/^controller +2 +1 +0 +0$/m);
    expect(reported).toContain('valid  every figure agrees');
    const html = readFileSync(page, 'utf8');
    for (const { name } of experiments) expect(html).toContain(`<section id="${name}">`);
    expect(html).toContain('<td class="agrees">38<small>38 ✓</small></td><td>1,500</td>');
    expect(html).toContain('Cost &lt; optimum');
    expect(html).toContain('<svg');
  });

  test('a figure that differs is marked, on the page as well, and makes the status 1', async () => {
    yields('queue', [table(37)]);
    const page = inFolder('differs.html');
    expect(await quiver(['paper', 'arvy', 'queue', '--html', page])).toBe(1);
    const reported = printed.join('\n');
    expect(reported).toMatch(/^queue +1 +1 +1 +0$/m);
    expect(reported).toContain('37 ✗ (expected 38)');
    expect(readFileSync(page, 'utf8')).toContain('<td class="differs">37<small>38 ✗</small></td>');
  });

  test('--json adds the paper to each line', async () => {
    expect(await quiver(['paper', 'queue', '--json'])).toBe(0);
    expect(printed.map((line) => JSON.parse(line).paper)).toEqual(['queue', 'queue']);
  });
});

test('the papers that the docs name are papers that there are', () => {
  const docs = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
  const texts = ['README.md', ...docs.map((file) => join('docs', file))].map((file) => readFileSync(file, 'utf8'));
  const named = texts.flatMap((text) => [...text.matchAll(/quiver paper (\w+)/g)].map(([, name]) => name!));
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((name) => name !== 'all' && !experiments.some((experiment) => experiment.name === name))).toEqual([]);
});
