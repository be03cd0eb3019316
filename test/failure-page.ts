/**
 * The page that a failing test leaves behind: what happened, in the inspector, as one file in the folder `quiver-failures`.
 *
 * Tests run in browsers, too, where nothing can be written, so what writes is loaded when something has failed. Whatever goes wrong
 * with the page is not a failure of the test: then there is none.
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

/** No literal where it is imported: what bundles for a browser must not follow it. */
const WRITER: string = '../inspector/exports/failure-page.js';

/** The page of a run, by its path; `null` where none can be written. */
export async function pageOfRun(name: string, lines: () => Iterable<TraceHeader | TraceLine>): Promise<string | null> {
  try {
    const { writeFailurePage } = (await import(
      /* @vite-ignore */ WRITER
    )) as typeof import('../inspector/exports/failure-page.js');
    return writeFailurePage(name, lines());
  } catch {
    return null;
  }
}

/** The page of paths through charts, by its path; `null` where none can be written. */
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

/** Expects no failures. If there are some, the page is written after them. */
export function expectNone(
  expect: Expect,
  failures: readonly string[],
  page: () => Promise<string | null>,
): void | Promise<void> {
  if (failures.length === 0) return expect(failures).toEqual([]);
  return page().then((path) => expect([...failures, ...(path === null ? [] : [`see it: ${path}`])]).toEqual([]));
}
