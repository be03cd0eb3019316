/** Promises that can be aborted, so that callers do not wait forever for an event that may never come. */

/** Callers by the signal that they share. */
const sharers = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `run` when the signal aborts, until the returned function is called. All callers share one listener, since Node warns of more than ten.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const own = () => run();
  const known = sharers.get(signal);
  const all = known ?? new Set<() => void>();
  all.add(own);
  const abort = () => {
    for (const each of all) each();
  };
  if (!known) {
    sharers.set(signal, all);
    signal.addEventListener('abort', abort, { once: true });
    removals.set(all, () => signal.removeEventListener('abort', abort));
  }
  return () => {
    all.delete(own);
    if (all.size > 0 || sharers.get(signal) !== all) return;
    sharers.delete(signal);
    removals.get(all)?.();
  };
}
const removals = new WeakMap<Set<() => void>, () => void>();

/** Settles as `promise` does, or rejects with the signal's reason once it aborts. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(onAbort(signal, abort));
  });
}
