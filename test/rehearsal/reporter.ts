/**
 * For Vitest: what a failed rehearsal leaves behind, and how far a long one is.
 *
 * The matcher `toHold` hands the failure to the test that it fails, as Vitest's `meta`, and the reporter writes it to a file. How far a
 * rehearsal is stands in a file of its process, because Vitest brings nothing of a test that is under way but its output; it is written
 * only where a reporter on a terminal has asked for it.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setInterval } from 'node:timers';
import { threadId } from 'node:worker_threads';
import { isObject } from '../../machines/checks.js';
import type { RehearsalFailure } from './failure.js';
import { realNow } from './here.js';

/** The folder in which rehearsals say how far they are. */
const PROGRESS = 'QUIVER_REHEARSAL_PROGRESS';
/** Between two words of one rehearsal, and between two lines on the terminal. */
const WORD_MS = 1_000;
const LINE_MS = 5_000;

/** What is used of a test of Vitest. */
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
 * A reporter for Vitest, beside the one that you use: of a test that `toHold` has failed it saves the failure, and says what shows it and
 * what keeps it as a test. On a terminal it says how far a long rehearsal is, and in a pipe it does not.
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
  private readonly told: string[] = [];

  /** @param folder where failures are saved; it is made with the first. */
  constructor(private readonly folder = 'rehearsal-failures') {}

  /** Called by Vitest. */
  onTestRunStart(): void {
    if (process.stdout.isTTY) this.progress = new RehearsalProgress(process.stdout);
  }

  /** Called by Vitest. */
  onTestCaseResult(test: ReportedTest): void {
    const { rehearsal } = test.meta() as { readonly rehearsal?: RehearsalFailure };
    if (test.result().state !== 'failed' || !isObject(rehearsal)) return;
    const { judge, description, seed } = rehearsal;
    const file = join(this.folder, `${fileNameOf(test.fullName)}-${seed}.json`);
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(file, JSON.stringify(rehearsal));
    this.told.push(
      `\n rehearsal  ${test.fullName}\n   ${judge}: ${description}\n` +
        `   saved as   ${file}, of seed ${seed}\n` +
        `   shown by   npx quiver explore ${file}\n` +
        `   kept by    expect(await rehearse({ ...options, replay: JSON.parse(readFileSync('${file}', 'utf8')) }, main)).toHold();\n`,
    );
  }

  /** Called by Vitest. */
  onTestRunEnd(): void {
    this.progress?.end();
    for (const text of this.told.splice(0)) process.stdout.write(text);
  }
}

/** Says on a terminal how far rehearsals are that have begun since. */
export class RehearsalProgress {
  private readonly folder = mkdtempSync(join(tmpdir(), 'quiver-rehearsals-'));
  private readonly looking: NodeJS.Timeout;
  private last = '';

  constructor(private readonly terminal: Terminal) {
    process.env[PROGRESS] = this.folder;
    this.looking = setInterval(() => this.look(), LINE_MS).unref();
  }

  /** Nothing is said twice. */
  look(): void {
    const words = readdirSync(this.folder).map((file) => readFileSync(join(this.folder, file), 'utf8'));
    const line = words.filter(Boolean).sort().join(', ');
    if (line !== '' && line !== this.last) this.terminal.write(`rehearsing: ${line}\n`);
    this.last = line;
  }

  end(): void {
    clearInterval(this.looking);
    delete process.env[PROGRESS];
    rmSync(this.folder, { recursive: true });
  }
}

/** What a rehearsal calls after each run: says how far it is, where somebody has asked. */
export function progressOf(first: number, count: number): (done: number) => void {
  const folder = process.env[PROGRESS];
  if (folder === undefined) return () => {};
  const file = join(folder, `${process.pid}-${threadId}`);
  let last = realNow();
  return (done) => {
    if (done === count) return rmSync(file, { force: true });
    if (realNow() - last < WORD_MS) return;
    last = realNow();
    writeFileSync(file, `${first + done} of ${first + count} runs`);
  };
}
