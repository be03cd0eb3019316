/**
 * Breaks every rule of the generated tests of a machine, each once, in a copy of the source, and runs the test named for the rule, which
 * must fail. First the same tests must pass on the unchanged copy: a name without a test, or a test that always fails, kills no mutant.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mutants } from './mutants.fixture.js';

const FOLDER = 'test/machine';
const copy = mkdtempSync(join(tmpdir(), 'quiver-mutants-'));

beforeAll(() => {
  for (const part of ['machines', 'network', 'test', 'testing', 'package.json', 'tsconfig.json'])
    cpSync(part, join(copy, part), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  writeFileSync(
    join(copy, 'vitest.config.ts'),
    'export default { test: { pool: "threads", testTimeout: 60_000, expect: { poll: { timeout: 20_000 } } } };\n',
  );
});
afterAll(() => rmSync(copy, { recursive: true }));

/** Runs the tests of that name in the copy. */
async function run(testFile: string, testName: string): Promise<{ readonly passed: number; readonly failed: number }> {
  const args = ['run', '--root', copy, `${FOLDER}/${testFile}`, '-t', testName, '--reporter', 'json'];
  const child = spawn(process.execPath, [resolve('node_modules/vitest/vitest.mjs'), ...args], {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  await new Promise((ended) => child.once('close', ended));
  const report: { numPassedTests: number; numFailedTests: number } = JSON.parse(output.slice(output.indexOf('{"')));
  return { passed: report.numPassedTests, failed: report.numFailedTests };
}

const named = new Map(mutants.map(([, , , , testFile, testName]) => [`${testFile}: ${testName}`, [testFile, testName] as const]));

test.each([...named])('on the unchanged copy, %s passes', async (_, [testFile, testName]) => {
  const { passed, failed } = await run(testFile, testName);
  expect(failed).toBe(0);
  expect(passed).toBeGreaterThan(0);
});

test.each(mutants)('without the rule: %s, its test fails', async (_, file, code, broken, testFile, testName) => {
  const path = join(copy, FOLDER, file);
  const source = readFileSync(path, 'utf8');
  expect(source.split(code)).toHaveLength(2);
  writeFileSync(
    path,
    source.replace(code, () => broken),
  );
  try {
    expect((await run(testFile, testName)).failed).toBeGreaterThan(0);
  } finally {
    writeFileSync(path, source);
  }
});
