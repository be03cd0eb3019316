import { createTabLocks } from 'xstate-quiver/locks';
import { expect, test, vi } from 'vitest';
import { workInOneTab } from './worker.js';

test('one tab works at a time, and another one continues when it closes', async () => {
  const tabs = [1, 2].map(() => createTabLocks({ channel: 'test' })); // Node has BroadcastChannel as well
  const started: number[] = [];
  const ends = tabs.map((locks, i) =>
    workInOneTab(locks, () => {
      started.push(i);
      return () => {};
    }).catch(() => {}),
  );
  await vi.waitFor(() => expect(started).toHaveLength(1), 25_000);
  const [first] = started as [number];
  await tabs[first]!.close();
  await vi.waitFor(() => expect(started).toEqual([first, 1 - first]), 25_000);
  await tabs[1 - first]!.close();
  await Promise.all(ends);
}, 60_000);
