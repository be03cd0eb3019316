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
