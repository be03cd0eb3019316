/**
 * Mutation testing of one slice, with Stryker: `npm run mutation -- SLICE`, or `npm run mutation -- SLICE --again` while tests are being
 * written, which tries only what the last run left alive or what has changed.
 *
 * Prints each mutant that no test notices, and writes all results to `results/`, which is not part of the repository.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';
import { resultsOf } from './results.mjs';
import { slices } from './slices.mjs';

const [name, again] = process.argv.slice(2);
const slice = slices[name];
if (!slice || (again !== undefined && again !== '--again')) {
  console.error(`npm run mutation -- SLICE [--again], and a slice is one of ${Object.keys(slices).join(', ')}`);
  process.exit(64);
}
process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const missing = [...slice.files, ...slice.tests].filter((file) => !existsSync(file));
if (missing.length > 0) {
  console.error(`slice ${name} in mutation/slices.mjs names ${missing.join(', ')}, and there is no such file`);
  process.exit(64);
}
process.env.MUTATION_SLICE = name;

const temporary = path.join(tmpdir(), `quiver-mutation-${process.pid}`);
const before = path.join('mutation', '.again', `${name}.json`);
mkdirSync(path.dirname(before), { recursive: true });

const tooLong = setTimeout(() => {
  console.error(
    `slice ${name} has not ended in ${slice.minutes} minutes: nothing is recorded; give it fewer files, or quicker tests`,
  );
  rmSync(temporary, { recursive: true, force: true });
  process.exit(1);
}, slice.minutes * 60_000);

const begun = Date.now();
const mutants = await new Stryker({
  mutate: slice.files,
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'mutation/vitest.config.mjs', related: false },
  coverageAnalysis: 'perTest',
  incremental: true,
  force: again === undefined,
  incrementalFile: before,
  concurrency: 1,
  timeoutMS: 20_000,
  tempDirName: temporary,
  cleanTempDir: 'always',
  ignorePatterns: ['dist', 'docs', 'site', 'mutation/node_modules', 'mutation/.again'],
  disableTypeChecks: false,
  tsconfigFile: 'none',
  allowConsoleColors: false,
  logLevel: 'warn',
  reporters: ['progress-append-only'],
}).runMutationTest();
clearTimeout(tooLong);

const results = resultsOf(slice, mutants);
mkdirSync('mutation/results', { recursive: true });
writeFileSync(`mutation/results/${name}.json`, `${JSON.stringify(results, null, 2)}\n`);
for (const [file, { killed, alive }] of Object.entries(results)) {
  for (const mutant of alive) console.log(`${file}:${mutant}`);
  console.log(`${file}: ${killed} of ${killed + alive.length} killed`);
}
console.log(`${name}: ${mutants.length} mutants in ${Math.round((Date.now() - begun) / 1000)} s`);
