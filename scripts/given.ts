/**
 * Objects that a reader of docs/ has already, under the names that the pages use. check-blocks.mjs compiles each block with those of
 * `given` that it names, and runs it. A block with a name that is only `Declared`, without a value, is not run.
 */
import { assign, sendTo, setup, type AnyActorRef } from 'xstate';
import { createElection } from 'xstate-quiver/election';
import { InProcessBus } from 'xstate-quiver/transports';
import { createLocks } from 'xstate-quiver/locks';
import type { createNode } from 'xstate-quiver/node';
import { parseScenario } from 'xstate-quiver/network';
import { directory } from 'xstate-quiver/machines';
import type { Main, rehearse } from 'xstate-quiver/rehearsal';

const peers = ['a', 'b', 'c'];
const bus = new InProcessBus();
const transport = bus.transport('a');
const wire = new InProcessBus().transport('d');

/** Three peers on their own bus; the reader has one of them. */
const together = <Made>(make: (of: InProcessBus, id: string) => Made): Made => {
  const apart = new InProcessBus();
  return peers.map((id) => make(apart, id))[0]!;
};
const locks = together((of, id) => createLocks({ transport: of.transport(id), peers }));
const election = together((of, id) => createElection({ transport: of.transport(id), peers }));

const values = new Map<string, unknown>();
const store = {
  read: async (_: { fence: number }) => values.get('entry'),
  write: async (entry: unknown, _: { fence: number }) => void values.set('entry', entry),
};
const page = 'page 1';
const entry = 'entry 1';
const { signal } = new AbortController();
const print = async (_: string, __: { fence: number; signal: AbortSignal }): Promise<void> => {};
const show = (_: unknown): void => {};
const fire = async (_: { fence: number; signal: AbortSignal }): Promise<void> => {};
const health = { set: (_: boolean, __: { missing: readonly string[] }): void => {} };
const work = async (_: AbortSignal): Promise<void> => process.exit();

const machine = setup({ types: { events: {} as { type: 'go' } }, actions: { move: () => {} } }).createMachine({
  initial: 'still',
  states: { still: { on: { go: { actions: 'move' } } } },
});
const events = [{ type: 'go' }] as const;
const perform = (_: string, __: unknown): void => {};

/** A client that may give up, and then takes a late answer for that to its next question. */
const client = setup({
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
const server = setup({
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

const topology = {
  nodes: ['a', 'b', 'c'],
  links: [
    ['a', 'b', 1],
    ['b', 'c', 1],
  ],
} as const;
const scenario = parseScenario({ protocol: 'directory', topology: { kind: 'ring', n: 8 } }, { directory });
const myProtocol = directory;
const checkout = setup({ types: { context: {} as { items: readonly string[] } } }).createMachine({
  context: { items: [] },
});

type RehearseOptions = Parameters<typeof rehearse>[0];

interface Declared {
  readonly node: ReturnType<typeof createNode>;
  readonly otherNode: ReturnType<typeof createNode>;
  readonly file: { write(text: string): void };
  // For the page on rehearsals.
  readonly sleep: (ms: number) => Promise<void>;
  readonly invoices: Pick<Parameters<Main>[0]['store'], 'write'> & {
    read(key: string, options?: { fence: number }): Promise<number | undefined>;
  };
  readonly order: number;
  readonly id: string;
  readonly options: Omit<RehearseOptions, 'replay'>;
  readonly failure: NonNullable<RehearseOptions['replay']>;
  readonly main: Main;
}

export const given = {
  peers,
  bus,
  transport,
  wire,
  locks,
  election,
  store,
  page,
  entry,
  signal,
  print,
  show,
  fire,
  health,
  work,
  machine,
  events,
  perform,
  client,
  server,
  topology,
  scenario,
  myProtocol,
  checkout,
  ...(undefined as unknown as Declared),
};
