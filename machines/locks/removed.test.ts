/** Voters that were removed, and clients that were attached to them: runs. */
import { assign } from 'xstate';
import { expect, test } from 'vitest';
import { Simulation } from '../../network/simulation.js';
import { parseScenario } from '../../network/scenario/parse.js';
import type { TimerEvent } from '../effects.js';
import { recordsAfter, type UseToRecord } from './clients.js';
import { epochsGuards } from './guards.js';
import { locks } from './index.js';
import type { In } from './knowledge.js';
import { votesInOneOf } from './membership.js';
import { mutant } from './systems.fixtures.js';

type Happening = Readonly<Record<string, unknown>> & { readonly at: number };

const voters = ['a', 'b', 'c', 'd', 'e'];
const nodes = [...voters, 'x', 'y'];
const links = voters.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v, 1]));

/** The properties that fail in a run in which a, b and c vote at first, and x and y are clients. */
function failed(seed: number, events: readonly Happening[], options: object, protocol = locks): readonly string[] {
  const scenario = {
    protocol: 'locks',
    options: { voters: ['a', 'b', 'c'], clients: ['x', 'y'], hold: 15, patience: 60, ...options },
    topology: { nodes, links },
    network: { latency: { min: 1, max: 9 }, order: 'fifo' },
    events,
    seed,
    until: { at: 9000 },
  };
  const { properties } = new Simulation(parseScenario(scenario, { locks: protocol }), { host: 'snapshots' }).run();
  return properties.filter(({ holds }) => holds === false).map(({ name }) => name);
}

const votes = ({ context: { id, membership } }: In): boolean => votesInOneOf(id, membership);

test.each<[string, string, number, readonly Happening[], object, typeof locks]>([
  [
    'the only voter records a returned lock of a client: the next added voter keeps nothing for it',
    'who keeps a lock has the largest fence',
    8,
    [
      { at: 553, do: 'change', node: 'a', add: 'b', remove: 'c' },
      { at: 742, do: 'change', node: 'a', add: 'e' },
      { at: 841, do: 'request', node: 'x' },
      { at: 847, do: 'change', node: 'e', remove: 'a' },
      { at: 944, do: 'change', node: 'e', remove: 'b' },
      { at: 1387, do: 'change', node: 'e', add: 'a' },
    ],
    {},
    mutant({
      actions: {
        noteRecord: assign((args: In, event: UseToRecord) =>
          args.context.served.membership.voters.length === 1 ? {} : recordsAfter(args, event),
        ) as never,
      },
    }),
  ],
  [
    'a removed voter, which stays a member for the lock of its client, requests the next epoch from the voters when its fences are spent',
    'service',
    52,
    [
      { at: 0, do: 'request', node: 'a' },
      { at: 24, do: 'request', node: 'y' },
      { at: 60, do: 'request', node: 'x' },
      { at: 127, do: 'request', node: 'a' },
      { at: 141, do: 'request', node: 'x' },
      { at: 217, do: 'change', node: 'a', add: 'd', remove: 'a' },
      { at: 273, do: 'change', node: 'c', remove: 'c' },
      { at: 1075, do: 'change', node: 'd', add: 'c', remove: 'b' },
      { at: 1305, do: 'request', node: 'x' },
      { at: 1343, do: 'change', node: 'd', remove: 'd' },
      { at: 1360, do: 'request', node: 'c' },
      { at: 1434, do: 'request', node: 'x' },
      { at: 1434, do: 'request', node: 'y' },
      { at: 5000, do: 'request', node: 'x' },
      { at: 5000, do: 'request', node: 'y' },
    ],
    { grants: 6 },
    mutant({ guards: { isDue: ((args: In, event: TimerEvent) => epochsGuards.isDue(args, event) && votes(args)) as never } }),
  ],
  [
    'a voter that was removed while it was away, and accepts a client before it is notified, detaches it',
    'service',
    5,
    [
      { at: 1169, do: 'change', node: 'a', add: 'c', remove: 'b' },
      { at: 1301, do: 'change', node: 'c', add: 'b', remove: 'd' },
      { at: 1342, do: 'change', node: 'a', add: 'b', remove: 'a' },
      { at: 1365, do: 'crash', node: 'a' },
      { at: 1390, do: 'request', node: 'x' },
      { at: 1430, do: 'reload', node: 'a' },
    ],
    { memory: 'new', storage: 3, confirm: true },
    mutant({ guards: { isOverruledAndRemoved: () => false } }),
  ],
])('%s', (_, property, seed, events, options, without) => {
  expect(failed(seed, events, options)).toEqual([]);
  expect(failed(seed, events, options, without)).toContain(property);
});
