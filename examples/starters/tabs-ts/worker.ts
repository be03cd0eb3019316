import type { Locks } from 'xstate-quiver/locks';

/** Calls `start` whenever this tab has the lock, and the function that it returns when the lock is lost: the browser froze this tab. */
export function workInOneTab(locks: Locks, start: (fence: number) => () => void) {
  return locks.request('worker', { retry: true }, async ({ fence, signal }) => {
    const stop = start(fence);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    stop();
  });
}
