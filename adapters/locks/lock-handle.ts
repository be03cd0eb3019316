/** A lock as its holder sees it. */
export class Lock implements AsyncDisposable {
  readonly mode = 'exclusive';
  private readonly losing = new AbortController();

  constructor(
    readonly name: string,
    /** Larger than that of every earlier grant of this lock, whoever held it. */
    readonly fence: number,
    private readonly giveBack: (lock: Lock) => void,
  ) {}

  /** Aborts, with the reason, when the lock is lost: what it protects may belong to somebody else then. */
  get signal(): AbortSignal {
    return this.losing.signal;
  }

  /** Once is enough, more often is harmless. */
  release(): void {
    this.giveBack(this);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }

  /** Called by those who hand out locks. */
  lose(reason: Error): void {
    this.losing.abort(reason);
  }
}
