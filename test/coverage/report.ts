/**
 * The coverage report: the share of covered items of each kind, and the name of every uncovered item with a reason.
 *
 * The tests of a protocol may give reasons why an item cannot be reached. Any other uncovered item is a gap, and so is a reason for an item
 * that is covered.
 */
import type { Protocol } from '../../machines/protocol.js';
import { ALWAYS } from '../charts/config.js';
import type { Coverage } from './coverage.js';
import { guardItem, kindOf, coverageKinds, sharesOf, type Item, type CoverageKind } from './items.js';

/**
 * Why a part of a chart cannot be reached, or a mutant of one does the same as the chart: by the names of the test reports, the chart
 * in front of each. They are test data and no part of a protocol.
 *
 * @public
 */
export type Reasons = Readonly<Record<string, string>>;

export interface Missing {
  readonly chart: string;
  readonly item: Item;
  readonly reason: string;
  /** True if a reason is given why it cannot be reached. */
  readonly isExplained: boolean;
}

export interface CoverageReport {
  readonly charts: Readonly<Record<string, Readonly<Record<CoverageKind, { readonly covered: number; readonly of: number }>>>>;
  /** Charts without samples here: those of another protocol are tested with that. */
  readonly leftOut: readonly string[];
  readonly missing: readonly Missing[];
  /** Reasons that are given for what was covered. */
  readonly refuted: readonly string[];
  /** Everything that can be reached was. */
  readonly isComplete: boolean;
}

/**
 * The coverage of a protocol's charts by kind, and the name of every uncovered item with a reason.
 *
 * @param coverage the items that were covered, from `coverageOf`.
 * @param reasons Explanations why items cannot be reached. A reason for a covered item is reported as refuted.
 * @returns the covered and total items by kind, and the names of uncovered ones.
 * @example
 * ```ts
 * import { directory } from 'xstate-quiver/machines';
 * import { coverageOf, coverageReport, graphsOf } from 'xstate-quiver/check';
 *
 * const { charts, missing } = coverageReport(coverageOf(directory, graphsOf(directory, 40)));
 * console.log(charts, missing);
 * ```
 * @public
 */
export function coverageReport(coverage: Coverage, reasons: Reasons = {}): CoverageReport {
  const { protocol } = coverage;
  const names = ownCharts(protocol);
  const missing = names.flatMap((chart) => missingIn(chart, coverage, reasons));
  const covered = names.flatMap((chart) =>
    [...coverage.of(chart)].filter(([, n]) => n > 0).map(([item]) => reasonKey(chart, item)),
  );
  const refuted = covered.filter((key) => reasons[key] !== undefined);
  return {
    charts: Object.fromEntries(names.map((chart) => [chart, sharesOf(coverageKinds, coverage.of(chart))])),
    leftOut: Object.keys(protocol.charts).filter((chart) => !names.includes(chart)),
    missing,
    refuted,
    isComplete: refuted.length === 0 && missing.every(({ isExplained }) => isExplained),
  };
}

/** The charts under test: those with samples, or all if there are none. In the latter case, walks have to cover everything. */
export function ownCharts({ charts, samples }: Protocol): readonly string[] {
  const sampled = Object.keys(charts).filter((chart) => Object.hasOwn(samples, chart));
  return sampled.length === 0 ? Object.keys(charts) : sampled;
}

/** The key under which the reason for an uncovered item or a surviving mutant is stored. */
export const reasonKey = (chart: string, name: string): string => `${chart}: ${name}`;

function missingIn(chart: string, coverage: Coverage, reasons: Reasons): Missing[] {
  const counts = coverage.of(chart);
  const missing = [...counts].filter(([, n]) => n === 0);
  return missing.map(([item]) => {
    const reason = reasons[reasonKey(chart, item)];
    return { chart, item, reason: reason ?? findReason(item, counts), isExplained: reason !== undefined };
  });
}

/** The reason why an item was never covered, according to the counts. */
export function findReason(item: Item, counts: ReadonlyMap<Item, number>): string {
  const name = item.slice(item.indexOf(' ') + 1);
  switch (kindOf(item)) {
    case 'state':
      return 'no transition into it was taken';
    case 'event':
      return 'no run sent it in a state with a transition for it';
    case 'sent':
      return 'no system sent it';
    case 'received':
      return 'no system delivered it in a state with a transition for it';
    case 'guard': {
      const [transition] = name.split(' is ');
      const tries = (counts.get(guardItem(transition!, true)) ?? 0) + (counts.get(guardItem(transition!, false)) ?? 0);
      return tries > 0 ? `its guard never had this result (tries: ${tries})` : whyUntried(transition!, counts);
    }
    default:
      return (counts.get(guardItem(name, false)) ?? 0) > 0 ? 'its guard was never true' : whyUntried(name, counts);
  }
}

function whyUntried(transition: string, counts: ReadonlyMap<Item, number>): string {
  const [state, rest] = transition.split(': ');
  const [event] = rest!.split(' #');
  if (counts.get(`state ${state}`) === 0) return `state ${state} was never entered`;
  if (event !== ALWAYS && counts.get(`event ${event}`) === 0) return `no run sent the event ${event}`;
  return `${event} never came in ${state}, or another transition always took it first`;
}
