/**
 * The public face, as `api-report.md` beside this file has it: every name of every entry of the package with its declaration. Whoever changes
 * it on purpose runs `npx vitest run scripts/api-report -u`, and the change stands in the commit for everybody to see.
 */
import { expect, test } from 'vitest';
import { declarationsOf, entries, namesOf } from './public-face.js';

const section = (entry: string, file: string): string => {
  const names = namesOf(file).toSorted();
  const body = names.flatMap((name) => declarationsOf(file, name).map(({ text }) => text || `export * as ${name};`));
  return `## ${entry.replace('.', 'xstate-quiver')}\n\n\`\`\`ts\n${body.join('\n\n')}\n\`\`\`\n`;
};

test('the public face is the one that was agreed on', async () => {
  const names = new Set(entries.flatMap(([, file]) => namesOf(file)));
  const title = `# The public face\n\n${entries.length} entries, ${names.size} names. Written by \`api-report.test.ts\`.\n`;
  const report = [title, ...entries.map(([entry, file]) => section(entry, file))].join('\n');
  await expect(report).toMatchFileSnapshot('api-report.md');
});
