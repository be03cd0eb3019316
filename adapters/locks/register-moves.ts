/**
 * The move of a register to the present voters (register-copies.ts contains the writes). Each member moves it after a change of the
 * membership, and the caller of the change waits until it has moved.
 */
import { Subject, Subscription } from 'rxjs';
import { ClosedError, ConfigurationError } from '../transports/errors.js';
import { later } from '../transports/later.js';
import { escape } from '../transports/reading.js';
import type { Locks } from './locks.js';
import type { Moving } from './members.js';
import { decidedBy, type Keepers } from './register-copies.js';
import { WAITING_MS } from './register-questions.js';
import { thrownText } from '../../machines/errors.js';

/** The functions of the register that a move needs. */
interface Steps {
  /** Resolves when the register's own copy is known. */
  readonly begun: Promise<void>;
  /** The members that keep this peer's copy, if it has one. */
  keepers(): Keepers | undefined;
  /** Moves the register, under its lock. */
  move(): Promise<void>;
}

export class RegisterMoves implements Moving {
  /** The latest version with which a majority keeps the register with a single list, as far as this peer has seen. */
  private settled = 1;
  private moving: Promise<void> | null = null;
  /** Emits when this peer's copy, or its knowledge of other copies, has changed. */
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
    // After the step that emits the notification.
    const moveOn = () => void this.move().catch(() => {});
    moveOn();
    notifications$.subscribe(({ type }) => {
      if (type === 'members' || type === 'serving') moveOn();
    });
  }

  /** Records that a majority keeps the register with this list. */
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
      // The move may have failed before this call.
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
    // A peer that is no longer a member recognizes from its copy that the others have moved the register.
    const keepers = this.steps.keepers();
    return keepers !== undefined && !keepers.from && keepers.version >= version;
  }

  /** Moves the register to a later list, at each member. Without effect if it has moved already. */
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
            `"${this.name}" of "${node.name}" at peer "${node.id}" cannot move to the current members: ${thrownText(error)}`,
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
