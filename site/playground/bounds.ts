/** How far the playground goes: what a browser bears in one of its threads. */

/** A run is cut off after so many lines of its trace, some 30 MB. */
export const LINES_MAX = 50_000;

/** A search ends here with what it knows. */
export const SEARCH = { states: 500_000, seconds: 60, megabytes: 700 };
