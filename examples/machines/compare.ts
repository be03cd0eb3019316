/** The ten machines side by side: what xstate/graph makes of them, and what describeMachine does. Run: node dist/examples/machines/compare.js */
import { performance } from 'node:perf_hooks';
import { createTestModel, getShortestPaths } from 'xstate/graph';
import { MachineTesting } from '../../test/index.js';
import { examples, type Example } from './samples.js';

const timed = async <T>(work: () => T | Promise<T>): Promise<readonly [T, string]> => {
  const start = performance.now();
  const result = await work();
  return [result, `${Math.round(performance.now() - start)} ms`];
};

const message = (error: unknown): string => (error as Error).message.split('\n')[0]!.slice(0, 60);

/** xstate/graph's test model, and where that refuses its bare search, which knows no services and at most this many states. */
const STATES_MAX = 2000;

function graphOf({ machine, tests }: Example): string {
  const events = Object.entries(tests.events ?? {}).flatMap(([type, samples]) =>
    Array.isArray(samples) ? samples.map((payload) => ({ ...(payload as object), type })) : [],
  );
  const bare = machine.events.filter((type) => !events.some((event) => event.type === type)).map((type) => ({ type }));
  const options = { events: [...events, ...bare], limit: STATES_MAX } as never;
  try {
    return `model: ${createTestModel(machine, options).getShortestPaths().length} paths`;
  } catch (error) {
    const refusal = message(error);
    try {
      const paths = getShortestPaths(machine, options);
      const values = new Set(paths.map(({ state }) => JSON.stringify(state.value)));
      return `model refuses (${refusal}); search: ${paths.length} paths, ${values.size} configurations`;
    } catch (second) {
      return `model refuses (${refusal}); search fails (${message(second)})`;
    }
  }
}

console.log('| machine | xstate/graph | time | describeMachine: states, configurations, shortest paths, covered | time |');
console.log('|---|---|---|---|---|');
for (const [name, example] of Object.entries(examples)) {
  const [theirs, theirTime] = await timed(() => graphOf(example));
  const testing = new MachineTesting(example.machine, example.tests);
  const [ours, ourTime] = await timed(async () => {
    const { vertices } = await testing.graph();
    const { configurations, charts, isComplete } = await testing.coverage();
    const [{ transition }] = Object.values(charts) as [(typeof charts)[string]];
    const covered = isComplete ? 'all' : `${transition.covered} of ${transition.of} transitions`;
    return `${vertices.length}, ${configurations.covered}, ${(await testing.plans('shortest')).length}, ${covered}`;
  });
  console.log(`| ${name} | ${theirs} | ${theirTime} | ${ours} | ${ourTime} |`);
}
