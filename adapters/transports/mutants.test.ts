/** Each mutant must fit the source. If a rule changes, this test shows that mutants.fixture.ts still quotes its old code. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutants } from './mutants.fixture.js';

test('each mutant matches one place of the source', () => {
  const astray = mutants.filter(([, file, code]) => readFileSync(`adapters/${file}`, 'utf8').split(code).length !== 2);
  expect(astray.map(([rule]) => rule)).toEqual([]);
});
