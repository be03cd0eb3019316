/**
 * What the reader of a block on a page of docs/ has in hand, by the names that the pages use. check-blocks.mjs compiles each block with
 * those of them that it names, and runs it; what is only declared here has no value, and such a block is not run.
 */
import { assign, sendTo, setup, type AnyActorRef } from 'xstate';
import { createElection } from 'xstate-quiver/adapters/election';
import { InProcessBus } from 'xstate-quiver/adapters/in-process';
import { createLocks } from 'xstate-quiver/adapters/locks';
import type { createNode } from 'xstate-quiver/adapters/node';
import { parseScenario } from 'xstate-quiver/network';
import { directory } from 'xstate-quiver/machines/directory';
import type { FencedStore, Main, RehearsalFailure, RehearseOptions } from 'xstate-quiver/test/rehearsal';

export const peers = ['a', 'b', 'c'];
export const bus = new InProcessBus();
export const transport = bus.transport('a');
export const wire = new InProcessBus().transport('d');

/** Three peers on a bus of their own; the reader has one of them. */
const together = <Made>(make: (of: InProcessBus, id: string) => Made): Made => {
  const apart = new InProcessBus();
  return peers.map((id) => make(apart, id))[0]!;
};
export const locks = together((of, id) => createLocks({ transport: of.transport(id), peers }));
export const election = together((of, id) => createElection({ transport: of.transport(id), peers }));

const values = new Map<string, unknown>();
export const store = {
  read: async (_: { fence: number }) => values.get('entry'),
  write: async (entry: unknown, _: { fence: number }) => void values.set('entry', entry),
};
export const page = 'page 1';
export const entry = 'entry 1';
export const { signal } = new AbortController();
export const print = async (_: string, __: { fence: number; signal: AbortSignal }): Promise<void> => {};
export const show = (_: unknown): void => {};
export const fire = async (_: { fence: number; signal: AbortSignal }): Promise<void> => {};
export const health = { set: (_: boolean, __: { missing: readonly string[] }): void => {} };
export const work = async (_: AbortSignal): Promise<void> => process.exit();

export const machine = setup({ types: { events: {} as { type: 'go' } }, actions: { move: () => {} } }).createMachine({
  initial: 'still',
  states: { still: { on: { go: { actions: 'move' } } } },
});
export const events = [{ type: 'go' }] as const;
export const perform = (_: string, __: unknown): void => {};

/** A client that may give up, and takes a late answer for that to its next question. */
export const client = setup({
  types: {
    context: {} as { server: AnyActorRef; asked: number; got: number },
    input: {} as { server: AnyActorRef },
    events: {} as { type: 'GO' } | { type: 'GIVE_UP' } | { type: 'ANSWER'; n: number },
  },
}).createMachine({
  context: ({ input }) => ({ ...input, asked: 0, got: 0 }),
  initial: 'idle',
  states: {
    idle: { on: { GO: 'waiting' } },
    waiting: {
      entry: [
        assign({ asked: ({ context }) => (context.asked % 2) + 1 }),
        sendTo(
          ({ context }) => context.server,
          ({ context }) => ({ type: 'ASK', n: context.asked }),
        ),
      ],
      on: { ANSWER: { target: 'answered', actions: assign({ got: ({ event }) => event.n }) }, GIVE_UP: 'idle' },
    },
    answered: { on: { GO: 'waiting' } },
  },
});
export const server = setup({
  types: {
    context: {} as { client: AnyActorRef },
    input: {} as { client: AnyActorRef },
    events: {} as { type: 'ASK'; n: number },
  },
}).createMachine({
  context: ({ input }) => input,
  on: {
    ASK: {
      actions: sendTo(
        ({ context }) => context.client,
        ({ event }) => ({ type: 'ANSWER', n: event.n }),
      ),
    },
  },
});

export const topology = {
  nodes: ['a', 'b', 'c'],
  links: [
    ['a', 'b', 1],
    ['b', 'c', 1],
  ],
} as const;
export const scenario = parseScenario({ protocol: 'directory', topology: { kind: 'ring', n: 8 } }, { directory });
export const myProtocol = directory;

export declare const node: ReturnType<typeof createNode>;
export declare const otherNode: typeof node;
export declare const file: { write(text: string): void };
export const checkout = setup({ types: { context: {} as { items: readonly string[] } } }).createMachine({
  context: { items: [] },
});

/** Of the page on rehearsals. */
export declare const sleep: (ms: number) => Promise<void>;
export declare const invoices: Pick<FencedStore, 'write'> & { read(key: string): Promise<number | undefined> };
export declare const order: number;
export declare const id: string;
export declare const options: Omit<RehearseOptions, 'replay'>;
export declare const failure: RehearsalFailure;
export declare const main: Main;
