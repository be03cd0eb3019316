/** `quiver paper NAME`: reproduces a paper's tables, each figure held against the expected one. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { agrees, type TableCell, type Table } from '../../experiments/experiment.js';
import { experiments } from '../../experiments/index.js';
import { drawPlot } from '../../experiments/plot.js';
import { UsageError } from '../../machines/errors.js';
import type { Work } from '../verbs.js';
import { ProgressLine } from '../progress.js';
import { bold, dim, number, table, verdictInColour } from '../style.js';

const command: Work<'paper'> = async (values, words) => {
  const [name, ...more] = words;
  const experiment = experiments[name ?? ''];
  if (!experiment || more.length > 0) throw new UsageError(`name one paper: ${Object.keys(experiments).join(', ')}`);
  const progress = new ProgressLine();
  let differing = 0;
  if (!values.json) console.log(`${bold(experiment.title)}\n${dim(experiment.paper)}\n`);
  for (const part of experiment.run((share) => progress.show(`${name}: ${Math.round(share * 100)} %`))) {
    progress.done();
    if ('rows' in part) {
      differing += part.rows.flatMap(({ cells }) => cells).filter((cell) => agrees(cell) === false).length;
      if (!values.json) printTable(part);
    } else if (values.svg !== undefined) {
      mkdirSync(values.svg, { recursive: true });
      writeFileSync(join(values.svg, `${part.name}.svg`), drawPlot(part));
    }
    if (values.json) console.log(JSON.stringify(part));
    await setImmediate();
  }
  if (!values.json)
    console.log(
      differing === 0
        ? `${verdictInColour('valid')}  every figure agrees`
        : `${verdictInColour('invalid')}  ${differing} figures differ (marked ✗)`,
    );
  return differing === 0 ? 0 : 1;
};

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
