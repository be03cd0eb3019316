/** How far the playground goes: what a browser bears in one of its threads. */

/** A run is cut off after so many lines of its trace, some 30 MB. */
export const LINES_MAX = 50_000;

/** A search ends here with what it knows. */
export const SEARCH = { states: 500_000, seconds: 60, megabytes: 700 };

/** An answer to the inspector that takes longer is given up, and its worker ended. */
export const ANSWER_SECONDS = 20;

/** A promise that runs for real in a test of a machine. */
export const PROMISE_SECONDS = 10;

/** The texts of a link, unpacked. */
export const LINK_MEGABYTES_MAX = 2;

/** The modules that a module on the page may import. */
export const IMPORTS = [
  'xstate',
  'xstate-quiver',
  'xstate-quiver/check',
  'xstate-quiver/machines',
  'xstate-quiver/network',
  'xstate-quiver/test',
] as const;
