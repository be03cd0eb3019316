/**
 * Bad input: one line that names the thing, the place and the cure. Nothing has changed when it is thrown.
 *
 * @public
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * A chart broke the contract with its host (an effect to a role or node that is not there, a context that is no plain JSON).
 *
 * @public
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** What an error says, or what was thrown in place of one. */
export function thrownText(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  return `${jsonText(thrown)} was thrown, which is no Error`;
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
