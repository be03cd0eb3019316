/**
 * The generated tests of a protocol, for Vitest or any runner of the same shape:
 *
 * ```ts
 * import { describe, expect, test } from 'vitest';
 * describeProtocol(directory, { describe, test, expect });
 * ```
 *
 * For every sample of every chart, the shortest, the simple and the tour's paths are walked on live actors and on bare snapshots; and
 * everything in the charts is covered by them or cannot be reached for a reason that the protocol gives.
 */
import type { Protocol } from '../machines/protocol.js';
import { coverageReport } from './coverage/report.js';
import { graphsOf, type ChartGraph } from './paths/graph.js';
import { pathKinds, pathsOf } from './paths/paths.js';
import { coverageOf, firstFailure, hostKinds, PATIENCE } from './paths/suite.js';
import { describeDifference } from './paths/walk.js';

export interface Runner {
  describe(name: string, body: () => void): unknown;
  test(name: string, body: () => void): unknown;
  expect(actual: unknown): { toEqual(expected: unknown): void };
}

export function describeProtocol(protocol: Protocol, { describe, test, expect }: Runner): void {
  let known: readonly ChartGraph[] | undefined;
  const graphs = () => (known ??= graphsOf(protocol, PATIENCE));
  const starts = Object.entries(protocol.samples).flatMap(([chart, samples]) => samples.map((_, start) => ({ chart, start })));
  describe(`${protocol.name}: its charts, walked`, () => {
    for (const { chart, start } of starts) {
      for (const kind of pathKinds) {
        test(`${chart}, start ${start}: ${kind} paths`, () => {
          const graph = graphs().find((one) => one.chart === chart && one.start === start)!;
          const paths = pathsOf(graph, kind);
          const failures = hostKinds.map((host) => firstFailure(protocol, paths, host));
          expect(
            failures.flatMap((found) => (found ? [`on ${found.host}, ${describeDifference(found.difference)}`] : [])),
          ).toEqual([]);
        });
      }
    }
    test('states, transitions, guards both ways and events are covered', () => {
      const { missing, refuted } = coverageReport(coverageOf(protocol, graphs()));
      const gaps = missing.filter(({ isExplained }) => !isExplained);
      expect(gaps.map(({ chart, item, reason }) => `${chart}: ${item} (${reason})`)).toEqual([]);
      expect(refuted).toEqual([]);
    });
  });
}
