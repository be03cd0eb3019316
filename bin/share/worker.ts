/** A process that runs one piece after the other, and is started anew when it has ended. */
import { fork, type ChildProcess } from 'node:child_process';
import type { PieceEnding, SharedTask } from './job.js';

/** It has ended by itself, or was ended, before its piece. */
export class WorkerEnded extends Error {}

export class Worker {
  private child: ChildProcess | null = null;

  constructor(private readonly task: SharedTask) {}

  /** @throws WorkerEnded */
  async run(input: unknown): Promise<PieceEnding<unknown>> {
    const child = (this.child ??= this.start());
    try {
      return await new Promise((resolve, reject) => {
        child.once('message', (ended) => resolve(ended as PieceEnding<unknown>));
        child.once('exit', (code, signal) => reject(new WorkerEnded(signal ?? `status ${code}`)));
        child.once('error', reject);
        child.send(input as object, (error) => error && reject(new WorkerEnded(error.message)));
      });
    } catch (error) {
      this.end();
      throw error;
    } finally {
      child.removeAllListeners();
    }
  }

  /** At once, whatever it is doing. */
  end(): void {
    this.child?.kill('SIGKILL');
    this.child = null;
  }

  /** What an application prints goes beside what the command says. */
  private start(): ChildProcess {
    return fork(new URL('pieces.js', import.meta.url), [JSON.stringify(this.task)], { stdio: ['ignore', 2, 2, 'ipc'] });
  }
}
