/** The output of Vitest with the reporter of rehearsals, in a pipe and in a terminal. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkFailure } from './failure.js';
import { rehearse } from './rehearse.js';
import { RehearsalProgress, progressOf } from './reporter.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

function runVitest(folder: string): Promise<string> {
  const config = 'testing/rehearsal/reported/vitest.config.ts';
  const { QUIVER_REHEARSAL_PROGRESS: _, ...env } = process.env;
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', '--config', config, '--no-color'],
      { cwd: root, env: { ...env, FOLDER: folder, VITEST: undefined } as NodeJS.ProcessEnv },
      (_, stdout, stderr) => resolve(stdout + stderr),
    ),
  );
}

test('saves a failed rehearsal, prints how to use it, and no progress in a pipe', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-reporter-'));
  try {
    const reported = await runVitest(folder);
    expect(readdirSync(folder)).toEqual(['no-card-is-charged-twice-1.json']);
    const file = join(folder, 'no-card-is-charged-twice-1.json');
    const { judge, seed } = checkFailure(JSON.parse(readFileSync(file, 'utf8')));
    expect([judge, seed]).toEqual(['charged once', 1]);
    expect(reported).toContain('rehearsal  no card is charged "twice"\n   charged once: "charged once" does not hold\n');
    expect(reported).toContain(`saved as   ${file}, of seed 1\n`);
    expect(reported).toContain(`npx quiver explore ${file}\n`);
    expect(reported).toContain(`replay: JSON.parse(readFileSync('${file}', 'utf8')) }, main)).toHold();`);
    expect(reported.match(/saved as/g)).toHaveLength(1);
    expect(reported).toContain('2 failed | 2 passed');
    expect(reported).not.toContain('rehearsing');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('prints the progress of a long rehearsal on a terminal, each line once', async () => {
  const reported: string[] = [];
  const progress = new RehearsalProgress({ write: (text) => reported.push(text) });
  try {
    const begun = performance.now();
    const judge = { name: 'looks', begin: () => ({ end: () => void (performance.now() - begun > 1_000 && progress.look()) }) };
    let runs = 0;
    const slow = () => {
      runs++;
      const until = performance.now() + 400;
      while (performance.now() < until);
    };
    await rehearse({ runs: 6, seconds: 1, faults: [], judges: [judge, { name: 'slow', begin: () => (slow(), {}) }] }, () => {});
    expect(runs).toBe(7);
    expect(reported.length).toBeGreaterThan(0);
    expect(new Set(reported).size).toBe(reported.length);
    for (const line of reported) expect(line).toMatch(/^rehearsing: [1-5] of 6 runs\n$/);
    const lines = reported.length;
    progress.look();
    expect(reported).toHaveLength(lines);
  } finally {
    progress.end();
  }
  expect(progressOf(0, 5)(1)).toBeUndefined();
});
