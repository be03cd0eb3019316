/** A mutant that no longer fits the source or its test shows nothing: these tests name the entries of mutants.fixture.ts to correct. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutants } from './mutants.fixture.js';

test('each mutant changes one place of the source as it is', () => {
  const astray = mutants.filter(([, file, code]) => readFileSync(`test/machine/${file}`, 'utf8').split(code).length !== 2);
  expect(astray.map(([rule]) => rule)).toEqual([]);
});

/** True if a file has a test of this name: as it stands, or with a value in the place of %s. */
function hasTest(file: string, name: string): boolean {
  const text = readFileSync(`test/machine/${file}`, 'utf8');
  const parts = text
    .split('%s')
    .slice(0, -1)
    .map((left, i) => [left, text.split('%s')[i + 1]!] as const);
  const cuts = Array.from(name, (_, i) => i + 1);
  const fits = ([left, right]: readonly [string, string]) =>
    cuts.some((i) => left.endsWith(name.slice(0, i)) && cuts.some((j) => j > i && right.startsWith(name.slice(j))));
  return text.includes(name) || parts.some(fits);
}

test('each mutant names a test that exists', () => {
  const astray = mutants.filter(([, , , , file, name]) => !hasTest(file, name));
  expect(astray.map(([rule]) => rule)).toEqual([]);
});
