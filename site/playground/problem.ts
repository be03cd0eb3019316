/** What is wrong with a text on the page, and where in it. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export class TextProblem extends Error {
  constructor(
    readonly text: 'scenario' | 'chart',
    message: string,
    readonly place: TextPlace | null = null,
  ) {
    super(message);
  }
}

/** As it is told to the page. */
export interface Problem {
  readonly text: 'scenario' | 'chart' | null;
  readonly message: string;
  readonly place: TextPlace | null;
}

/** The code of a chart comes from a `blob:`; nothing else of the worker does. */
const PLACE_IN_CHART = /blob:[^\s)]*?:(\d+):(\d+)/;

export function problemOf(error: unknown): Problem {
  if (error instanceof TextProblem) return { text: error.text, message: error.message, place: error.place };
  if (!(error instanceof Error)) return { text: null, message: String(error), place: null };
  const [, line, column] = PLACE_IN_CHART.exec(error.stack ?? '') ?? [];
  if (line === undefined) return { text: null, message: error.message, place: null };
  return { text: 'chart', message: error.message, place: { line: Number(line), column: Number(column) } };
}
