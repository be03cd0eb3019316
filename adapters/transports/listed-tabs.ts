/**
 * The tabs of a channel, as the browser knows them: each tab holds a Web Lock under its id until it leaves. The held locks are the tabs that
 * exist, also after crashes. A tab that waits for the lock of another one is notified at once when that tab has ended.
 *
 * A browser has no Web Locks in an insecure context, and refuses them where it refuses storage.
 */
import type { NodeId } from '../../machines/effects.js';

export interface ListedTabs {
  /** The other tabs that held their Web Locks when this tab had its own. */
  readonly tabs: readonly NodeId[];
  /** Calls back once another tab no longer holds its Web Lock. Never calls back for a tab that holds none. */
  watch(tab: NodeId, ended: () => void): void;
}

/** Takes the Web Lock of this tab, which it holds until the signal aborts. Returns `null` if the browser grants no Web Locks. */
export async function listedTabs(channel: string, id: NodeId, signal: AbortSignal): Promise<ListedTabs | null> {
  const { locks }: Partial<Navigator> = globalThis.navigator ?? {};
  if (!locks) return null;
  const prefix = `${channel}/`;
  const list = async (): Promise<readonly NodeId[]> => {
    const { held = [] } = await locks.query();
    const tabs = held.flatMap(({ name }) => (name?.startsWith(prefix) ? [name.slice(prefix.length)] : []));
    // The name of another channel may begin with that of this one.
    return tabs.filter((tab) => tab !== id && !tab.includes('/'));
  };
  try {
    await new Promise<void>((granted, refused) => {
      const left = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      locks.request(prefix + id, { signal }, () => (granted(), left)).catch(refused);
    });
    const tabs = await list();
    const waitFor = async (tab: NodeId, ended: () => void) => {
      if (!tabs.includes(tab) && !(await list()).includes(tab)) return;
      await locks.request(prefix + tab, { mode: 'shared', signal }, ended);
    };
    return { tabs, watch: (tab, ended) => void waitFor(tab, ended).catch(() => {}) };
  } catch {
    return null;
  }
}
