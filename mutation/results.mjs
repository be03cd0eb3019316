/** The results of a run by file: how many mutants were noticed, and each that was not. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A mutant that no test notices, as one line: its place, the original text, and the text that replaces it. */
function lineOf({ location: { start, end }, replacement, mutatorName }, lines) {
  const line = start.line - 1;
  const short = (text) => {
    const flat = text.replace(/\s+/g, ' ');
    return flat.length > 70 ? `${flat.slice(0, 67)}...` : flat;
  };
  const original =
    end.line === start.line
      ? lines[line].slice(start.column - 1, end.column - 1)
      : [lines[line].slice(start.column - 1), ...lines.slice(line + 1, end.line - 1)].join(' ');
  return `${start.line}:${start.column} ${mutatorName}: ${short(original)} => ${short(replacement ?? '')}`;
}

export function resultsOf(slice, mutants) {
  const results = {};
  for (const file of slice.files) {
    const lines = readFileSync(file, 'utf8').split('\n');
    const tried = mutants.filter(({ fileName }) => path.relative('.', fileName) === file);
    const count = (...wanted) => tried.filter(({ status }) => wanted.includes(status)).length;
    const alive = tried.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
    results[file] = {
      killed: count('Killed', 'Timeout'),
      timedOut: count('Timeout'),
      untested: count('NoCoverage'),
      left: count('Ignored', 'RuntimeError', 'CompileError'),
      alive: alive.map((mutant) => `${lineOf(mutant, lines)}${mutant.status === 'NoCoverage' ? ' (no test comes here)' : ''}`),
    };
  }
  return results;
}
