/** The tests' coverage of the parts of a chart, by the names that coverage gives them. */
import type { ChartTransition } from './chart.js';

/** How often each item of one chart was covered. */
export type Covered = Readonly<Record<string, number>>;

export const stateItem = (path: string): string => `state ${path}`;

export const transitionItem = ({ source, counted }: ChartTransition): string =>
  `transition ${source === '' ? '(root)' : source}: ${counted}`;

export const stateCount = (covered: Covered, path: string): number => covered[stateItem(path)] ?? 0;
export const transitionCount = (covered: Covered, transition: ChartTransition): number =>
  covered[transitionItem(transition)] ?? 0;
