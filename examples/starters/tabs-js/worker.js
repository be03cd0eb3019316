/** Calls `start` while this tab holds the lock, and the function that it returns when the lock is lost. */
export function workInOneTab(locks, start) {
  return locks.request('worker', async ({ fence, signal }) => {
    const stop = start(fence);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    stop();
  });
}
