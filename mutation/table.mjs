/** Writes the table of scores in `docs/mutation.md` from `results/`. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rooms } from './slices.mjs';

const PAGE = 'docs/mutation.md';
const [BEGIN, END] = ['<!-- scores -->', '<!-- end of scores -->'];

const percent = (killed, all) => (all === 0 ? '' : `${((100 * killed) / all).toFixed(1)} %`);

/** The score of a room; of one with files that were not run it says no more than that. */
const scoreOf = (killed, all, isOpen) =>
  all === 0 ? 'not run' : isOpen ? `${percent(killed, all)} of those` : `**${percent(killed, all)}**`;

/** The files that have code to mutate: no tests, no fixtures, no declarations of types alone. */
const shipped = () =>
  execFileSync('git', ['ls-files', 'network', 'adapters'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => file.endsWith('.ts') && !/\.(test|deep|fixtures?)\.ts$/.test(file));

export function writeTable() {
  const results = Object.assign(
    {},
    ...readdirSync('mutation/results').map((name) => JSON.parse(readFileSync(`mutation/results/${name}`, 'utf8'))),
  );
  const lines = ['| | killed | of | score |', '|---|---|---|---|'];
  const notRun = [];
  const nothing = [];
  for (const { name, files } of rooms) {
    const inRoom = shipped().filter((file) => files.test(file));
    const isEmpty = (file) => results[file] && results[file].killed + results[file].alive.length === 0;
    const run = inRoom.filter((file) => results[file] && !isEmpty(file));
    nothing.push(...inRoom.filter(isEmpty));
    const sum = (of) => run.reduce((total, file) => total + of(results[file]), 0);
    const [killed, all] = [sum((r) => r.killed), sum((r) => r.killed + r.alive.length)];
    const left = inRoom.filter((file) => !results[file]);
    notRun.push(...left);
    lines.push(
      `| **${name}**, ${inRoom.length - left.length} of ${inRoom.length} files | ${killed} | ${all} | ${scoreOf(killed, all, left.length > 0)} |`,
    );
    for (const file of run) {
      const { killed, alive } = results[file];
      lines.push(`| \`${file}\` | ${killed} | ${killed + alive.length} | ${percent(killed, killed + alive.length)} |`);
    }
  }
  const listed = (files) => files.map((file) => `\`${file}\``).join(', ') || 'none';
  lines.push('', `**Without mutants**, since they hold types or re-exports alone: ${listed(nothing)}.`);
  lines.push('', `**Not run**: ${listed(notRun)}.`);
  const page = readFileSync(PAGE, 'utf8');
  const [head, tail] = [page.slice(0, page.indexOf(BEGIN) + BEGIN.length), page.slice(page.indexOf(END))];
  writeFileSync(PAGE, `${head}\n${lines.join('\n')}\n${tail}`);
}
