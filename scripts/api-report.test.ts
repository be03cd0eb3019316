/**
 * Compares the public API with `api-report.md` next to this file: every name of every entry of the package with its declaration. After an
 * intended change, run `npx vitest run scripts/api-report -u` and commit the report, so that reviewers see the change.
 */
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { declarationsOf, entries, namesOf, root } from './public-face.js';

const section = (entry: string, file: string): string => {
  const names = namesOf(file).toSorted();
  const textsOf = (name: string) => declarationsOf(file, name).map(({ text }) => text || `export * as ${name};`);
  const body = names.flatMap((name) => [...new Set(textsOf(name))]);
  return `## ${entry.replace('.', 'xstate-quiver')}\n\n\`\`\`ts\n${body.join('\n\n')}\n\`\`\`\n`;
};

test('the public face is the one that was agreed on', async () => {
  const names = new Set(entries.flatMap(([, file]) => namesOf(file)));
  const title = `# The public face\n\n${entries.length} entries, ${names.size} names. Written by \`api-report.test.ts\`.\n`;
  const report = [title, ...entries.map(([entry, file]) => section(entry, file))].join('\n');
  await expect(report).toMatchFileSnapshot('api-report.md');
});

describe('every public name has a docstring and a stability tag', () => {
  test.each(entries)('%s', (_, file) => {
    const missing = namesOf(file).flatMap((name) => {
      const found = declarationsOf(file, name);
      const docs = found.map((one) => one.docs).join('\n');
      const where = found[0] ? relative(join(root, 'dist'), found[0].file).replace('.d.ts', '.ts') : 'nowhere';
      const hasWords = docs.replaceAll(/@\w+/g, '').replaceAll(/[*\s]/g, '') !== '';
      if (!hasWords) return [`${name} (${where}) has no docstring`];
      return /@(public|experimental)\b/.test(docs) ? [] : [`${name} (${where}) has neither @public nor @experimental`];
    });
    expect(missing).toEqual([]);
  });
});

/** For every exported name: its docstring, with those of its members, and whether a program can use it as a value. */
const faces = new Map(
  entries.flatMap(([, file]) =>
    namesOf(file).map((name) => {
      const found = declarationsOf(file, name);
      const docs = found.map((one) => one.docs).join('\n');
      const isValue = found.some(({ text }) => /^export declare (abstract )?(class|function|const) /.test(text));
      return [name, { docs, isValue, whole: [docs, ...found.flatMap(({ inner }) => inner)].join('\n') }] as const;
    }),
  ),
);
const exampleIn = (text: string): string =>
  [...text.matchAll(/@example\b[^]*?```ts([^]*?)```/g)].map(([, code]) => code!).join('\n');
const examples = [...faces.values()].map(({ whole }) => exampleIn(whole)).join('\n');

/** By an import: `close` of an object is not the effect of that name. */
const imported = new Set([...examples.matchAll(/import \{([^}]*)\}/g)].flatMap(([, names]) => names!.match(/\w+/g)!));
const isShown = (name: string): boolean => imported.has(name) || exampleIn(faces.get(name)?.whole ?? '') !== '';

/** `examples.deep.ts` runs the examples. */
test('every value is in an example, or names its maker or user that is', () => {
  const values = [...faces].filter(([, { isValue }]) => isValue);
  const without = values.filter(
    ([name, { docs }]) =>
      !isShown(name) && ![...docs.matchAll(/`(\w+)/g)].some(([, other]) => faces.has(other!) && isShown(other!)),
  );
  expect(without.map(([name]) => name)).toEqual([]);
  expect([isShown('createLocks'), isShown('arm'), isShown('lokcs')]).toEqual([true, true, false]);
});
