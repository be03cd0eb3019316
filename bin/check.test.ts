/** `quiver check` as a user meets it: its ways to search, each in a process of its own. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';

const program = fileURLToPath(new URL('../dist/bin/quiver.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'quiver-check-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const path = join(folder, 'star.json');
const star = {
  protocol: 'directory',
  topology: { kind: 'star', n: 4 },
  options: { policy: 'ivy' },
  workload: { concurrent: 2, requests: 3 },
};
writeFileSync(path, JSON.stringify(star));

function check(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'check', path, ...args, '--json'], {
    encoding: 'utf8',
  });
  const reports = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return { status, reports, stderr };
}

/** What does not depend on how fast it went and how much it took. */
const counts = ({ meters: _, ...report }: Record<string, unknown>) => report;

describe('quiver check', () => {
  test('two threads have the report of one', () => {
    const [one] = check().reports;
    const [two] = check('--cores', '2').reports;
    expect(counts(two)).toEqual(counts(one));
    expect(one).toMatchObject({ verdict: 'valid', doomed: 0 });
    expect(one.meters.map(({ name }: { name: string }) => name)).toEqual([
      'interpreterCalls',
      'bytesPerState',
      'processBytes',
      'transitionsPerSecond',
    ]);
  });

  test('symmetry, with promises left out and refused with them', () => {
    const [all] = check('--safety').reports;
    const [found] = check('--safety', '--reduce', 'symmetry').reports;
    expect(found).toMatchObject({ verdict: 'valid', summary: { symmetries: 6 } });
    expect(found.states).toBeLessThan(all.states / 2);
    const { status, stderr } = check('--reduce', 'symmetry');
    expect(status).toBe(64);
    expect(stderr).toMatch('quiver: symmetry cannot judge "every request is served"');
  });

  test('every graph of three nodes', () => {
    const { status, reports } = check('--graphs', '3');
    expect(status).toBe(0);
    expect(reports.map(({ verdict }) => verdict)).toEqual(['valid', 'valid', 'valid']);
  });

  test.each([
    [['--search', 'wide'], '--search is "wide"; choose breadth or depth'],
    [['--reduce', 'all'], '--reduce is "all"; choose symmetry or order'],
    [['--graphs', '7'], 'give a number from 1 to 5'],
    [['--cores', 'two'], '--cores is "two"'],
    [['--cores', '0'], '--cores is 0; give at least 1'],
    [['--states=-5'], '--states is -5; give at least 1'],
  ])('%s is refused', (args, message) => {
    const { status, stderr } = check(...args);
    expect(status).toBe(64);
    expect(stderr).toMatch(message);
  });
});
