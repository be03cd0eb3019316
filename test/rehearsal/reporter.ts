/**
 * A reporter for Vitest: saves failures of rehearsals, and shows the progress of long ones.
 *
 * The matcher `toHold` attaches the failure to its test as Vitest's `meta`, and the reporter writes it to a file. Progress is exchanged in a
 * file for each process, because Vitest transfers nothing of a running test except its output. The file is written only if a
 * reporter on a terminal has requested it.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setInterval } from 'node:timers';
import { threadId } from 'node:worker_threads';
import { isObject } from '../../machines/checks.js';
import type { RehearsalFailure } from './report.js';
import { realNow } from './here.js';

/** The variable with the folder for progress files. */
const PROGRESS = 'QUIVER_REHEARSAL_PROGRESS';
/** Milliseconds between two updates of one rehearsal, and between two lines on the terminal. */
const UPDATE_MS = 1_000;
const LINE_MS = 5_000;

/** The members of a Vitest test that are used. */
interface ReportedTest {
  readonly fullName: string;
  meta(): object;
  result(): { readonly state: string };
}

interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const fileNameOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 80);

/**
 * A reporter for Vitest, in addition to the one that you use. If `toHold` fails a test, it saves the failure and prints how to show it and
 * how to keep it as a test. On a terminal it also prints the progress of long rehearsals.
 *
 * @example
 * ```ts
 * import { defineConfig } from 'vitest/config';
 * import { RehearsalReporter } from 'xstate-quiver/rehearsal';
 *
 * export default defineConfig({ test: { reporters: ['default', new RehearsalReporter('rehearsal-failures')] } });
 * ```
 * @experimental
 */
export class RehearsalReporter {
  private progress: RehearsalProgress | undefined;
  private readonly lines: string[] = [];

  /** @param folder where failures are saved; it is created with the first failure. Default: `rehearsal-failures`. */
  constructor(private readonly folder = 'rehearsal-failures') {}

  /** Called by Vitest. */
  onTestRunStart(): void {
    if (process.stdout.isTTY) this.progress = new RehearsalProgress(process.stdout);
  }

  /** Called by Vitest. */
  onTestCaseResult(test: ReportedTest): void {
    const { rehearsal }: { readonly rehearsal?: RehearsalFailure } = test.meta();
    if (test.result().state !== 'failed' || !isObject(rehearsal)) return;
    const { judge, description, seed } = rehearsal;
    const file = join(this.folder, `${fileNameOf(test.fullName)}-${seed}.json`);
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(file, JSON.stringify(rehearsal));
    this.lines.push(
      `\n rehearsal  ${test.fullName}\n   ${judge}: ${description}\n` +
        `   saved as   ${file}, of seed ${seed}\n` +
        `   shown by   npx quiver explore ${file}\n` +
        `   kept by    expect(await rehearse({ ...options, replay: JSON.parse(readFileSync('${file}', 'utf8')) }, main)).toHold();\n`,
    );
  }

  /** Called by Vitest. */
  onTestRunEnd(): void {
    this.progress?.end();
    for (const text of this.lines.splice(0)) process.stdout.write(text);
  }
}

/** Prints the progress of running rehearsals on a terminal. */
export class RehearsalProgress {
  private readonly folder = mkdtempSync(join(tmpdir(), 'quiver-rehearsals-'));
  private readonly timer: NodeJS.Timeout;
  private last = '';

  constructor(private readonly terminal: Terminal) {
    process.env[PROGRESS] = this.folder;
    this.timer = setInterval(() => this.look(), LINE_MS).unref();
  }

  /** Prints the progress if it has changed. */
  look(): void {
    const lines = readdirSync(this.folder).map((file) => readFileSync(join(this.folder, file), 'utf8'));
    const line = lines.filter(Boolean).sort().join(', ');
    if (line !== '' && line !== this.last) this.terminal.write(`rehearsing: ${line}\n`);
    this.last = line;
  }

  end(): void {
    clearInterval(this.timer);
    delete process.env[PROGRESS];
    rmSync(this.folder, { recursive: true });
  }
}

/** Returns the function that a rehearsal calls after each run to publish its progress, if a reporter has requested it. */
export function progressOf(first: number, count: number): (done: number) => void {
  const folder = process.env[PROGRESS];
  if (folder === undefined) return () => {};
  const file = join(folder, `${process.pid}-${threadId}`);
  let last = realNow();
  return (done) => {
    if (done === count) return rmSync(file, { force: true });
    if (realNow() - last < UPDATE_MS) return;
    last = realNow();
    writeFileSync(file, `${first + done} of ${first + count} runs`);
  };
}
