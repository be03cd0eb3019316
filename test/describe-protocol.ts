/**
 * The generated tests of a protocol, for Vitest or any runner with the same interface.
 *
 * For every sample of every chart, the tests walk the shortest, the simple and the tour's paths on live actors and on bare snapshots. They
 * also walk through every small system, over the bus. Together they cover all items of the charts, except for those with a reason in
 * `reasons`.
 */
import type { Protocol } from '../machines/protocol.js';
import { requireProtocol } from '../network/scenario/required.js';
import { coverageReport, type Reasons } from './coverage/report.js';
import { expectNone, pageOfPaths, pageOfRun } from './failure-page.js';
import { graphsOf, type ChartGraph } from './paths/graph.js';
import { pathKinds, pathsOf } from './paths/paths.js';
import { coverageOf, firstFailure, hostKinds, SEARCH_PATIENCE, shownFailure } from './paths/suite.js';
import { describeDifference } from './paths/walk.js';
import { requireRunner, type Runner } from './runner.js';
import { systemsOf } from './system/systems.js';
import { systemWalks } from './system/tours.js';
import { recordWalk, traceOfWalk, walkAgain } from './system/walk.js';

/**
 * Generated tests of a protocol: paths through its charts, walks through its small systems, and that both cover everything.
 *
 * @param protocol the protocol.
 * @param runner `describe`, `test` and `expect` of a test runner.
 * @throws UsageError if the protocol is invalid, or if the functions of a runner are missing.
 * @param reasons Explanations why items cannot be covered, by their names in the report.
 * @example
 * ```ts
 * import { describe, expect, test } from 'vitest';
 * import { directory } from 'xstate-quiver/machines';
 * import { describeProtocol } from 'xstate-quiver/check';
 *
 * describeProtocol(directory, { describe, test, expect });
 * ```
 * @public
 */
export function describeProtocol(protocol: Protocol, runner: Runner, reasons: Reasons = {}): void {
  requireProtocol('describeProtocol', protocol);
  requireRunner('describeProtocol(protocol, …)', runner, ['describe', 'test', 'expect']);
  const { describe, test, expect } = runner;
  let known: readonly ChartGraph[] | undefined;
  const graphs = () => (known ??= graphsOf(protocol, SEARCH_PATIENCE));
  let walked: ReturnType<typeof systemWalks> | undefined;
  const systems = () => (walked ??= systemWalks(protocol));
  const starts = Object.entries(protocol.samples).flatMap(([chart, samples]) => samples.map((_, start) => ({ chart, start })));
  describe(`${protocol.name}: its charts and systems, walked`, () => {
    for (const { chart, start } of starts) {
      for (const kind of pathKinds) {
        const name = `${chart}, start ${start}: ${kind} paths`;
        test(name, () => {
          const graph = graphs().find((one) => one.chart === chart && one.start === start)!;
          const paths = pathsOf(graph, kind);
          const failures = hostKinds.flatMap((host) => firstFailure(protocol, paths, host) ?? []);
          const description = failures.map(({ host, difference }) => `on ${host}, ${describeDifference(difference)}`);
          return expectNone(expect, description, () =>
            pageOfPaths(`${protocol.name} ${name}`, () => shownFailure(protocol, failures[0]!)),
          );
        });
      }
    }
    for (const { index } of systemsOf(protocol)) {
      const name = `system ${index}: walks over the bus`;
      test(name, () => {
        const walks = systems().walks.filter(({ system }) => system.index === index);
        const recorded = walks.map((walk) => recordWalk(walk, protocol));
        const failures = recorded.flatMap((walk) =>
          hostKinds.flatMap((host) => {
            const description = walkAgain(walk, protocol, host);
            return description === null ? [] : [{ description, lines: () => traceOfWalk(walk, protocol, host) }];
          }),
        );
        const description = failures.map((failure) => failure.description);
        return expectNone(expect, description, () => pageOfRun(`${protocol.name} ${name}`, failures[0]!.lines));
      });
    }
    test('states, transitions, guards both ways, events and messages are covered', () => {
      const coverage = coverageOf(protocol, graphs());
      coverage.merge(systems().coverage.toJSON());
      const { missing, refuted } = coverageReport(coverage, reasons);
      const gaps = missing.filter(({ isExplained }) => !isExplained);
      expect(refuted).toEqual([]);
      const description = gaps.map(({ chart, item, reason }) => `${chart}: ${item} (${reason})`);
      const paths = () => graphs().flatMap((graph) => pathsOf(graph, 'tour'));
      const shown = () => ({ of: protocol, paths: paths(), coverage: coverage.toJSON() });
      return expectNone(expect, description, () => pageOfPaths(`${protocol.name} coverage`, shown));
    });
  });
}
