/**
 * Locks whose use judges observe: `peer.watch(createLocks(…))` returns the same locks and reports requests, grants, losses and releases. It
 * works with any object like the Web Locks API.
 */
import type { LockMode } from '../../machines/locks/messages.js';

/** The process of the locks, and the number of its start. */
export interface Watched {
  readonly id: string;
  readonly life: number;
}

/** Reports an event to the judges of the rehearsal. */
export type ReportEvent = (type: string, fields?: Readonly<Record<string, unknown>>) => void;

export interface GrantedLock {
  readonly fence: number;
  readonly mode: LockMode;
  readonly signal: AbortSignal;
  release(): void;
}

/** The methods of a `createLocks` result that a rehearsal observes. */
export interface LocksLike {
  acquire(name: string, options?: object): Promise<GrantedLock | null>;
  request(name: string, ...rest: unknown[]): Promise<unknown>;
}

/**
 * Reports the grant, and its loss. Returns the function that reports the release, or that the callback has ended after a loss.
 */
function enter(report: ReportEvent, peer: string, lock: string, ask: string, { fence, mode, signal }: GrantedLock): () => void {
  let state: 'held' | 'lost' | 'over' = 'held';
  report('grant', { peer, lock, ask, fence, mode });
  signal.addEventListener('abort', () => {
    if (state !== 'held') return;
    state = 'lost';
    report('lost', { peer, lock, fence, mode });
  });
  return () => {
    if (state !== 'over') report(state === 'held' ? 'release' : 'left', { peer, lock, fence, mode });
    state = 'over';
  };
}

export function watched<L extends LocksLike>(locks: L, { id: peer, life }: Watched, report: ReportEvent): L {
  let asked = 0;

  function ask(lock: string) {
    const ask = `${life}.${++asked}`;
    report('ask', { peer, lock, ask });
    let isSettled = false;
    return {
      ask,
      settle: (how: string) => {
        if (!isSettled) report('settle', { peer, lock, ask, how });
        isSettled = true;
      },
    };
  }

  const request = async (name: string, ...rest: unknown[]) => {
    const how = rest.at(-1) as (lock: GrantedLock | null) => unknown;
    const { ask: number, settle } = ask(name);
    const within = async (lock: GrantedLock | null) => {
      settle(lock ? 'granted' : 'not available');
      if (!lock) return how(null);
      const leave = enter(report, peer, name, number, lock);
      try {
        return await how(lock);
      } finally {
        leave();
      }
    };
    try {
      return await locks.request(name, ...rest.slice(0, -1), within);
    } finally {
      settle('rejected');
    }
  };

  const acquire = async (name: string, options?: object) => {
    const { ask: number, settle } = ask(name);
    try {
      const lock = await locks.acquire(name, options);
      settle(lock ? 'granted' : 'not available');
      if (!lock) return null;
      const [leave, release] = [enter(report, peer, name, number, lock), lock.release.bind(lock)];
      lock.release = () => {
        leave();
        release();
      };
      return lock;
    } finally {
      settle('rejected');
    }
  };

  return new Proxy(locks, {
    get: (target, key) => {
      if (key === 'request') return request;
      if (key === 'acquire') return acquire;
      const own: unknown = Reflect.get(target, key, target);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}
