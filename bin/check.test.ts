/** `quiver check`: its ways to search, called as the program calls it; with two threads as the built program, which starts them. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { called } from './called.fixture.js';
import { runCommand } from './program.js';

const { complained, inFolder, printed } = called();

const program = fileURLToPath(new URL('../dist/bin/quiver.js', import.meta.url));

const star = {
  protocol: 'directory',
  topology: { kind: 'star', n: 4 },
  options: { policy: 'ivy' },
  workload: { concurrent: 2, requests: 3 },
};
const path = inFolder('star.json', JSON.stringify(star));

const reportsIn = (lines: readonly string[]): any[] => lines.map((line) => JSON.parse(line) as unknown);

async function check(...args: readonly string[]) {
  printed.length = 0;
  const status = await runCommand(['check', path, ...args, '--json']);
  return { status, reports: reportsIn(printed) };
}

/** The part of a report that does not depend on speed and memory. */
const counts = ({ meters: _, ...report }: Record<string, unknown>) => report;

describe('quiver check', () => {
  test.each([2, 4])('%i threads have the report of one', async (cores) => {
    const [one] = (await check('--safety')).reports;
    const found = spawnSync(process.execPath, [program, 'check', path, '--cores', `${cores}`, '--safety', '--json'], {
      encoding: 'utf8',
    });
    const [two] = reportsIn(found.stdout.trimEnd().split('\n'));
    expect(counts(two)).toEqual(counts(one));
    expect([found.stderr, one.verdict]).toEqual(['', 'valid']);
  });

  test('one thread checks liveness, with a notice if more are requested', async () => {
    const [one] = (await check()).reports;
    const found = spawnSync(process.execPath, [program, 'check', path, '--cores', '2', '--json'], { encoding: 'utf8' });
    const [two] = reportsIn(found.stdout.trimEnd().split('\n'));
    expect(counts(two)).toEqual(counts(one));
    expect(found.stderr).toContain('searched on one core: ');
    expect(one).toMatchObject({ verdict: 'valid', doomed: 0 });
    expect(one.meters.map(({ name }: { name: string }) => name)).toEqual([
      'interpreterCalls',
      'bytesPerState',
      'processBytes',
      'transitionsPerSecond',
    ]);
  });

  test('symmetry, with promises left out and refused with them', async () => {
    const [all] = (await check('--safety')).reports;
    const [found] = (await check('--safety', '--reduce', 'symmetry')).reports;
    expect(found).toMatchObject({ verdict: 'valid', summary: { symmetries: 6 } });
    expect(found.states).toBeLessThan(all.states / 2);
    expect((await check('--reduce', 'symmetry')).status).toBe(64);
    expect(complained.join()).toMatch('quiver: Symmetry reduction cannot check the liveness property "every request is served"');
  });

  test('hashes instead of states: same counts, the probability of a miss, no liveness', async () => {
    const [all] = (await check('--safety')).reports;
    const [found] = (await check('--safety', '--compact')).reports;
    const { chanceOfMiss, ...summary } = found.summary;
    expect({ ...counts(found), summary }).toEqual(counts(all));
    expect(chanceOfMiss).toBe((all.states * (all.states - 1)) / 2 ** 65);
    printed.length = 0;
    await runCommand(['check', path, '--safety', '--compact']);
    const power = Math.ceil(Math.log2(chanceOfMiss));
    expect(printed[0]).toMatch(`valid up to 2^${power}  `);
    expect(printed.join('\n')).toMatch(
      `  compact     2^${power}, maximum probability that a state was missed, because 64-bit hashes replace states`,
    );
    expect((await check('--compact')).status).toBe(64);
    expect(complained.join()).toMatch('Hash compaction cannot check the liveness property "every request is served"');
  });

  test('every graph of three nodes', async () => {
    const { status, reports } = await check('--graphs', '3');
    expect(status).toBe(0);
    expect(reports.map(({ verdict }) => verdict)).toEqual(['valid', 'valid', 'valid']);
  });

  test('a failure on a graph can be kept by the command that it prints', async () => {
    const lossy = inFolder('lossy.json', JSON.stringify({ ...star, network: { loss: 0.1 } }));
    expect(await runCommand(['check', lossy, '--graphs', '2'])).toBe(1);
    const [, again] = /keep it: {2}npx quiver (.*)/.exec(printed.join('\n'))!;
    expect(again).toBe(`check ${lossy} --graphs 2 --trace failure.ndjson`);
    const kept = again!.replace('failure.ndjson', inFolder('kept.ndjson'));
    expect(await runCommand(kept.split(' '))).toBe(1);
    expect(existsSync(inFolder('kept.ndjson'))).toBe(true);
  });

  test('an unknown protocol: the error names the option for your own', async () => {
    expect(await runCommand(['check', inFolder('own.json', '{ "protocol": "lonk" }')])).toBe(64);
    expect(complained.join()).toMatch(/Did you mean "link"\? Known: .*\. For your own protocol, add --protocol FILE\.$/);
  });

  test.each([
    [['--search', 'wide'], '--search is "wide". Choose breadth or depth.'],
    [['--reduce', 'all'], '--reduce is "all". Choose symmetry.'],
    [['--graphs', '7'], 'Pass a number from 1 to 5'],
    [['--cores', 'two'], '--cores is "two"'],
    [['--cores', '0'], '--cores is 0. Pass at least 1'],
    [['--states=-5'], '--states is -5. Pass at least 1'],
  ])('%s is refused', async (args, message) => {
    expect((await check(...args)).status).toBe(64);
    expect(complained.join()).toMatch(message);
  });
});
