/** Runs Z3, an automatic theorem prover (Debian package `z3`), and returns its answers. */
import { spawnSync } from 'node:child_process';

export type Answer = 'unsat' | 'sat' | 'unknown';

/** Effort for one question, in the solver's own units: the same answer on every machine. The longest proof needs less than a tenth. */
const EFFORT_MAX = 200_000_000;

export const MISSING = 'Z3 is not installed. Install the Debian package z3.';

export const hasSolver = (): boolean => spawnSync('z3', ['--version']).status === 0;

/**
 * Asks questions about one theory, in one process.
 *
 * @param theory declarations and assertions that all questions share.
 * @param questions further assertions of each question.
 * @returns the answer to each: `unsat` proves that no state satisfies all of them.
 * @throws Error if Z3 is missing or rejects the script.
 */
export function solve(theory: string, questions: readonly string[]): Answer[] {
  const asked = questions.map((question) => `(push)\n${question}\n(check-sat)\n(pop)`);
  const input = [`(set-option :rlimit ${EFFORT_MAX})`, theory, ...asked].join('\n');
  const { stdout, error, status } = spawnSync('z3', ['-in'], { input, encoding: 'utf8' });
  if (error) throw new Error(MISSING, { cause: error });
  const answers = stdout.trim().split('\n');
  const wrong = answers.find((line) => !isAnswer(line));
  if (status !== 0 || wrong !== undefined || answers.length !== questions.length)
    throw new Error(
      `The prover Z3 rejected the formulas of the proof: ${wrong ?? `${answers.length} answers to ${questions.length} questions`}.`,
    );
  return answers as Answer[];
}

const isAnswer = (line: string): boolean => line === 'unsat' || line === 'sat' || line === 'unknown';
