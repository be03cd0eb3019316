/** `quiver paper NAME…`: reproduces the tables of papers and compares each figure with the expected one. `all` selects every paper. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { agrees, drawingOf, tally, type Exhibit, type Experiment, type TableCell, type Table } from './experiments/experiment.js';
import { experiments } from './experiments/index.js';
import { papersPage, type Reproduction } from './page.js';
import { UsageError } from '../machines/errors.js';
import { OutputFile } from '../bin/output-file.js';
import type { ValuesOf, VerbWork } from '../bin/verbs.js';
import { ProgressLine } from '../bin/progress.js';
import { bold, dim, number, table, verdictInColor } from '../bin/style.js';

interface Reproduced extends Reproduction {
  readonly seconds: number;
}

const command: VerbWork<'paper'> = async (values, words) => {
  const chosen = experimentsNamed(words);
  const page = values.html === undefined ? undefined : new OutputFile(values.html);
  const papers: Reproduced[] = [];
  try {
    for (const experiment of chosen) {
      const place = chosen.length === 1 ? '' : `, paper ${papers.length + 1} of ${chosen.length}`;
      papers.push(await reproduce(experiment, place, values));
    }
  } catch (error) {
    page?.discard();
    throw error;
  }
  page?.text(papersPage(papers));
  page?.keep();
  if (!values.json) printSummary(papers);
  return papers.every(({ exhibits }) => tally(exhibits).differing === 0) ? 0 : 1;
};

function experimentsNamed(words: readonly string[]): readonly Experiment[] {
  if (words.length === 1 && words[0] === 'all') return experiments;
  const chosen = experiments.filter(({ name }) => words.includes(name));
  const unknown = words.find((word) => !experiments.some(({ name }) => name === word));
  if (chosen.length > 0 && unknown === undefined) return chosen;
  const names = experiments.map(({ name }) => name).join(', ');
  throw new UsageError(
    `${unknown === undefined ? '' : `Unknown paper "${unknown}". `}Name one or more papers: ${names}; or all.`,
  );
}

async function reproduce(experiment: Experiment, place: string, values: ValuesOf<'paper'>): Promise<Reproduced> {
  const { name, title, paper } = experiment;
  const progress = new ProgressLine();
  const exhibits: Exhibit[] = [];
  const started = performance.now();
  if (!values.json) console.log(`${bold(title)}\n${dim(paper)}\n`);
  for (const exhibit of experiment.run((share) => progress.show(`${name}: ${Math.round(share * 100)} %${place}`))) {
    progress.done();
    exhibits.push(exhibit);
    if (values.json) console.log(JSON.stringify({ paper: name, ...exhibit }));
    else if ('rows' in exhibit) printTable(exhibit);
    if (values.svg !== undefined && !('rows' in exhibit)) {
      mkdirSync(values.svg, { recursive: true });
      writeFileSync(join(values.svg, `${exhibit.name}.svg`), drawingOf(exhibit));
    }
    await setImmediate();
  }
  return { experiment, exhibits, seconds: (performance.now() - started) / 1000 };
}

function printSummary(papers: readonly Reproduced[]): void {
  const tallies = papers.map(({ exhibits }) => tally(exhibits));
  if (papers.length > 1) {
    const rows = papers.map(({ experiment: { name }, exhibits, seconds }, i) => {
      const { compared, differing } = tallies[i]!;
      return [name, ...[exhibits.length, compared, differing, Math.round(seconds)].map(number)];
    });
    console.log(`${table(['paper', 'tables and figures', 'figures compared', 'differ', 'seconds'], rows)}\n`);
  }
  const differing = tallies.reduce((sum, of) => sum + of.differing, 0);
  console.log(
    differing === 0
      ? `${verdictInColor('valid')}  every figure agrees`
      : `${verdictInColor('invalid')}  ${differing} figures differ (marked ✗)`,
  );
}

function printTable({ title, columns, rows, note }: Table): void {
  console.log(bold(title));
  console.log(
    table(
      columns,
      rows.map(({ label, cells }) => [label, ...cells.map(describeCell)]),
    ),
  );
  console.log(note === undefined ? '' : `${dim(note)}\n`);
}

function describeCell(cell: TableCell): string {
  const text = typeof cell.value === 'number' ? number(cell.value) : (cell.value ?? '—');
  const agreement = agrees(cell);
  if (agreement === null) return text;
  const expected = typeof cell.expected === 'number' ? number(cell.expected) : String(cell.expected);
  return agreement ? `${text} ✓` : `${text} ✗ (expected ${expected})`;
}

export default command;
