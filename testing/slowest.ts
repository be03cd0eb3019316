/** Prints the twenty slowest test files of a run, the slowest first: seconds of setup, imports and tests. */
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const PRINTED = 20;

function secondsOf(file: TestModule): number {
  const { environmentSetupDuration, prepareDuration, setupDuration, collectDuration, duration } = file.diagnostic();
  return (environmentSetupDuration + prepareDuration + setupDuration + collectDuration + duration) / 1_000;
}

export class SlowestFiles implements Reporter {
  onTestRunEnd(files: readonly TestModule[]): void {
    // A run of a few files prints the seconds of each file anyway.
    if (files.length <= PRINTED) return;
    const rows = files
      .map((file) => ({ name: relative(process.cwd(), file.moduleId), seconds: secondsOf(file) }))
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, PRINTED);
    console.log(`\nThe ${PRINTED} slowest files:`);
    for (const { name, seconds } of rows) console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
  }
}
