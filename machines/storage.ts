/**
 * Stored data of a node, as one more of its roles: the data that survives the end of the process, and pending writes.
 *
 * Another role stores by the effect `store {key, value}` and receives the event `stored {key}` when its value is safe. Until then the
 * process may end, and the value of a pending write is stored or not. Writes are performed one at a time, in order. A key that is stored
 * again before its answer is answered once, when its last value is safe; a value whose write has not begun by then is never written.
 *
 * The end of a write is the timer `written`: the world may fire it at any time, a live node fires it when its storage confirms the write. A
 * node that restarts (`reload` in a script) keeps this role and loses all others.
 *
 * States. `idle`: all is safe. `writing`: the first of `writes` is being performed.
 */
import { assign, setup } from 'xstate';
import { arm, chartTypes, disarm, effects, tell, type TimerEvent, withEvent } from './effects.js';

/**
 * Name of the role that keeps a node's stored data, and of its chart. A protocol whose charts `store` (see `effects`) opens it.
 *
 * @public
 */
export const STORAGE = 'storage';
/** The timer whose expiry means that a write has ended. */
export const WRITTEN = 'written';

/** A role's request to store a value. */
export interface Write {
  /** The role that receives the answer. */
  readonly by: string;
  readonly key: string;
  readonly value: unknown;
}

/** The stored values of a node, by key, as JSON. */
export type Stored = Readonly<Record<string, unknown>>;

export interface StorageInput {
  readonly stored: Stored;
  /** Duration of a write, in ticks. */
  readonly delay: number;
}

export interface StorageContext extends StorageInput {
  /** Pending writes: the first is being performed, the others wait. */
  readonly writes: readonly Write[];
}

export type StorageEvent = ({ readonly type: 'store' } & Write) | { readonly type: 'reload' } | TimerEvent;

type In = { context: StorageContext; event: StorageEvent };

const isOf = (a: Write) => (b: Write) => a.by === b.by && a.key === b.key;
/** Fields of the event to keep. */
const writeOf = ({ by, key, value }: Write): Write => ({ by, key, value });

const end = arm(({ context: { delay } }: In) => ({ timer: WRITTEN, delay }));
const noEnd = disarm((_: In) => ({ timer: WRITTEN }));
/** Answers the first write, unless a later value of the same key waits: then that write is answered. */
const answer = tell(({ context: { writes } }: In) => {
  const [first, ...others] = writes;
  return { role: others.some(isOf(first!)) ? [] : first!.by, message: { type: 'stored', key: first!.key } };
});

/**
 * Chart of the role `storage`: stored data that survives the process, and pending writes, performed one at a time. Charts write with
 * `store` of `effects`.
 *
 * @public
 */
export const storageMachine = setup({
  types: chartTypes<{ context: StorageContext; events: StorageEvent; input: StorageInput }>(),
  actions: {
    ...effects(),
    begin: assign({ writes: (_, write: Write) => [writeOf(write)] }),
    wait: assign({
      writes: ({ context: { writes } }, write: Write) => {
        const [first, ...others] = writes;
        return [first!, ...others.filter((other) => !isOf(write)(other)), writeOf(write)];
      },
    }),
    keep: assign(({ context: { stored, writes } }) => {
      const [first, ...others] = writes;
      const { key, value } = first!;
      return { stored: { ...stored, [key]: value }, writes: others };
    }),
    drop: assign({ writes: [] }),
  },
  guards: { isLast: ({ context }) => context.writes.length === 1 },
}).createMachine({
  id: STORAGE,
  context: ({ input }) => ({ ...input, writes: [] }),
  initial: 'idle',
  states: {
    idle: { on: { store: { target: 'writing', actions: [withEvent('begin'), end] } } },
    writing: {
      on: {
        store: { actions: withEvent('wait') },
        timer: [{ guard: 'isLast', target: 'idle', actions: [answer, 'keep'] }, { actions: [answer, 'keep', end] }],
        reload: { target: 'idle', actions: ['drop', noEnd] },
      },
    },
  },
});
