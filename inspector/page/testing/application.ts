/**
 * An XState application for tests that reports to an inspector from the test's own process: an app with a cart, and a promise for each job.
 */
import { onTestFinished } from 'vitest';
import { assign, createActor, fromPromise, setup, type AnyActorRef } from 'xstate';
import { reportActors } from '../../live/actors.js';
import { Outbox } from '../../live/outbox.js';
import { reachActors, Reached } from '../../live/reached.js';
import { listenTo } from '../../live/listening.js';

const cart = setup({ guards: { isPaid: () => false } }).createMachine({
  id: 'cart',
  initial: 'empty',
  context: { items: 0 },
  on: { REFUND: { guard: 'isPaid', target: '.empty' } },
  states: {
    empty: { on: { ADD: { target: 'filled', actions: assign({ items: ({ event }) => event['count'] ?? 1 }) } } },
    filled: {
      on: {
        ADD: { actions: assign({ items: ({ context, event }) => context.items + (event['count'] ?? 1) }) },
        CLEAR: { target: 'empty', actions: assign({ items: 0 }) },
      },
    },
  },
});

const app = setup({ actors: { cart, load: fromPromise(async ({ input }: { input: number }) => input) } }).createMachine({
  id: 'app',
  initial: 'idle',
  context: { loaded: 0 },
  invoke: { src: 'cart', id: 'cart' },
  states: {
    idle: { on: { LOAD: 'loading' } },
    loading: {
      invoke: {
        src: 'load',
        input: ({ context }) => context.loaded,
        onDone: { target: 'idle', actions: assign({ loaded: ({ context }) => context.loaded + 1 }) },
      },
    },
  },
});

export interface Application {
  readonly actor: AnyActorRef;
  /** Starts jobs one after the other, each with its own promise. */
  load(jobs: number): Promise<void>;
}

/** Starts the application when its reports are connected. It stops at the end of the test. */
export async function startApplication(url: string, { reach = false } = {}): Promise<Application> {
  const program = { name: 'shop', run: String(Math.random()) };
  const outbox = new Outbox(url, program);
  const reached = new Reached();
  onTestFinished(reportActors((report) => outbox.put(report), reachActors(reached)));
  await outbox.connect();
  if (reach) onTestFinished(listenTo(url, program, reached));
  const actor = createActor(app).start();
  onTestFinished(async () => {
    actor.stop();
    await outbox.close().catch(() => {});
  });
  return {
    actor,
    async load(jobs) {
      for (let job = 0; job < jobs; job++) {
        actor.send({ type: 'LOAD' });
        while (!actor.getSnapshot().matches('idle')) await Promise.resolve();
      }
      // A connection that was idle for long may be closed: what waits is sent again.
      await outbox.flush().catch(() => {});
    },
  };
}
