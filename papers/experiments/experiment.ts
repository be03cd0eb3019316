/**
 * An experiment: a run that reproduces a paper's tables from scratch and compares each figure with the expected number.
 *
 * `quiver paper NAME` prints the tables, marks each difference and then exits with 1; tests assert the same figures.
 */
import { drawPanels, type Drawing } from './drawing.js';
import { drawPlot } from './plot.js';

export interface TableCell {
  readonly value: number | string | null;
  readonly expected?: number | string | null;
  /** Comparison of `value` with `expected`. @defaultValue `equal` */
  readonly check?: 'equal' | 'atMost' | 'atLeast' | { readonly within: number };
}

export interface Table {
  readonly title: string;
  /** Headings; the first one is above the labels. */
  readonly columns: readonly string[];
  readonly rows: readonly { readonly label: string; readonly cells: readonly TableCell[] }[];
  /** One sentence on how to read it. */
  readonly note?: string;
}

/** Lines over a common axis, drawn as SVG by `quiver paper NAME --svg DIRECTORY`. */
export interface Plot {
  readonly name: string;
  readonly title: string;
  readonly x: { readonly label: string; readonly log?: boolean };
  readonly y: { readonly label: string; readonly log?: boolean };
  readonly series: readonly { readonly label: string; readonly points: readonly (readonly [number, number])[] }[];
}

/** Result of an experiment. */
export type Exhibit = Table | Plot | Drawing;

export interface Experiment {
  readonly name: string;
  readonly title: string;
  readonly paper: string;
  /** Yields each result when it is ready. Calls `progress` with the completed share, 0 to 1. */
  run(progress: (share: number) => void): Iterable<Exhibit>;
}

/** Number of compared figures in the tables, and of those that differ. */
export function tally(exhibits: readonly Exhibit[]): { readonly compared: number; readonly differing: number } {
  const answers = exhibits
    .flatMap((exhibit) => ('rows' in exhibit ? exhibit.rows : []))
    .flatMap(({ cells }) => cells.map(agrees))
    .filter((answer) => answer !== null);
  return { compared: answers.length, differing: answers.filter((answer) => !answer).length };
}

/** True if a cell agrees with its expected value; `null` without one. */
export function agrees({ value, expected, check = 'equal' }: TableCell): boolean | null {
  if (expected === undefined) return null;
  if (check === 'equal' || typeof value !== 'number' || typeof expected !== 'number') return value === expected;
  if (check === 'atMost') return value <= expected;
  if (check === 'atLeast') return value >= expected;
  return Math.abs(value - expected) <= check.within * Math.abs(expected);
}

/** Renders a plot or a drawing as SVG. */
export const drawingOf = (exhibit: Plot | Drawing): string => ('panels' in exhibit ? drawPanels(exhibit) : drawPlot(exhibit));
