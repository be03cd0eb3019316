/**
 * Locks whose use is told to the judges: `peer.watch(createLocks(…))` gives the same locks, and records who asks, is granted, loses and
 * gives back. Anything with the habits of the Web Locks API will do.
 */
import type { LockMode } from '../../machines/locks/messages.js';

/** Whose locks they are, and which start of its process it is. */
export interface Watched {
  readonly id: string;
  readonly life: number;
}

/** Whoever records what happens. */
export type TellWorld = (type: string, fields?: Readonly<Record<string, unknown>>) => void;

export interface GrantedLock {
  readonly fence: number;
  readonly mode: LockMode;
  readonly signal: AbortSignal;
  release(): void;
}

/** What is used of locks. */
export interface LocksLike {
  acquire(name: string, options?: any): Promise<any>;
  request(name: string, ...rest: any[]): Promise<any>;
}

/** Tells of the grant, and of the loss; gives what tells that it is over, or that whoever was inside as it was lost has left. */
function enter(tell: TellWorld, peer: string, lock: string, ask: string, { fence, mode, signal }: GrantedLock): () => void {
  let state: 'held' | 'lost' | 'over' = 'held';
  tell('grant', { peer, lock, ask, fence, mode });
  signal.addEventListener('abort', () => {
    if (state !== 'held') return;
    state = 'lost';
    tell('lost', { peer, lock, fence, mode });
  });
  return () => {
    if (state !== 'over') tell(state === 'held' ? 'release' : 'left', { peer, lock, fence, mode });
    state = 'over';
  };
}

export function watched<L extends LocksLike>(locks: L, { id: peer, life }: Watched, tell: TellWorld): L {
  let asked = 0;

  function ask(lock: string) {
    const ask = `${life}.${++asked}`;
    tell('ask', { peer, lock, ask });
    let isSettled = false;
    return {
      ask,
      settle: (how: string) => {
        if (!isSettled) tell('settle', { peer, lock, ask, how });
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
      const leave = enter(tell, peer, name, number, lock);
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

  const acquire = async (name: string, options?: unknown) => {
    const { ask: number, settle } = ask(name);
    try {
      const lock = (await locks.acquire(name, options)) as GrantedLock | null;
      settle(lock ? 'granted' : 'not available');
      if (!lock) return null;
      const [leave, release] = [enter(tell, peer, name, number, lock), lock.release.bind(lock)];
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
      const own = Reflect.get(target, key, target) as unknown;
      return typeof own === 'function' ? (own.bind(target) as unknown) : own;
    },
  });
}
