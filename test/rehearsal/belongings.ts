/**
 * What a peer has next to its peers: a store that all of them share, and its own disk.
 *
 * The store is reached by every peer whatever is cut: a peer that has lost its peers and not its database is the case that locks are
 * dangerous in. A write may carry a fence, and is refused if one with a larger fence has been here, to write or to read; one without is taken
 * as it comes. A read with a fence is refused after a write with a larger one; those who read together may each have one of their own.
 *
 * The disk keeps what is written when a process is killed. When the power goes, a write that has not resolved may be there, be missing,
 * or be torn: its beginning is there and the rest is not. A rename happens whole or not at all.
 */
import { here } from './here.js';
import type { Process, VirtualWorld } from './world.js';

/**
 * The shared store was written to with a smaller fence than one that has been there before, or read with a smaller one than was written with; nothing has
 * changed. The `store` of what `rehearse` runs throws it.
 *
 * @experimental
 */
export class StaleFenceError extends Error {
  override readonly name = 'StaleFenceError';
}

/**
 * A store that all peers of a rehearsal share, reached whatever links are cut: what locks protect. Values are copied.
 *
 * @experimental
 */
export interface FencedStore {
  /**
   * What was written last; `undefined` before the first write. Give the fence where something is written by what is read: from then on nobody
   * with a smaller one changes it.
   *
   * @throws a `StaleFenceError` if somebody with a larger fence has written before.
   */
  read(key: string, options?: { readonly fence?: number }): Promise<unknown>;
  /** @throws a `StaleFenceError` if somebody with a larger fence has written, or read, before. */
  write(key: string, value: unknown, options?: { readonly fence?: number }): Promise<void>;
}

/** The store as judges see it. */
export class SharedStore {
  readonly values = new Map<string, unknown>();
  /** The largest fence of each key, of those who wrote, and of all. */
  private readonly written = new Map<string, number>();
  private readonly seen = new Map<string, number>();

  constructor(private readonly world: VirtualWorld) {}

  /** The end of it that a peer has. */
  readonly end: FencedStore = {
    read: (key, { fence } = {}) => {
      const { id } = here()!.process;
      return this.ask(`reads ${key}`, () => {
        if (fence !== undefined) this.take(id, key, fence, this.written.get(key));
        return structuredClone(this.values.get(key));
      });
    },
    write: (key, value, { fence } = {}) => {
      const copy = structuredClone(value);
      const { id } = here()!.process;
      return this.ask(`writes ${key}`, () => this.write(id, key, copy, fence));
    },
  };

  private write(peer: string, key: string, value: unknown, fence: number | undefined): void {
    if (fence !== undefined) {
      this.take(peer, key, fence, this.seen.get(key));
      this.written.set(key, fence);
    }
    this.values.set(key, value);
    this.world.tell('write', { peer, key, value, ...(fence !== undefined && { fence }) });
  }

  /** Refuses a fence that is smaller than the largest that counts. */
  private take(peer: string, key: string, fence: number, latest = -Infinity): void {
    if (fence < latest) {
      this.world.tell('refused', { peer, key, fence, latest });
      throw new StaleFenceError(`"${key}" was used with fence ${latest}; ${fence} is older`);
    }
    this.seen.set(key, Math.max(fence, this.seen.get(key) ?? -Infinity));
  }

  /** There and back, each with its own delay; what is under way arrives although its sender stops meanwhile. */
  private ask<T>(what: string, answer: () => T): Promise<T> {
    const { world, process } = here()!;
    const { life } = process;
    const delay = () => 0.5 + world.chance.unit() * 10;
    return new Promise((resolve, reject) => {
      world.after(delay(), null, `${process.id} ${what}`, () => {
        let settle: () => void;
        try {
          const value = answer();
          settle = () => resolve(value);
        } catch (error) {
          settle = () => reject(error as Error);
        }
        const late = delay();
        if (process.life === life) world.after(late, process, 'the store answers', settle);
      });
    });
  }
}

export class Disk {
  private readonly files = new Map<string, string>();
  /** What is not safe yet, and what the file was before. */
  private readonly unsynced = new Set<{ readonly name: string; readonly text: string; readonly before: string | undefined }>();
  /** So many faults have filled it. */
  private fillings = 0;
  /** Every sync takes so many times as long. */
  private slowness = 1;

  constructor(
    private readonly world: VirtualWorld,
    private readonly process: Process,
  ) {}

  slow(factor: number): void {
    this.slowness = factor;
  }

  fill(isFull: boolean): void {
    this.fillings += isFull ? 1 : -1;
  }

  /** `undefined` when there is no such file. */
  async read(name: string): Promise<string | undefined> {
    await this.wait(0.2);
    return this.files.get(name);
  }

  /** Resolves once it is safe from a loss of power; rejects with `ENOSPC` while the disk is full. */
  async write(name: string, text: string): Promise<void> {
    if (this.fillings > 0) {
      await this.wait(0.2);
      throw Object.assign(new Error(`ENOSPC: no space left on device, write '${name}'`), { code: 'ENOSPC' });
    }
    const write = { name, text, before: this.files.get(name) };
    this.unsynced.add(write);
    this.files.set(name, text);
    await this.wait(5);
    this.unsynced.delete(write);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.wait(1);
    const text = this.files.get(from);
    if (text === undefined) throw new Error(`there is no "${from}" to rename to "${to}"`);
    this.files.delete(from);
    this.files.set(to, text);
  }

  /** The power has gone: what was not safe is there, missing, or torn. */
  lose(): void {
    for (const { name, text, before } of this.unsynced) {
      const what = this.world.chance.below(3);
      if (what === 0) this.files.set(name, text.slice(0, this.world.chance.below(text.length + 1)));
      else if (what === 1 && before === undefined) this.files.delete(name);
      else if (what === 1) this.files.set(name, before!);
    }
    this.unsynced.clear();
  }

  private wait(ms: number): Promise<void> {
    const { world, process } = this;
    return new Promise((resolve) =>
      world.after(ms * this.slowness * (0.5 + world.chance.unit()), process, 'the disk answers', () => resolve()),
    );
  }
}
