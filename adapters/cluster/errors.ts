/** Errors for events that a cluster actor has not applied, and their reasons. */

/**
 * The reason of an `ActorError`.
 *
 * - `machine`: the machine threw an error when it handled the event.
 * - `snapshot`: the snapshot would not be JSON, or would be too large.
 * - `event`: the event is not JSON, or is too large.
 * - `unknown`: the actor does not exist, and this reference does not create it.
 * - `version`: the stored snapshot is of another version of the machine.
 * - `doubtful`: the event was repeated, or its signal aborted, and it is unknown whether it was or will be applied.
 * - `forgotten`: too many members have restarted without storage.
 * - `unavailable`: no member can host the actor.
 *
 * @public
 */
export type ActorErrorReason =
  | 'machine'
  | 'snapshot'
  | 'event'
  | 'unknown'
  | 'version'
  | 'doubtful'
  | 'forgotten'
  | 'unavailable';

/**
 * An event for an actor of `createCluster` was not applied, or its effect is unknown. Programs can use `reason`. The state of the actor is
 * unchanged.
 *
 * @public
 */
export class ActorError extends Error {
  override readonly name = 'ActorError';

  constructor(
    readonly reason: ActorErrorReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** An error in the form in which a message contains it. */
export interface SentError {
  readonly name: string;
  readonly message?: string;
}

const REASONS: readonly string[] = [
  'machine',
  'snapshot',
  'event',
  'unknown',
  'version',
  'doubtful',
  'forgotten',
  'unavailable',
] satisfies ActorErrorReason[];

const MEANINGS: Readonly<Record<string, string>> = {
  unfit: 'no member has a machine of this kind. Give the members the machines that their clients use',
  forgotten:
    'too many members have restarted without storage. Start the members that have its state, or use storage at all members',
  doubtful: 'the event was repeated, and the actor has forgotten its sender. Read the state and decide whether to send it again',
};

/** The error of an actor, from a message. Members of a later release may know other reasons. */
export function receivedError(key: string, error: unknown): ActorError {
  const { name, message } = error as SentError;
  const reason = (REASONS.includes(name) ? name : 'unavailable') as ActorErrorReason;
  return new ActorError(reason, message ?? `Actor "${key}": ${MEANINGS[name] ?? name}`);
}
