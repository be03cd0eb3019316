/** The rows of the tables of docs/errata.md, and the command in each. */
import { readFileSync } from 'node:fs';

const page = readFileSync('docs/errata.md', 'utf8');

export const errata = page
  .split('\n')
  .filter((line) => line.startsWith('| <a id='))
  .map((row) => ({ row, command: /\| `((?:quiver|npx) [^`]+)` \|/.exec(row)?.[1] }));
