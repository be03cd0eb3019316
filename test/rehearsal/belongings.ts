/**
 * What a peer has beside its peers: a store that all of them share, and a disk of its own.
 *
 * The store is reached by every peer whatever is cut: a peer that has lost its peers and not its database is the case that locks are
 * dangerous in. A write may carry a fence, and is refused if one with a larger fence has been here; one without is taken as it comes.
 *
 * The disk keeps what is written when a process is killed. When the power goes, a write that has not resolved may be there, be missing,
 * or be torn: its beginning is there and the rest is not. A rename happens whole or not at all.
 */
import { here } from './here.js';
import type { Process, VirtualWorld } from './world.js';

/**
 * A write to the shared store carried a smaller fence than one that has written before it; it has changed nothing.
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
  /** What was written last; `undefined` before the first write. */
  read(key: string): Promise<unknown>;
  /** @throws a `StaleFenceError` if somebody with a larger fence has written before. */
  write(key: string, value: unknown, options?: { readonly fence?: number }): Promise<void>;
}

/** The store as judges see it. */
export class SharedStore {
  readonly values = new Map<string, unknown>();
  private readonly fences = new Map<string, number>();

  constructor(private readonly world: VirtualWorld) {}

  /** The end of it that a peer has. */
  readonly end: FencedStore = {
    read: (key) => this.ask(`reads ${key}`, () => structuredClone(this.values.get(key))),
    write: (key, value, { fence } = {}) => {
      const copy = structuredClone(value);
      const { id } = here()!.process;
      return this.ask(`writes ${key}`, () => this.write(id, key, copy, fence));
    },
  };

  private write(peer: string, key: string, value: unknown, fence: number | undefined): void {
    const latest = this.fences.get(key) ?? -Infinity;
    if (fence !== undefined && fence < latest) {
      this.world.tell('refused', { peer, key, fence, latest });
      throw new StaleFenceError(`"${key}" was written with fence ${latest}; ${fence} is older`);
    }
    if (fence !== undefined) this.fences.set(key, fence);
    this.values.set(key, value);
    this.world.tell('write', { peer, key, value, ...(fence !== undefined && { fence }) });
  }

  /** There and back, each with its own delay; what is under way arrives although its sender stops meanwhile. */
  private ask<T>(what: string, answer: () => T): Promise<T> {
    const { world, process } = here()!;
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
        world.after(delay(), process, 'the store answers', settle);
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
