/** The functions that generated tests need from a test runner. Vitest, Jest, Bun and others provide them. */
import { UsageError } from '../machines/errors.js';
import { fieldsOf } from '../machines/checks.js';

/** A test runner, for tests of which most are synchronous. */
export interface Runner {
  describe(name: string, body: () => void): unknown;
  /** A test that fails returns a promise, because it writes a page. */
  test(name: string, body: () => void | Promise<void>): unknown;
  expect(actual: unknown): { toEqual(expected: unknown): void };
}

/** A test runner whose tests are asynchronous and have a timeout. */
export interface AsyncRunner extends Omit<Runner, 'test'> {
  test(name: string, body: () => Promise<void>, timeoutMs: number): unknown;
}

/** Throws a `UsageError` if a function of the runner is missing. */
export function requireRunner(who: string, runner: unknown, functions: readonly string[]): void {
  const words = functions.join(', ');
  const missing = functions.find((name) => typeof fieldsOf(runner)[name] !== 'function');
  if (missing !== undefined)
    throw new UsageError(`${who} has no ${missing}; hand over { ${words} }, as in import { ${words} } from 'vitest'`);
}
