/** docs/cluster.md: each of its programs runs as a separate process, and prints the output on the page. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(new URL('../../docs/cluster.md', import.meta.url), 'utf8');
const programs = [...page.matchAll(/```js\n((?:(?!```)[^])*)```\n\n```\n([^]*?)```/g)].map(([, program, shown]) => [
  program!,
  shown!,
]);

test.each(programs)('a program of docs/cluster.md prints what the page shows', (program, shown) => {
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(printed).toBe(shown);
});

test('the page has both programs', () => {
  expect(programs).toHaveLength(2);
});
