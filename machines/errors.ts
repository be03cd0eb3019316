/**
 * Invalid input. The message is one line with the thing, its place and the fix. Nothing has changed when it is thrown.
 *
 * @example
 * ```ts
 * import { simulate, UsageError } from 'xstate-quiver';
 *
 * try {
 *   simulate({ protocol: 'directory', topology: { kind: 'rng', n: 3 } });
 * } catch (error) {
 *   if (!(error instanceof UsageError)) throw error;
 *   console.log(error.message); // … "rng" …. Did you mean "ring"?
 * }
 * ```
 * @public
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * A violation of the contract between a chart and its host: an effect on an unknown role or node, or a context that is not plain JSON. A
 * run of `simulate` and a search throw it; a live node ends with it.
 *
 * @public
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** True for the errors of another realm as well: in Jest, Node's own errors are. */
const isError = (thrown: unknown): thrown is Error => thrown instanceof Error || typeof Object(thrown).stack === 'string';

/** Message of an error, or a description of a thrown value that is not an error. */
export const thrownText = (thrown: unknown): string =>
  isError(thrown) ? thrown.message : `${jsonText(thrown)} was thrown, which is not an Error`;

/** The thrown value, as an error. */
export const asError = (thrown: unknown): Error => (isError(thrown) ? thrown : new Error(thrownText(thrown)));

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
