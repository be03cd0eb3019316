/** Every row of docs/errata.md has a command whose files are there; errata.deep.ts runs them. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errata } from './errata.fixture.js';

test('every row has a command, and the scenarios and tests that it names are there', () => {
  expect(errata.length).toBe(15);
  expect(errata.filter(({ command }) => command === undefined)).toEqual([]);
  for (const { command } of errata) {
    const files = command!.match(/\S+\.(json|ts)/g) ?? [];
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    const [, file, name] = /run (\S+) -t "([^"]+)"/.exec(command!) ?? [];
    if (file) expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`(test|describe)\\('${name}[,:]`));
  }
});
