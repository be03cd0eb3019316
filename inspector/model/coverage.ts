/** What the tests' coverage says of the parts of a chart, by the names that it gives them. */
import type { ChartTransition } from './chart.js';

/** How often each item of one chart was covered. */
export type Covered = Readonly<Record<string, number>>;

export const stateItem = (path: string): string => `state ${path}`;

export function transitionItem({ source, counted, index }: ChartTransition): string {
  const choice = index === 0 ? '' : ` #${index + 1}`;
  return `transition ${source === '' ? '(root)' : source}: ${counted}${choice}`;
}

export const stateCount = (covered: Covered, path: string): number => covered[stateItem(path)] ?? 0;
export const transitionCount = (covered: Covered, transition: ChartTransition): number =>
  covered[transitionItem(transition)] ?? 0;
