/**
 * Members that change, clients, requests that are given up, links that come and go and voters that end and start again, all in one run: what
 * each has searches of its own for, together.
 */
import { expect, test } from 'vitest';
import { Simulation } from '../../network/index.js';
import { Random } from '../../network/random.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { locks } from './index.js';

const voters = ['a', 'b', 'c', 'd', 'e'];
const clients = ['x', 'y'];
const nodes = [...voters, ...clients];
const pairs = voters.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v] as const));

type Happening = Readonly<Record<string, unknown>> & { readonly at: number };

/** Until 1500; then all is well, and both clients ask once more. */
function turmoil(seed: number, hasEnds: boolean): Happening[] {
  const random = new Random(seed, 'members and clients');
  const events: Happening[] = [];
  for (let at = 0; at < 1500; at += 1 + random.below(60)) {
    const what = random.pick(['change', 'request', 'request', 'request', 'cancel', 'cut', 'join', ...(hasEnds ? ['ends'] : [])]);
    const [add, remove] = random.shuffle(voters) as [string, string];
    if (what === 'change') {
      const change = random.pick([{ add }, { remove }, { add, remove }]);
      events.push({ at, do: what, node: random.pick(voters), ...change });
    } else if (what === 'request' || what === 'cancel') events.push({ at, do: what, node: random.pick(nodes) });
    else if (what === 'ends') {
      const node = random.pick(voters);
      events.push({ at, do: 'crash', node }, { at: at + 1 + random.below(80), do: 'reload', node });
    } else events.push({ at, do: what, link: random.pick(pairs) });
  }
  for (const link of pairs) events.push({ at: 1700, do: 'join', link });
  for (const node of clients) events.push({ at: 5000, do: 'request', node });
  return events.toSorted((p, q) => p.at - q.at);
}

function run(seed: number, hasEnds: boolean) {
  const scenario = {
    protocol: 'locks',
    options: {
      voters: ['a', 'b', 'c'],
      clients,
      hold: 15,
      patience: 60,
      storage: 3,
      memory: 'new',
      ...(seed % 2 && { grants: 6 }),
    },
    topology: { nodes, links: pairs.map(([u, v]) => [u, v, 1]) },
    network: { latency: { min: 1, max: 9 }, order: 'fifo' },
    events: turmoil(seed, hasEnds),
    seed,
    until: { at: 9000 },
  };
  const { properties, summary } = new Simulation(parseScenario(scenario, { locks }), { host: 'snapshots' }).run();
  const { grants } = summary as { readonly grants: readonly { readonly node: string }[] };
  const failed = properties.filter(({ name, holds }) => holds === false && !name.startsWith('until something fails'));
  return { failed: failed.map(({ name }) => name), last: grants.slice(-2).map(({ node }) => node) };
}

/** docs/locks.md, rule 11: what clients hold is not stored by voters, who may keep it once more after they have started again. */
const mayFail = (hasEnds: boolean): readonly string[] => (hasEnds ? ['who keeps a lock has the largest fence'] : []);

test.each([
  ['voters go on', false],
  ['voters end and start again', true],
])(
  '%s: 1,500 runs, half of them with six numbers an epoch: all properties hold, and afterwards both clients are served',
  (_, hasEnds) => {
    for (let seed = 0; seed < 1500; seed++) {
      const { failed, last } = run(seed, hasEnds);
      expect([seed, failed.filter((name) => !mayFail(hasEnds).includes(name)), last.toSorted()]).toEqual([seed, [], clients]);
    }
  },
);
