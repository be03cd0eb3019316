/**
 * Changes of members, clients, readers, canceled requests, links that go down and up at one or both ends, and restarts, combined in one
 * run. Each of these also has separate searches. `RUNS` sets how many runs of each kind there are. @defaultValue 500
 */
import { expect, test } from 'vitest';
import { Simulation } from '../../network/simulation.js';
import { Random } from '../../network/random.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { locks } from './index.js';

const RUNS = Number(process.env['RUNS'] ?? 500);

const voters = ['a', 'b', 'c', 'd', 'e'];
const clients = ['x', 'y'];
const nodes = [...voters, ...clients];
const pairs = voters.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v] as const));
const channels = pairs.flatMap(([u, v]) => [
  [u, v],
  [v, u],
]);

type Happening = Readonly<Record<string, unknown>> & { readonly at: number };
interface Weather {
  readonly kinds: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** One voter stops in each run, and has stored nothing. */
  readonly forgets?: boolean;
}

/** The node restarts with its stored state, or continues from where it stopped. */
const ending = (node: string, at: number, random: Random, again: 'reload' | 'restart'): readonly Happening[] => [
  { at, do: 'crash', node },
  { at: at + 1 + random.below(80), do: again, node },
];

function happening(what: string, at: number, random: Random): readonly Happening[] {
  switch (what) {
    case 'change': {
      const [add, remove] = random.shuffle(voters) as [string, string];
      return [{ at, do: what, node: random.pick(voters), ...random.pick([{ add }, { remove }, { add, remove }]) }];
    }
    case 'voter ends':
      return ending(random.pick(voters), at, random, 'reload');
    case 'client ends':
      return ending(random.pick(clients), at, random, 'reload');
    case 'voter stops':
      return ending(random.pick(voters), at, random, 'restart');
    case 'share':
      return [{ at, do: what, node: random.pick(voters) }];
    case 'cut':
    case 'join':
      return [{ at, do: what, link: random.pick(pairs) }];
    case 'down':
    case 'up':
      return [{ at, do: what, channel: random.pick(channels) }];
    default:
      return [{ at, do: what, node: random.pick(nodes) }];
  }
}

/** Until 1500; then all links are up, and both clients request again. */
function turmoil(name: string, seed: number, { kinds, forgets }: Weather): Happening[] {
  const random = new Random(seed, name);
  const events: Happening[] = [];
  for (let at = 0; at < 1500; at += 1 + random.below(60)) events.push(...happening(random.pick(kinds), at, random));
  if (forgets) events.push(...ending(random.pick(voters), random.below(1500), random, 'reload'));
  for (const channel of channels) events.push({ at: 1600, do: 'down', channel });
  for (const link of pairs) events.push({ at: 1700, do: 'join', link });
  for (const node of clients) events.push({ at: 5000, do: 'request', node });
  return events.toSorted((p, q) => p.at - q.at);
}

/** The properties that fail, and the last holder of the lock. Every other run has six fences for each epoch. */
function run(name: string, seed: number, weather: Weather) {
  const scenario = {
    protocol: 'locks',
    options: {
      voters: ['a', 'b', 'c'],
      clients,
      hold: 15,
      patience: 60,
      memory: 'new',
      ...weather.options,
      ...(seed % 2 && { grants: 6 }),
    },
    topology: { nodes, links: pairs.map(([u, v]) => [u, v, 1]) },
    network: { latency: { min: 1, max: 9 }, order: 'fifo' },
    events: turmoil(name, seed, weather),
    seed,
    until: { at: 9000 },
  };
  const { properties, summary } = new Simulation(parseScenario(scenario, { locks }), { host: 'snapshots' }).run();
  const { grants } = summary as { readonly grants: readonly { readonly node: string }[] };
  const failed = properties.filter(({ name, holds }) => holds === false && !name.startsWith('until something fails'));
  return { failed: failed.map(({ name }) => name), last: grants.slice(-2).map(({ node }) => node) };
}

/** machines/locks/SPEC.md, rule 11: what clients hold is not stored by voters, who may keep it again after they have started again. */
const mayFail = ({ kinds, forgets }: Weather): readonly string[] =>
  kinds.includes('voter ends') || forgets ? ['who keeps a lock has the largest fence'] : [];

const usual = ['change', 'request', 'request', 'request', 'cancel', 'cut', 'join'];
const stored = { storage: 3 };
const five = { voters };

test.each<[string, Weather]>([
  ['links come and go', { kinds: usual, options: stored }],
  ['links come and go at one end', { kinds: [...usual, 'down', 'up', 'up'], options: stored }],
  ['some read', { kinds: [...usual, 'share', 'share', 'share'], options: stored }],
  ['some read, and grants are confirmed', { kinds: [...usual, 'share', 'share', 'share'], options: { confirm: true } }],
  ['clients end', { kinds: [...usual, 'client ends'], options: { ...stored, ...five } }],
  ['there is little room, and disks are slow', { kinds: usual, options: { storage: 12, locks: 1, bytes: 3000 } }],
  ['voters end, and go on from what they stored', { kinds: [...usual, 'voter ends'], options: stored }],
  ['all of it', { kinds: [...usual, 'voter ends', 'client ends', 'share', 'down', 'up'], options: { storage: 7 } }],
  ['one voter forgets', { kinds: [...usual, 'share'], options: five, forgets: true }],
  ['voters stop, and go on', { kinds: [...usual, 'voter stops', 'share'], options: five }],
])('%s: all properties hold, and both clients are granted locks in the end', (name, weather) => {
  for (let seed = 0; seed < RUNS; seed++) {
    const { failed, last } = run(name, seed, weather);
    expect([seed, failed.filter((of) => !mayFail(weather).includes(of)), last.toSorted()]).toEqual([seed, [], clients]);
  }
});
