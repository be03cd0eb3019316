/** The declarations that the types of some entries reach, each with what it imports. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const IMPORTED = /(?:\bfrom |\bimport\()'([^']+)'/g;
const COMMENT = /\/\*[^]*?\*\//g;

/** By path from the folder of the package: the names that a declaration imports. */
export function declarationsFrom(entries, folder) {
  const reached = new Map();
  const waiting = [...entries];
  for (const file of waiting) {
    if (reached.has(file)) continue;
    const text = readFileSync(join(folder, file), 'utf8').replaceAll(COMMENT, '').replaceAll('"', "'");
    const imported = [...text.matchAll(IMPORTED)].map(([, name]) => name);
    reached.set(file, imported);
    for (const name of imported)
      if (/^\..*\.js$/.test(name)) waiting.push(posix.join(posix.dirname(file), name).replace(/\.js$/, '.d.ts'));
  }
  return reached;
}
