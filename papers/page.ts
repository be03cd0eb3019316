/** One HTML page of reproduced papers: every table with the expected and the measured figures, and every plot, in a single file. */
import { agrees, drawingOf, tally, type Exhibit, type Experiment, type Table, type TableCell } from './experiments/experiment.js';
import { escapeMarkup } from './experiments/markup.js';
import { number } from '../bin/style.js';

/** A paper, with the tables and plots of its experiment. */
export interface Reproduction {
  readonly experiment: Pick<Experiment, 'name' | 'title' | 'paper'>;
  readonly exhibits: readonly Exhibit[];
}

export function papersPage(papers: readonly Reproduction[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The papers' tables, reproduced</title>
<style>${STYLE}</style>
<h1>The papers' tables, reproduced</h1>
<p>Each figure comes from a run of the charts. Where another figure is expected, by the paper or by the reference implementation of its
specification, it is shown below ours: <span class="agrees">✓</span> agrees, <span class="differs">✗</span> differs.</p>
${summary(papers)}
${papers.map(section).join('\n')}
</html>
`;
}

function summary(papers: readonly Reproduction[]): string {
  const rows = papers.map(({ experiment: { name, title }, exhibits }) => {
    const { compared, differing } = tally(exhibits);
    const mark = differing === 0 ? '<td class="agrees">none</td>' : `<td class="differs">${differing}</td>`;
    return `<tr><th><a href="#${name}">${escapeMarkup(title)}</a></th><td>${exhibits.length}</td><td>${compared}</td>${mark}</tr>`;
  });
  const heads = ['paper', 'tables and figures', 'figures compared', 'differ'].map((head) => `<th>${head}</th>`);
  return `<table><thead><tr>${heads.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function section({ experiment: { name, title, paper }, exhibits }: Reproduction): string {
  const shown = exhibits.map((exhibit) => ('rows' in exhibit ? tableOf(exhibit) : figureOf(exhibit)));
  return `<section id="${name}">
<h2>${escapeMarkup(title)}</h2>
<p class="paper">${escapeMarkup(paper)} · <code>npx quiver paper ${name}</code></p>
${shown.join('\n')}
</section>`;
}

const figureOf = (exhibit: Exclude<Exhibit, Table>): string =>
  `<figure>${drawingOf(exhibit)}${'note' in exhibit ? `<figcaption class="note">${escapeMarkup(exhibit.note ?? '')}</figcaption>` : ''}</figure>`;

function tableOf({ title, columns, rows, note }: Table): string {
  const heads = columns.map((column) => `<th>${escapeMarkup(column)}</th>`).join('');
  const lines = rows.map(({ label, cells }) => `<tr><th>${escapeMarkup(label)}</th>${cells.map(cellOf).join('')}</tr>`);
  return `<h3>${escapeMarkup(title)}</h3>
<div class="wide"><table><thead><tr>${heads}</tr></thead><tbody>
${lines.join('\n')}
</tbody></table></div>
${note === undefined ? '' : `<p class="note">${escapeMarkup(note)}</p>`}`;
}

const BOUND = { atMost: 'at most ', atLeast: 'at least ' } as const;

function cellOf(cell: TableCell): string {
  const { value, expected, check } = cell;
  const agreement = agrees(cell);
  if (agreement === null) return `<td>${textOf(value)}</td>`;
  const bound = check === 'atMost' || check === 'atLeast' ? BOUND[check] : '';
  const remark = `<small>${bound}${textOf(expected ?? null)} ${agreement ? '✓' : '✗'}</small>`;
  return `<td class="${agreement ? 'agrees' : 'differs'}">${textOf(value)}${remark}</td>`;
}

const textOf = (value: number | string | null): string =>
  value === null ? '—' : typeof value === 'number' ? number(value) : escapeMarkup(value);

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 3rem; } h3 { margin: 2rem 0 .5rem; }
.paper, .note, small { color: GrayText; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); text-align: right; vertical-align: top; }
th:first-child { text-align: left; } tbody th { font-weight: normal; }
small { display: block; }
.agrees small, .agrees:not(td) { color: #15803d; } .differs, .differs small { color: #dc2626; }
figure { max-width: 40rem; margin: 2rem 0; }
`;
