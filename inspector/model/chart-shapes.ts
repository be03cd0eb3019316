/** What the picture of a chart is made of. Apart from the layout, which is large and loaded when the first chart is drawn. */
import type { ChartState, ChartTransition } from './chart.js';

export interface ChartPoint {
  readonly x: number;
  readonly y: number;
}

/** `x` and `y` are the upper left corner. */
export interface Box extends ChartPoint {
  readonly width: number;
  readonly height: number;
}

export interface PlacedState extends Box {
  readonly state: ChartState;
  readonly isInitial: boolean;
  /** What the state says of itself: its tags, what it does on its way in and out, what runs while it is active, what it remembers. */
  readonly notes: readonly string[];
  /** Transitions that do not leave the state. */
  readonly internal: readonly Label[];
}

export interface Label {
  readonly transition: ChartTransition;
  /** The event and the guard, then the actions. */
  readonly lines: readonly string[];
}

export interface PlacedEdge {
  readonly label: Label;
  readonly points: readonly ChartPoint[];
  /** The middle of the label. */
  readonly at: ChartPoint;
}

export interface ChartLayout {
  readonly width: number;
  readonly height: number;
  /** What the chart says of itself, and what it does in every state. */
  readonly notes: readonly string[];
  readonly always: readonly Label[];
  /** Outer states before inner ones. */
  readonly states: readonly PlacedState[];
  readonly edges: readonly PlacedEdge[];
}

/** Widths of texts in the two sizes of the picture; the page measures, tests estimate. */
export type Measure = (text: string, size: 'name' | 'label') => number;

export const LINE_HEIGHT = 15;
export const NAME_HEIGHT = 24;
/** Of what folds a state, beside its name. */
export const FOLD_WIDTH = 16;
/** Below this scale words are not readable any more: then the panel scrolls. */
export const SCALE_READABLE = 0.72;
