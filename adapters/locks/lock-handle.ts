/** A lock as its holder sees it. */
export class Lock implements AsyncDisposable {
  readonly mode = 'exclusive';
  readonly #losing = new AbortController();
  readonly #giveBack: (lock: Lock) => void;

  constructor(
    readonly name: string,
    /** Larger than that of every earlier grant of this lock, whoever held it. */
    readonly fence: number,
    giveBack: (lock: Lock) => void,
  ) {
    this.#giveBack = giveBack;
  }

  /** Aborts, with the reason, when the lock is lost: what it protects may belong to somebody else then. */
  get signal(): AbortSignal {
    return this.#losing.signal;
  }

  /** Once is enough, more often is harmless. */
  release(): void {
    this.#giveBack(this);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }

  /** Called by those who hand out locks. */
  lose(reason: Error): void {
    this.#losing.abort(reason);
  }
}
