/** The demonstration as its reader runs it, and the machines under faults in virtual time. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { rehearse } from 'xstate-quiver/rehearsal';
import { careful, careless, impatient } from './rehearsal.js';

const here = (name: string) => join(import.meta.dirname, name);

test('the demonstration prints what the page shows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-actors-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const printed = execFileSync(process.execPath, [here('demo.js')], { cwd: folder, encoding: 'utf8', timeout: 600_000 });
  expect(readFileSync(here('README.md'), 'utf8')).toContain(`\`\`\`\n${printed}\`\`\``);
});

test('calls have one key and steps count once, in twenty schedules', async () => {
  const { main, ...options } = careful;
  expect((await rehearse({ ...options, runs: 20 }, main)).failure).toBeNull();
});

test.each([
  ['new keys for repeated calls', careless, 'a call has one key'],
  ['a player that repeats a step too early', impatient, 'each step is counted once'],
])('%s: found', async (_, { main, ...options }, judge) => {
  expect((await rehearse({ ...options, runs: 40, shrinkSeconds: 0 }, main)).failure?.judge).toBe(judge);
});
