/** A mutant that no longer fits the source shows nothing: this test names the entries of mutants.fixture.ts to correct. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutants } from './mutants.fixture.js';

test('each mutant changes one place of the source as it is', () => {
  const astray = mutants.filter(([, file, code]) => readFileSync(`test/machine/${file}`, 'utf8').split(code).length !== 2);
  expect(astray.map(([rule]) => rule)).toEqual([]);
});
