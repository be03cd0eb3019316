/** A problem of a text on the page, and its place in the text. */
import { thrownText } from '../../machines/errors.js';

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

/** The form in which the page receives it. */
export interface Problem {
  readonly text: 'scenario' | 'chart' | null;
  readonly message: string;
  readonly place: TextPlace | null;
}

export const NOT_LOADED =
  'a part of this page could not be loaded; is there a network? Reload the page when it is back: your texts are kept';

/** As Chromium, Firefox and Safari put it. */
const LOADING_FAILED = /dynamically imported module|Importing a module script failed/;

/** The code of a chart comes from a `blob:`; nothing else of the worker does. */
const PLACE_IN_CHART = /blob:[^\s)]*?:(\d+):(\d+)/;

export function problemOf(error: unknown): Problem {
  if (error instanceof TextProblem) return { text: error.text, message: error.message, place: error.place };
  const message = thrownText(error);
  if (LOADING_FAILED.test(message)) return { text: null, message: NOT_LOADED, place: null };
  const place = placeInChart(error);
  return { text: place && 'chart', message, place };
}

/** The place of the first error in the chain of causes: a step that fails wraps the original error. */
function placeInChart(error: unknown): TextPlace | null {
  if (!(error instanceof Error)) return null;
  const [, line, column] = PLACE_IN_CHART.exec(error.stack ?? '') ?? [];
  if (line === undefined) return placeInChart(error.cause);
  return { line: Number(line), column: Number(column) };
}
