/** The parts of a chart's picture: boxes for states, lines for transitions. */
import type { ChartState, ChartTransition } from './chart.js';

export interface ChartPoint {
  readonly x: number;
  readonly y: number;
}

/** A width and a height, in units of the picture. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Box extends ChartPoint, Size {}

export interface PlacedState extends Box {
  readonly state: ChartState;
  /** The left border of its name and words. */
  readonly wordsX: number;
  readonly isInitial: boolean;
  /** True if its inner states are hidden. */
  readonly isCollapsed: boolean;
  /** Tags, entry and exit actions, actors, history. */
  readonly notes: readonly string[];
  /** Transitions without a target. */
  readonly internal: readonly Label[];
}

export interface Label {
  readonly transition: ChartTransition;
  /** The event and the guard, then the actions. */
  readonly lines: readonly string[];
}

export interface PlacedEdge {
  readonly transition: ChartTransition;
  readonly points: readonly ChartPoint[];
  /** `null` on the lines that leave a fork. */
  readonly label: (Box & Pick<Label, 'lines'>) | null;
  /** True if it ends with an arrow at a state, and not at a fork. */
  readonly hasArrow: boolean;
}

/** The bar where a transition with several targets divides. */
export interface PlacedFork extends Box {
  readonly transition: ChartTransition;
}

export interface ChartLayout {
  readonly width: number;
  readonly height: number;
  /** Outer states before inner ones; the first is the machine. */
  readonly states: readonly PlacedState[];
  readonly edges: readonly PlacedEdge[];
  readonly forks: readonly PlacedFork[];
  /** The lines between the regions of parallel states. */
  readonly separators: readonly (readonly [ChartPoint, ChartPoint])[];
}

/** Widths of texts in the two sizes of the picture. The page measures them, tests estimate them. */
export type Measure = (text: string, size: 'name' | 'label') => number;

export const LINE_HEIGHT = 16;
export const NAME_HEIGHT = 26;
/** The side of the button that collapses a state. */
export const FOLD_SIZE = 24;
/** Between the border of a state and its words. */
export const PAD = 12;
/** The place of the dot and the arrow before an initial state. */
export const INITIAL_WIDTH = 22;
/** The place of the letter of a history state. */
export const HISTORY_WIDTH = 26;
