/**
 * Resources of a peer in addition to its connections: a store that all peers share, and its own disk.
 *
 * Every peer reaches the store, whatever links are cut: a peer that has lost its peers but not its database is the situation in which locks
 * are dangerous. A write with a fencing token is rejected if a larger one has been used before, to write or to read; a write without a
 * token always succeeds. A read with a token is rejected after a write with a larger one, so that readers may share the store.
 *
 * The disk keeps its files when a process is killed. After a loss of power, a write that has not resolved may be complete, missing, or torn
 * (only its beginning is written). A rename is atomic.
 */
import { here } from './here.js';
import type { Process, VirtualWorld } from './world.js';

/**
 * The `store` of a rehearsal was used with a stale fencing token: a write after a use with a larger one, or a read after a write with a
 * larger one. Nothing has changed.
 *
 * @experimental
 */
export class StaleFenceError extends Error {
  override readonly name = 'StaleFenceError';
}

/**
 * A store that all peers of a rehearsal share, reached whatever links are cut. It represents the resource that locks protect. Values are
 * copied.
 *
 * @experimental
 */
export interface FencedStore {
  /**
   * Reads the last written value.
   *
   * @param key the name of the value.
   * @param options the fencing token, for a read whose result determines a later write. From then on, smaller tokens cannot write.
   * @returns the value, or `undefined` before the first write.
   * @throws StaleFenceError after a write with a larger fencing token.
   */
  read(key: string, options?: { readonly fence?: number }): Promise<unknown>;
  /**
   * Writes a value.
   *
   * @throws StaleFenceError after a write or read with a larger fencing token.
   */
  write(key: string, value: unknown, options?: { readonly fence?: number }): Promise<void>;
}

/** The simulated database that all processes share, with the operations that judges use. */
export class RehearsedStore {
  readonly values = new Map<string, unknown>();
  /** For each key, the largest fencing token of all writes, and of all uses. */
  private readonly written = new Map<string, number>();
  private readonly seen = new Map<string, number>();

  constructor(private readonly world: VirtualWorld) {}

  /** The interface that peers use. */
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
    this.world.report('write', { peer, key, value, ...(fence !== undefined && { fence }) });
  }

  /** Rejects a token that is smaller than the largest relevant one. */
  private take(peer: string, key: string, fence: number, latest = -Infinity): void {
    if (fence < latest) {
      this.world.report('refused', { peer, key, fence, latest });
      throw new StaleFenceError(
        `"${key}" cannot be used with fencing token ${fence}, because the larger token ${latest} was used before. The lock is lost`,
      );
    }
    this.seen.set(key, Math.max(fence, this.seen.get(key) ?? -Infinity));
  }

  /** A request and its response, each with its own delay. A request arrives even if its sender stops meanwhile. */
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
          settle = () => reject(error);
        }
        const late = delay();
        if (process.life === life) world.after(late, process, 'the store answers', settle);
      });
    });
  }
}

export class Disk {
  private readonly files = new Map<string, string>();
  /** Writes that a loss of power can destroy, with the previous content of the file. */
  private readonly unsynced = new Set<{ readonly name: string; readonly text: string; readonly before: string | undefined }>();
  /** Number of active faults that fill the disk. */
  private fillings = 0;
  /** Factor for the duration of every operation. */
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

  /** Returns `undefined` if there is no such file. */
  async read(name: string): Promise<string | undefined> {
    await this.wait(0.2);
    return this.files.get(name);
  }

  /** Resolves when the content survives a loss of power. Rejects with `ENOSPC` while the disk is full. */
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
    if (text === undefined) throw new Error(`cannot rename "${from}" to "${to}": no such file`);
    this.files.delete(from);
    this.files.set(to, text);
  }

  /** Applies a loss of power: each unsynced write becomes complete, missing, or torn. */
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
