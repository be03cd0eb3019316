/**
 * Rule 12: readers share locks and writers do not, in every interleaving of small systems and in runs; and the violations without a part of
 * it.
 */
import { assign, createMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import { Simulation } from '../../network/simulation.js';
import { Random } from '../../network/random.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { directoryMachine } from '../directory/index.js';
import { locks } from './index.js';
import type { LockContext } from './lock.js';
import { beginningOf, keptOf, type PromiseReport } from './promises.js';
import { oneUser, undisturbedUser } from './users.fixtures.js';
import { again, all, ask, change, crash, cut, mutant, read, searchOn, type Commands, type Search } from './systems.fixtures.js';

const quiet: Search = { hold: 1, properties: [oneUser] };
const keeps = (...users: string[]): Search => ({ hold: null, properties: [oneUser, ...users.map(undisturbedUser)] });
const two = { voters: ['a', 'b'] };
const withClient = {
  nodes: ['a', 'b', 'x'],
  links: [
    ['a', 'b', 1],
    ['a', 'x', 1],
    ['b', 'x', 1],
  ],
} as const;

describe('all properties hold', () => {
  test.each<[string, number, Commands, Search]>([
    ['two read, the third writes', 243, [read('a'), read('b'), ask('c')], quiet],
    ['one reads, two write', 186, [read('b'), ask('a'), ask('c')], quiet],
    ['b reads, then writes, c writes', 58, [read('b'), ask('b'), ask('c')], quiet],
    // No node waits for another, or it would wait forever.
    ['three read, and none of them ends', 84, [read('a'), read('b'), read('c')], keeps()],
    ['b reads, c writes, the leader proposes again', 747, [read('b'), ask('c'), again('a')], quiet],
    ['b and c read on, the leader proposes again', 337, [read('b'), read('c'), again('a')], keeps('b', 'c')],
    ['a reader is cut off from one, who writes', 1035, [read('a'), ask('b'), cut('a', 'b')], { hold: 1 }],
    ['a peer that reads on crashes, another writes', 4892, [read('c'), ask('b'), ...crash('c')], { hold: null }],
    ['one that reads is removed, another writes', 685, [read('c'), ask('b'), change('a', { remove: 'c' })], quiet],
    ['c is added, b reads on', 6980, [read('b'), change('a', { add: 'c' })], { ...keeps('b'), options: two }],
    ['grants are confirmed', 198, [read('a'), ask('b')], { ...quiet, options: { confirm: true } }],
  ])('%s: %i states', (_, states, commands, search) => {
    expect(searchOn(all, locks, commands, search)).toMatchObject({ verdict: 'valid', states });
  });

  test('both voters of a client read, and it writes: 374 states', () => {
    const search = { ...quiet, options: { clients: ['x'] } };
    expect(searchOn(withClient as never, locks, [ask('x'), read('a'), read('b')], search)).toMatchObject({
      verdict: 'valid',
      states: 374,
    });
  });
});

const never = () => false;
const always = () => true;
type In = { context: LockContext; event: any };
const keeping = (how: (reports: readonly PromiseReport[], voters: readonly string[]) => ReturnType<typeof keptOf>) =>
  mutant({ actions: { conclude: assign(({ context }: any) => ({ served: beginningOf(context, how) })) as never } });
const largestAlone: typeof keptOf = (reports, voters) => keptOf(reports, voters).slice(-1);
const keptBefore: typeof keptOf = (reports, voters) =>
  reports[0]!.kept.length > 0 ? [...reports[0]!.kept] : keptOf(reports, voters);
/** No readers are known as an epoch begins. */
const forgottenReaders: typeof locks = (() => {
  const { config, implementations } = directoryMachine;
  const context = (args: any) => ({ ...(config.context as any)(args), copyset: [] });
  const directory = createMachine({ ...config, context } as never, implementations as never);
  return { ...locks, charts: { ...locks.charts, directory: directory as never } };
})();

describe('without a part of rule 12 a promise breaks, shown by a counterexample', () => {
  test.each<[string, string, typeof locks, Commands, Search]>([
    ['a writer waits for no reader', 'one user', mutant({}, { guards: { needsNoReturn: always } }), [read('a'), ask('b')], quiet],
    ['a reader answers while it reads', 'one user', mutant({ guards: { isReadHere: never } }), [read('a'), ask('b')], quiet],
    [
      'a reader does not reply when it ends',
      'service',
      mutant({}, { actions: { noteRecall: assign({}) as never } }),
      [read('a'), ask('b')],
      quiet,
    ],
    [
      'a reader forgets the earlier readers',
      'one user',
      mutant(
        {},
        { actions: { noteGrant: assign(({ event }: In) => ({ fence: event.fence, copyset: [] as string[] })) as never } },
      ),
      [read('a'), read('b'), ask('c')],
      keeps(),
    ],
    ['a reader keeps the token', 'service', mutant({}, { guards: { isToRead: never } }), [read('a'), read('b')], { hold: null }],
    [
      'a new epoch keeps a reader that is gone',
      'service',
      keeping(keptBefore),
      [read('c'), again('a'), ask('b'), ...crash('c')],
      { hold: null, only: 'service' },
    ],
    ['a new epoch keeps one reader', 'undisturbed', keeping(largestAlone), [read('b'), read('c'), again('a')], keeps('b', 'c')],
    ['a new epoch does not know its readers', 'one user', forgottenReaders, [read('b'), ask('c'), again('a')], quiet],
  ])('%s: %s', (_, property, protocol, commands, search) => {
    const found = searchOn(all, protocol, commands, search);
    expect(found.verdict).toBe('invalid');
    expect(found.counterexample?.property).toBe(property);
  });
});

const nodes = ['a', 'b', 'c', 'd', 'e'];
const pairs = nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v] as const));
interface Weather {
  readonly hasFaults: boolean;
}

/**
 * All nodes request again and again, two of three times to read. Until tick 1500 links go down and up and processes restart; then all links
 * are up, and all nodes request again.
 */
function turmoil(seed: number, { hasFaults }: Weather) {
  const random = new Random(seed, 'readers');
  const events: (Readonly<Record<string, unknown>> & { readonly at: number })[] = [];
  for (let at = 0; at < 1500; at += 1 + random.below(30)) {
    const what = random.pick(['request', 'share', 'share', ...(hasFaults ? ['cut', 'join', 'ends'] : ['leader'])]);
    const node = random.pick(nodes);
    if (what === 'request' || what === 'share') events.push({ at, do: what, node });
    else if (what === 'ends') events.push({ at, do: 'crash', node }, { at: at + 1 + random.below(80), do: 'reload', node });
    else if (what !== 'leader') events.push({ at, do: what, link: random.pick(pairs) });
  }
  if (hasFaults) for (const link of pairs) events.push({ at: 1600, do: 'join', link });
  for (const [i, node] of nodes.entries()) events.push({ at: 3000, do: i % 2 ? 'share' : 'request', node });
  return events.toSorted((p, q) => p.at - q.at);
}

function run(seed: number, weather: Weather, protocol = locks) {
  const scenario = {
    protocol: 'locks',
    options: { hold: 20, grants: weather.hasFaults ? 8192 : 8, storage: 3 },
    topology: { nodes, links: pairs.map(([u, v]) => [u, v, 1]) },
    network: { latency: { min: 1, max: 9 }, order: 'fifo' },
    events: turmoil(seed, weather),
    seed,
    until: { idle: true },
  };
  const { verdict, properties, summary } = new Simulation(parseScenario(scenario, { locks: protocol }), {
    host: 'snapshots',
  }).run();
  const failed = properties.filter(({ holds }) => holds === false).map(({ name }) => name);
  const { grants } = summary as { grants: { node: string; fence: number }[] };
  return { verdict, failed, last: grants.slice(-nodes.length).map(({ node }) => node) };
}

describe('five nodes that read and write', () => {
  test.each<[Weather, number]>([
    [{ hasFaults: false }, 0],
    [{ hasFaults: false }, 1],
    [{ hasFaults: true }, 0],
    [{ hasFaults: true }, 1],
    [{ hasFaults: true }, 2],
  ])('%j: every promise holds, and all requests are granted in the end (seed %i)', (weather, seed) => {
    const { verdict, failed, last } = run(seed, weather);
    expect(failed).toEqual([]);
    expect(verdict).toBe('valid');
    expect(last.toSorted()).toEqual(nodes);
  });

  test.each<[string, string, typeof locks]>([
    [
      'a reader has the fence of the writer before it',
      'until something fails, fences grow',
      mutant(
        {},
        {
          actions: {
            noteGrant: assign(({ context: { mode }, event: { fence, copyset = [] } }: In) => ({
              fence: mode === 'shared' ? fence - 1 : fence,
              copyset,
            })) as never,
          },
        },
      ),
    ],
    ['a writer waits for no reader', 'until something fails, one user', mutant({}, { guards: { needsNoReturn: always } })],
  ])('but if %s: %s', (_, property, protocol) => {
    expect(run(0, { hasFaults: false }, protocol).failed).toContain(property);
  });
});
