/**
 * A job that runs at fixed times. The delay keeps its deadline when the actor moves. After a crash, the action may run again: the
 * receiver recognizes it by its key.
 */
import { assign, setup } from 'xstate';
import { delivery } from 'xstate-quiver/cluster';

/** @param {(run: { number: number, key: string }) => void} run */
export const schedule = (run) =>
  setup({
    types: {
      context: /** @type {{ everyMs: number, times: number, number: number }} */ ({}),
      input: /** @type {{ everyMs: number, times: number }} */ ({}),
      events: /** @type {{ type: 'CANCEL' }} */ ({}),
    },
    actions: { run: (_, /** @type {number} */ number) => run({ number, key: delivery().key }) },
    delays: { every: ({ context }) => context.everyMs },
    guards: { isLast: ({ context: { number, times } }) => number >= times },
  }).createMachine({
    id: 'schedule',
    context: ({ input }) => ({ ...input, number: 0 }),
    initial: 'waiting',
    states: {
      waiting: {
        always: { guard: 'isLast', target: 'done' },
        on: { CANCEL: 'done' },
        after: {
          every: {
            target: 'waiting',
            reenter: true,
            actions: [
              assign({ number: ({ context }) => context.number + 1 }),
              { type: 'run', params: ({ context }) => context.number },
            ],
          },
        },
      },
      done: { type: 'final' },
    },
  });
