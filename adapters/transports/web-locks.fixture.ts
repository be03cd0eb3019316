/** The Web Locks of a browser, for tabs of one test: requests in order, shared and exclusive, and tabs that end without a word. */
import { onTestFinished, vi } from 'vitest';

type Work = (lock: Lock) => unknown;

interface Entry {
  readonly name: string;
  readonly mode: LockMode;
  readonly grant: () => void;
}

export class FakeWebLocks {
  readonly held: Entry[] = [];
  readonly pending: Entry[] = [];

  request(name: string, options: LockOptions, work: Work): Promise<unknown> {
    const { mode = 'exclusive', signal } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const grant = () => {
        this.held.push(entry);
        void Promise.resolve(work({ name, mode })).then((result) => (this.release(entry), resolve(result)));
      };
      const entry: Entry = { name, mode, grant };
      this.pending.push(entry);
      signal?.addEventListener('abort', () => (remove(this.pending, entry), reject(signal.reason as Error)));
      queueMicrotask(() => this.next());
    });
  }

  query(): Promise<LockManagerSnapshot> {
    return Promise.resolve({ held: [...this.held], pending: [...this.pending] });
  }

  /** Releases what a tab holds, as a browser does when the tab has ended, or when another program steals it. */
  drop(tab: string): void {
    for (const entry of this.held.filter(({ name }) => name.endsWith(`/${tab}`))) this.release(entry);
  }

  private release(entry: Entry): void {
    remove(this.held, entry);
    this.next();
  }

  private next(): void {
    for (const entry of this.pending.slice()) {
      const others = this.held.filter(({ name }) => name === entry.name);
      if (others.some(({ mode }) => mode === 'exclusive' || entry.mode === 'exclusive')) continue;
      remove(this.pending, entry);
      entry.grant();
    }
  }
}

function remove(entries: Entry[], entry: Entry): void {
  const at = entries.indexOf(entry);
  if (at >= 0) entries.splice(at, 1);
}

/** Tabs that open from now on have these Web Locks, until the test ends. */
export function webLocks(): FakeWebLocks {
  const locks = new FakeWebLocks();
  vi.stubGlobal('navigator', { locks });
  onTestFinished(() => void vi.unstubAllGlobals());
  return locks;
}
