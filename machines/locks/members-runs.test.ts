/** Long runs in which the membership changes again and again, while links go down and up and processes restart. */
import { assign } from 'xstate';
import { describe, expect, test } from 'vitest';
import { Simulation } from '../../network/simulation.js';
import { Random } from '../../network/random.js';
import { parseScenario } from '../../network/scenario/parse.js';
import type { Message } from '../effects.js';
import type { Configuration, Property } from '../protocol.js';
import { locks } from './index.js';
import { withoutWanted, type EpochsContext, type From } from './knowledge.js';
import { mutant } from './systems.fixtures.js';
import { epochsOf } from './view.js';

const nodes = ['a', 'b', 'c', 'd', 'e', 'f'];
const pairs = nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v] as const));

type Happening = Readonly<Record<string, unknown>> & { readonly at: number };

interface Weather {
  readonly hasCuts: boolean;
  readonly hasEnds: boolean;
}

/** Until tick 1500; then all links are up, and all nodes request again. A change that is not valid at its node is refused. */
function turmoil(seed: number, { hasCuts, hasEnds }: Weather): Happening[] {
  const random = new Random(seed, 'members');
  const events: Happening[] = [];
  const change = (at: number): Happening => {
    const [add, remove] = random.shuffle(nodes) as [string, string];
    const what = random.pick([{ add }, { remove }, { add, remove }]);
    return { at, do: 'change', node: random.pick(nodes), ...what };
  };
  for (let at = 0; at < 1500; at += 1 + random.below(60)) {
    const what = random.pick(['change', 'request', 'request', ...(hasCuts ? ['cut', 'join'] : []), ...(hasEnds ? ['ends'] : [])]);
    const node = random.pick(nodes);
    if (what === 'change') events.push(change(at));
    else if (what === 'request') events.push({ at, do: what, node });
    else if (what === 'ends') events.push({ at, do: 'crash', node }, { at: at + 1 + random.below(80), do: 'reload', node });
    else events.push({ at, do: what, link: random.pick(pairs) });
  }
  for (const link of pairs) events.push({ at: 1600, do: 'join', link });
  for (const node of nodes) events.push({ at: 3000, do: 'request', node });
  return events;
}

function run(seed: number, weather: Weather) {
  const scenario = {
    protocol: 'locks',
    options: { hold: 20, voters: ['a', 'b', 'c'], memory: 'new', storage: 3 },
    topology: { nodes, links: pairs.map(([u, v]) => [u, v, 1]) },
    network: { latency: { min: 1, max: 9 }, order: 'fifo' },
    events: turmoil(seed, weather).toSorted((p, q) => p.at - q.at),
    seed,
    until: { at: 6000 },
  };
  const simulation = new Simulation(parseScenario(scenario, { locks }), { host: 'snapshots' });
  const report = simulation.run();
  const failed = report.properties.filter(({ holds }) => holds === false).map(({ name }) => name);
  const standing = [...simulation.configuration.nodes].map(([node, view]) => ({ node, ...epochsOf(view).context }));
  return { ...report, failed, standing };
}

const seeds = Array.from({ length: 6 }, (_, seed) => seed);
type Granted = { readonly grants: readonly { readonly node: string; readonly fence: number }[] };

describe.each<[string, Weather]>([
  ['nothing else happens', { hasCuts: false, hasEnds: false }],
  ['links come and go', { hasCuts: true, hasEnds: false }],
  ['links come and go, and processes end and begin again', { hasCuts: true, hasEnds: true }],
])('%s', (_, weather) => {
  test.each(seeds)('unique fences, one majority; in the end one list, all voters served (seed %i)', (seed) => {
    const { failed, standing, summary } = run(seed, weather);
    expect(failed).toEqual([]);
    const { membership } = standing.reduce((a, b) => (b.membership.version > a.membership.version ? b : a));
    expect(standing.map((node) => node.membership)).toEqual(standing.map(() => membership));
    const epoch = Math.max(...standing.map(({ served }) => served.epoch));
    const serving = standing.filter(({ served }) => served.epoch === epoch).map(({ node }) => node);
    expect(serving).toEqual(expect.arrayContaining([...membership.voters]));
    const { grants } = summary as unknown as Granted;
    const last = grants.slice(-membership.voters.length).map(({ fence }) => fence);
    expect(last).toEqual(last.toSorted((a, b) => a - b));
  });
});

test('the list is changed in these runs, several times', () => {
  const versions = seeds.map((seed) =>
    run(seed, { hasCuts: true, hasEnds: true }).standing.map(({ membership }) => membership.version),
  );
  expect(Math.max(...versions.flat())).toBeGreaterThan(3);
});

describe('if not all linked nodes reach each other', () => {
  /** The list that a knows in the end, and the number of epochs. */
  function changed(voters: readonly string[], cuts: readonly Happening[], what: object) {
    const others = ['a', 'b', 'c', 'e'];
    const scenario = {
      protocol: 'locks',
      options: { hold: 1, voters, patience: 1000 },
      topology: { nodes: others, links: others.flatMap((u, i) => others.slice(i + 1).map((v) => [u, v, 1])) },
      network: { latency: 1, order: 'fifo' },
      events: [...cuts, { at: 100, do: 'change', node: 'a', ...what }],
      seed: 1,
      until: { at: 3000 },
    };
    const simulation = new Simulation(parseScenario(scenario, { locks }), { host: 'snapshots' });
    simulation.run();
    const { membership, served } = epochsOf(simulation.configuration.nodes.get('a')!).context;
    return { voters: membership.voters, epochs: served.epoch };
  }

  test('the named members are majorities of both lists, if possible', () => {
    // The second epoch is that of a and b.
    const cuts = [
      { at: 10, do: 'cut', link: ['b', 'c'] },
      { at: 50, do: 'cut', link: ['b', 'e'] },
    ];
    expect(changed(['a', 'b', 'c'], cuts, { add: 'e', remove: 'b' })).toEqual({ voters: ['a', 'c', 'e'], epochs: 6 });
  });

  test('an impossible change is tried now and then, and not endlessly', () => {
    // Ten times in a thousand ticks of patience, with two numbers each.
    const { voters, epochs } = changed(['a', 'b'], [{ at: 10, do: 'cut', link: ['b', 'e'] }], { add: 'e', remove: 'b' });
    expect(voters).toEqual(['a', 'b']);
    expect(epochs).toBeLessThan(62);
  });
});

describe('c withdraws a change that b has requested from the leader a', () => {
  const knownAt = (c: Configuration, node: string): EpochsContext => epochsOf(c.nodes.get(node)!).context;
  const isLinked = (c: Configuration): boolean => knownAt(c, 'a').links.includes('b');
  const [leader, caller] = [(c: Configuration) => knownAt(c, 'a').wanted, (c: Configuration) => knownAt(c, 'b').wanted];
  const promise = (name: string, description: string, isBroken: (c: Configuration) => boolean): Property => ({
    name,
    description,
    kind: 'eventually',
    when: (c, node) => node === 'a' && isBroken(c),
    holds: (c) => !isBroken(c),
  });
  const promises = [
    promise('forgotten', 'The change of a peer that is not linked ends.', (c) => leader(c) !== null && !isLinked(c)),
    promise('kept', 'A change of a linked peer stays.', (c) => caller(c) !== null && leader(c) === null && isLinked(c)),
  ];
  const both = (at: number, what: string, node: string) => ['a', 'c'].map((end) => ({ at, do: what, link: [end, node] }));
  const withdraw = { at: 300, do: 'withdraw', node: 'c' };
  const arrives = both(250, 'join', 'd');
  const stops = [{ at: 200, do: 'crash', node: 'b' }, ...['a', 'c'].map((end) => ({ at: 201, do: 'down', channel: [end, 'b'] }))];
  const cut = both(200, 'cut', 'b');
  const returns = [...both(400, 'join', 'b'), { at: 400, do: 'join', link: ['b', 'd'] }];

  function outcome(events: readonly Happening[], protocol: typeof locks) {
    const others = ['a', 'b', 'c', 'd', 'e'];
    const scenario = {
      protocol: 'locks',
      options: { hold: 1, voters: ['a', 'b', 'c', 'd'] },
      topology: { nodes: others, links: ['ab', 'ac', 'bc'].map(([u, v]) => [u, v, 1]) },
      network: { latency: 1, order: 'fifo' },
      events: [{ at: 100, do: 'change', node: 'b', add: 'e', remove: 'a' }, ...events],
      seed: 1,
      until: { at: 1000 },
    };
    const judged: typeof locks = { ...protocol, properties: (instance) => [...protocol.properties(instance), ...promises] };
    const simulation = new Simulation(parseScenario(scenario, { locks: judged }), { host: 'snapshots' });
    const failed = simulation.run().properties.filter(({ holds }) => holds === false);
    const { wanted, membership } = knownAt(simulation.configuration, 'a');
    return { failed: failed.map(({ name }) => name), by: wanted?.by, voters: membership.voters.join('') };
  }

  type Args = { readonly context: EpochsContext; readonly event: Message & Partial<From<unknown>> };
  const dropping = (links: (context: EpochsContext) => readonly string[]) =>
    mutant({
      actions: {
        dropWanted: assign(({ context, event }: Args) => withoutWanted({ ...context, links: links(context) }, event)) as never,
      },
    });
  const [onlyByCaller, byAll] = [dropping(({ wanted }) => (wanted ? [wanted.by] : [])), dropping(() => [])];

  test.each<[string, readonly Happening[], string | undefined, string]>([
    ['of a linked peer stays', [withdraw], 'b', 'abcd'],
    ['of a peer that has stopped ends', [...stops, ...arrives, withdraw], undefined, 'abcd'],
    ['of a peer that was cut off ends', [...cut, ...arrives, withdraw], undefined, 'abcd'],
    ['of a peer that was cut off is made when it is back', [...cut, ...arrives, withdraw, ...returns], undefined, 'bcde'],
  ])('the change %s', (_, events, by, list) => {
    expect(outcome(events, locks)).toEqual({ failed: [], by, voters: list });
  });

  test.each<[string, typeof locks, readonly Happening[], string]>([
    ['only its caller ends a change', onlyByCaller, [...stops, ...arrives, withdraw], 'forgotten'],
    ['each voter ends each change', byAll, [withdraw], 'kept'],
  ])('if %s, a promise breaks', (_, protocol, events, name) => {
    expect(outcome(events, protocol).failed).toEqual([name]);
  });
});
