/**
 * How a register comes to those who vote now (register-copies.ts says by which writes): each member moves it when their list changes, and
 * whoever has called for the change waits until it is there.
 */
import { Subject, Subscription } from 'rxjs';
import { ClosedError, ConfigurationError } from '../transports/errors.js';
import { later } from '../transports/later.js';
import { escape } from '../transports/reading.js';
import type { Locks } from './locks.js';
import type { Moving } from './members.js';
import { decidedBy, type Keepers } from './register-copies.js';
import { WAITING_MS } from './register-questions.js';

/** What a register does of it. */
interface Steps {
  /** Until its own copy is known. */
  readonly begun: Promise<void>;
  /** With whom this peer's copy is kept, if it has one. */
  keepers(): Keepers | undefined;
  /** Under the lock of the register. */
  move(): Promise<void>;
}

export class RegisterMoves implements Moving {
  /** The version of the list with which it is kept alone, by a majority of it, as far as this peer has seen. */
  private settled = 1;
  private moving: Promise<void> | null = null;
  /** The copy of this peer, or what it knows of the others', is another one. */
  private readonly seen$ = new Subject<void>();

  constructor(
    private readonly locks: Locks,
    private readonly name: string,
    private readonly steps: Steps,
  ) {
    const { notifications$, closed } = locks.node;
    locks.registers.add(this);
    void closed.then(() => {
      locks.registers.delete(this);
      this.seen$.complete();
    });
    // Once the step that tells of it is over.
    const moveOn = () => void this.move().catch(() => {});
    moveOn();
    notifications$.subscribe(({ type }) => {
      if (type === 'members' || type === 'serving') moveOn();
    });
  }

  /** A majority keeps it so, as this peer has seen. */
  note({ version, from }: Keepers): void {
    if (from) return;
    this.settled = Math.max(this.settled, version);
    this.look();
  }

  look(): void {
    this.seen$.next();
  }

  async moved(): Promise<void> {
    const { version } = decidedBy(this.locks);
    const waiting = new Subscription();
    const isThere = new Promise<void>((resolve, reject) => {
      const look = () => {
        if (this.isKeptSince(version)) resolve();
      };
      waiting.add(this.seen$.subscribe({ next: look, complete: resolve }));
      later(waiting, this.locks.node.environment.clock, resolve, WAITING_MS);
      look();
      // It may have failed before this was called.
      this.move().catch(reject);
    });
    try {
      await isThere;
    } catch (error) {
      if (!(error instanceof ClosedError)) throw this.unmoved(error as Error);
    } finally {
      waiting.unsubscribe();
    }
  }

  private isKeptSince(version: number): boolean {
    if (decidedBy(this.locks).peers.includes(this.locks.node.id)) return this.settled >= version;
    // Who is a member no more sees by its copy what the others have done.
    const keepers = this.steps.keepers();
    return keepers !== undefined && !keepers.from && keepers.version >= version;
  }

  /** Whoever is a member moves it to a later list; who finds that done does nothing. */
  private move(): Promise<void> {
    this.moving ??= this.moveAll().finally(() => (this.moving = null));
    return this.moving;
  }

  private async moveAll(): Promise<void> {
    const { node } = this.locks;
    await this.steps.begun;
    try {
      for (;;) {
        const { version, peers } = decidedBy(this.locks);
        if (version <= this.settled || !peers.includes(node.id)) return;
        await this.steps.move();
      }
    } catch (error) {
      if (!(error instanceof ClosedError))
        console.warn(
          escape(
            `"${this.name}" of "${node.name}" at peer "${node.id}" cannot move to the current members: ${(error as Error).message}`,
          ),
        );
      throw error;
    }
  }

  private unmoved(cause: Error): ConfigurationError {
    const { name } = this.locks.node;
    const { peers } = decidedBy(this.locks);
    return new ConfigurationError(
      `the members of "${name}" are ${peers.join(', ')} now, and "${this.name}" has not moved to them: ${cause.message}. Keep all previous members running, fix the problem, and repeat the change`,
      { cause },
    );
  }
}
