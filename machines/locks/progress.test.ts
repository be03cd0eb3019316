/** Small epochs, and many nodes that want locks: each epoch grants some request before the next one begins, so that all are granted. */
import { createMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import { Simulation } from '../../network/simulation.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { tell } from '../effects.js';
import { epochsMachine } from './epochs.js';
import { isHalfSpent } from './epoch.js';
import { locks } from './index.js';
import { lockMachine, type LockContext } from './lock.js';
import { EPOCHS } from './messages.js';

const voters = ['a', 'b', 'c'];

interface Crowd {
  readonly clients: number;
  /** Each requester wants many locks that no other node wants. */
  readonly own?: number;
  readonly voterAsks: boolean;
  readonly options: Readonly<Record<string, unknown>>;
}

const namesOf = (node: string, own: number): string[] => Array.from({ length: own }, (_, i) => `${node} ${i}`);

/** The locks of a scenario have one name; here they have many, each released after three ticks. */
function named(protocol: typeof locks, names: readonly string[]): typeof locks {
  const asks = names.map((lock) => {
    const ask = { event: () => ({ type: 'request', lock }), waits: true, completedBy: ['lock.released', 'lock.lost'] };
    return [`ask ${lock}`, ask] as const;
  });
  const reactions = names.map((lock) => ({ on: 'lock.granted', event: { type: 'release', lock } as never, after: 3 }));
  return { ...protocol, commands: { ...protocol.commands, ...Object.fromEntries(asks) }, reactions: () => reactions } as never;
}

/** How many requests there were, and how many were granted by tick 1500. */
function run(seed: number, { clients: count, own, voterAsks, options }: Crowd, protocol = locks) {
  const clients = Array.from({ length: count }, (_, i) => `x${i}`);
  const nodes = [...voters, ...clients];
  const askers = voterAsks ? nodes : clients;
  const asked = askers.flatMap((node) => (own === undefined ? ['lock'] : namesOf(node, own)).map((lock) => ({ node, lock })));
  const scenario = {
    protocol: 'locks',
    options: { hold: 3, clients, ...options },
    topology: {
      nodes,
      links: [
        ...voters.flatMap((u, i) => voters.slice(i + 1).map((v) => [u, v, 1])),
        ...clients.flatMap((x) => voters.map((v) => [v, x, 1])),
      ],
    },
    network: { latency: { min: 1, max: 9 }, order: 'fifo' },
    events: asked.map(({ node, lock }) => ({ at: 20, do: `ask ${lock}`, node })),
    seed,
    until: { at: 1500 },
  };
  const protocols = { locks: named(protocol, [...new Set(asked.map(({ lock }) => lock))]) };
  const { verdict, summary } = new Simulation(parseScenario(scenario, protocols), { host: 'snapshots' }).run();
  const { grants } = summary as unknown as { readonly grants: readonly unknown[] };
  expect(verdict).toBe('valid');
  return { asked: asked.length, granted: grants.length };
}

type States = Readonly<Record<string, any>>;
const inState = (states: States, [first, ...path]: readonly string[], change: (state: any) => unknown): States => ({
  ...states,
  [first!]:
    path.length === 0 ? change(states[first!]) : { ...states[first!], states: inState(states[first!].states, path, change) },
});
const changed = (machine: { config: any; implementations: any }, path: readonly string[], change: (state: any) => unknown) =>
  createMachine({ ...machine.config, states: inState(machine.config.states, path, change) }, machine.implementations) as never;

/** The next epoch is requested as soon as there is little room. */
const hasty: typeof locks = {
  ...locks,
  charts: {
    ...locks.charts,
    [EPOCHS]: changed(epochsMachine, ['serving', 'crowded'], (state) => ({ ...state, always: 'asked' })),
  },
};
/** The next epoch is requested when the token arrives, before the grant is confirmed. */
const early = tell(({ context: { fence, epoch, grants } }: { context: LockContext }) => ({
  role: isHalfSpent(fence!, epoch!, grants) ? EPOCHS : [],
  message: { type: 'spent' },
}));
const eager: typeof locks = {
  ...locks,
  charts: {
    ...locks.charts,
    lock: changed(lockMachine, ['waiting', 'recalling'], ({ entry, ...state }) => ({ ...state, entry: [entry, early] })),
  },
};

describe('all requests are granted', () => {
  const crowds: readonly [string, Crowd, string, typeof locks][] = [
    [
      'clients want eighteen locks, each alone, and an epoch has room for two',
      { clients: 3, own: 6, voterAsks: false, options: { locks: 2 } },
      'the next epoch is requested at once',
      hasty,
    ],
    [
      'the same with storage, and voters want as many',
      { clients: 3, own: 6, voterAsks: true, options: { locks: 2, storage: 5 } },
      'the next epoch is requested at once',
      hasty,
    ],
    [
      'an epoch has fences for two grants, clients and voters want one lock',
      { clients: 3, voterAsks: true, options: { grants: 3 } },
      'the next epoch is requested before the grant',
      eager,
    ],
    [
      'an epoch has a fence for one grant, which others confirm',
      { clients: 0, voterAsks: true, options: { grants: 2, confirm: true } },
      'the next epoch is requested before the grant',
      eager,
    ],
  ];
  describe.each(crowds)('%s', (_, crowd, how, mutant) => {
    test.each([0, 1, 2])('seed %i', (seed) => {
      const { asked, granted } = run(seed, crowd);
      expect(granted).toBe(asked);
    });

    test(`but not if ${how}`, () => {
      const { asked, granted } = run(0, crowd, mutant);
      expect(granted).toBeLessThan(asked);
    });
  });
});

test('an epoch with two fences is refused if there are clients', () => {
  const crowd = { clients: 1, voterAsks: false } as const;
  expect(() => run(0, { ...crowd, options: { grants: 2 } })).toThrow(
    'options.grants is 2, too few with clients: a client might never be granted a lock. Use 3 or more.',
  );
  expect(run(0, { ...crowd, options: { grants: 3 } })).toEqual({ asked: 1, granted: 1 });
});
