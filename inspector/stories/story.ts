/**
 * A guided page as data: runs to look at, and steps that say where to look and what is to be seen.
 *
 * The runs are scenarios, simulated or checked when the story is opened, so that a story shows what the charts do today and can be
 * reached into like any other run. Places are named by what the trace says and not by line numbers, and a test goes to every one.
 */
export interface Story {
  readonly name: string;
  readonly title: string;
  /** What one learns, in a sentence. */
  readonly description: string;
  /** By the name that the page shows. */
  readonly runs: Readonly<Record<string, StoryRun>>;
  readonly steps: readonly StoryStep[];
  /** Words of the texts that not everybody knows, each with what it means here. */
  readonly terms?: Readonly<Record<string, string>>;
}

export interface StoryRun {
  readonly scenario: Readonly<Record<string, unknown>>;
  /** The counterexample that the checker finds in the scenario, in place of a simulation. */
  readonly checked?: true;
}

/** What is said at a place, when the picture gets there. */
export interface Saying {
  readonly at: StoryPlace;
  /**
   * A figure of the run up to the place is written `{sent find}` (how many), `{cost find}` (what they cost) or `{time}`: texts hold no
   * results of their own.
   */
  readonly text: string;
}

export interface StoryStep extends Saying {
  readonly run: string;
  /** What is said on the way to the place. */
  readonly along?: readonly Saying[];
  /** Another run of the same nodes, shown at the same places beside this one. */
  readonly beside?: string;
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
