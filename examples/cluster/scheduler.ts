/**
 * A scheduler: each job is an actor that fires once at its time, even if its process has ended.
 *
 * An action runs at least once, so the receiver keeps the idempotency keys that it has received: a job counts once.
 */
import { setup } from 'xstate';
import { delivery } from 'xstate-quiver/cluster';

/** Executes jobs, outside of the cluster. */
export class Worker {
  readonly done = new Map<string, string>();

  fire(key: string, job: string): void {
    if (!this.done.has(key)) this.done.set(key, job);
  }
}

export const jobMachine = (worker: Worker) =>
  setup({
    types: { input: {} as { job: string; inMs: number }, context: {} as { job: string; inMs: number } },
    actions: { fire: ({ context }) => worker.fire(delivery().key, context.job) },
    delays: { due: ({ context }) => context.inMs },
  }).createMachine({
    context: ({ input }) => input,
    initial: 'scheduled',
    states: { scheduled: { after: { due: { target: 'fired', actions: 'fire' } } }, fired: { type: 'final' } },
  });
