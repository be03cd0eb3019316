/**
 * A guided page as data: runs, and steps with a place and a caption.
 *
 * The runs are scenarios that are simulated or checked when the story is opened. A story therefore shows the present charts, and gestures
 * work as in any other run. Places are described by the trace's content and not by line numbers. A test visits every place.
 */
export interface Story {
  readonly name: string;
  readonly title: string;
  /** The lesson, in one sentence. */
  readonly description: string;
  /** By the name that the page shows. */
  readonly runs: Readonly<Record<string, StoryRun>>;
  readonly steps: readonly StoryStep[];
  /** Terms of the captions with their explanations. */
  readonly terms?: Readonly<Record<string, string>>;
}

export interface StoryRun {
  readonly scenario: Readonly<Record<string, unknown>>;
  /** Set for the counterexample that the checker finds in the scenario, instead of a simulation. */
  readonly checked?: true;
}

/** A caption and its place, shown when the picture gets there. */
export interface Caption {
  readonly at: StoryPlace;
  /**
   * The caption. Figures of the run up to the place are written `{sent find}` (number of messages), `{cost find}` (their cost) or `{time}`,
   * because texts contain no results.
   */
  readonly text: string;
}

export interface StoryStep extends Caption {
  readonly run: string;
  /** Captions on the way to the place. */
  readonly along?: readonly Caption[];
  /** Another run of the same nodes, shown at the same places next to this one. */
  readonly comparedTo?: string;
  /** The node whose chart is shown. */
  readonly node?: string;
}

/**
 * `description`: the first line after the place before, in the same run, whose sentence holds these words; `before`: the line before that one.
 * `at`: the last line up to a time, or, with `description`, the one of that time whose sentence holds these words; `part`: a part of the time of the whole run.
 */
export type StoryPlace =
  | 'start'
  | 'end'
  | { readonly description: string }
  | { readonly before: string }
  | { readonly at: number; readonly description?: string }
  | { readonly part: number };
