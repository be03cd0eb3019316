/**
 * The files that a module is made of: itself, and what it imports from files beside it, and so on, where the import says which one in its text. Whoever
 * compares these compares the program, up to packages, and up to what is read or imported by a name that is made as it runs.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** After `from`, `import`, `import(` or `require(`. In a comment as well: a file too many does no harm, since all who share a job have it. */
const IMPORT = /\b(?:from|import|require)\s*\(?\s*(["'`])(\.{1,2}\/[^"'`\n]+)\1/g;
/** What `require` tries; an import names its file. */
const ENDS = ['', '.js', '.cjs', '.json', '/index.js'];

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** What is in each of them, in the order in which they are first named. */
export function contentsBeneath(files: readonly string[]): readonly Buffer[] {
  const contents = new Map<string, Buffer>();
  const waiting = files.map((file) => resolve(file)).reverse();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (contents.has(path)) continue;
    const content = readFileSync(path);
    contents.set(path, content);
    waiting.push(...importedBy(path, content.toString()).reverse());
  }
  return [...contents.values()];
}

function importedBy(path: string, text: string): string[] {
  const folder = dirname(path);
  return Array.from(text.matchAll(IMPORT), ([, , name]) => resolve(folder, name!.replace(/[?#].*$/, ''))).flatMap((named) => {
    const found = ENDS.map((end) => named + end).find(isFile);
    return found === undefined ? [] : [found];
  });
}
