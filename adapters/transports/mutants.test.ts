/** A mutant that fits the source no longer shows nothing: whoever changes a rule sees here that mutants.fixture.ts knows its old words. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutants } from './mutants.fixture.js';

test('each mutant changes one place of the source as it is', () => {
  const astray = mutants.filter(([, file, code]) => readFileSync(`adapters/${file}`, 'utf8').split(code).length !== 2);
  expect(astray.map(([rule]) => rule)).toEqual([]);
});
