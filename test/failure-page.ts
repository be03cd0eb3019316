/**
 * The page of a failing test: the run in the inspector, as one file in the folder `quiver-failures`.
 *
 * Tests also run in browsers, which cannot write files, so the writer is loaded only after a failure. An error with the page does not fail
 * the test: then the page is missing.
 */
import type { PathViolation } from '../inspector/path-trace.js';
import type { Protocol } from '../machines/protocol.js';
import type { TraceHeader, TraceLine } from '../network/trace.js';
import type { Counts } from './coverage/coverage.js';
import type { Path } from './paths/paths.js';

/** The walked charts, their paths, their coverage, and the violation. */
export interface ShownPaths {
  readonly of: Pick<Protocol, 'name' | 'charts'>;
  readonly paths: readonly Pick<Path, 'chart' | 'first' | 'steps'>[];
  readonly coverage: Counts;
  readonly broken?: PathViolation;
}

/** Not a literal import, so that bundlers for browsers do not follow it. */
const WRITER: string = '../inspector/exports/failure-page.js';

/** Writes the page of a run and returns its path; `null` if it cannot be written. */
export async function pageOfRun(name: string, lines: () => Iterable<TraceHeader | TraceLine>): Promise<string | null> {
  try {
    const writer: typeof import('../inspector/exports/failure-page.js') = await import(/* @vite-ignore */ WRITER);
    return writer.writeFailurePage(name, lines());
  } catch {
    return null;
  }
}

/** Writes the page of paths through charts and returns its path; `null` if it cannot be written. */
export async function pageOfPaths(name: string, shown: () => ShownPaths | Promise<ShownPaths>): Promise<string | null> {
  try {
    const { traceOfPaths } = await import('../inspector/path-trace.js');
    const { of, paths, coverage, broken } = await shown();
    return await pageOfRun(name, () => traceOfPaths(of, paths, coverage, broken));
  } catch {
    return null;
  }
}

type Expect = (actual: unknown) => { toEqual(expected: unknown): void };

/** Expects that there are no failures. Otherwise it writes the page first, and adds its address to the failures. */
export function expectNone(
  expect: Expect,
  failures: readonly string[],
  page: () => Promise<string | null>,
): void | Promise<void> {
  if (failures.length === 0) return expect(failures).toEqual([]);
  return page().then((path) => expect([...failures, ...(path === null ? [] : [`see it: ${path}`])]).toEqual([]));
}
