/**
 * The ten machines side by side: with xstate/graph, and with describeMachine. Run: node dist/examples/machines/compare.js
 *
 * Counts are the same in every run, and compare.deep.ts compares docs/from-xstate-test.md with them. Times are processor time of one run.
 */
import { fileURLToPath } from 'node:url';
import { createTestModel, getShortestPaths } from 'xstate/graph';
import { runPlan } from '../../test/machine/run.js';
import { MachineTesting } from '../../test/machine/testing.js';
import { examples, type Example } from './samples.js';

const processorMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const message = (error: unknown): string => (error as Error).message.split('\n')[0]!.slice(0, 60);

/** Xstate/graph's test model; if that fails, its plain search, which does not support services and visits at most this many states. */
const STATES_MAX = 2000;

function graphOf({ machine, tests }: Example): string {
  const events = Object.entries(tests.events ?? {}).flatMap(([type, samples]) =>
    Array.isArray(samples) ? samples.map((payload) => ({ ...(payload as object), type })) : [],
  );
  const bare = machine.events.filter((type) => !events.some((event) => event.type === type)).map((type) => ({ type }));
  const options = { events: [...events, ...bare], limit: STATES_MAX } as never;
  try {
    return `model: ${createTestModel(machine, options).getShortestPaths().length} paths`;
  } catch {
    try {
      const paths = getShortestPaths(machine, options);
      const values = new Set(paths.map(({ state }) => JSON.stringify(state.value)));
      return `search: ${paths.length} paths, ${values.size} configurations`;
    } catch (second) {
      return `search fails (${message(second)})`;
    }
  }
}

async function found(testing: MachineTesting): Promise<string> {
  const { vertices } = await testing.graph();
  const { configurations, charts, isComplete } = await testing.coverage();
  const [{ transition }] = Object.values(charts) as [(typeof charts)[string]];
  const covered = isComplete ? 'all' : `${transition.covered} of ${transition.of} transitions`;
  return `${vertices.length}, ${configurations.covered}, ${(await testing.plans('shortest')).length}, ${covered}`;
}

/** Counts of a machine: by xstate/graph, and by describeMachine. */
export const counted = async (example: Example): Promise<readonly [string, string]> => [
  graphOf(example),
  await found(new MachineTesting(example.machine, example.tests)),
];

/** Long enough to make the time of compilation negligible. */
const WALKED_MS = 1500;

/** Duration of the search, and the number of paths of five steps per second that are walked and judged after it. */
async function speed({ machine, tests }: Example, mode: 'live' | 'pure'): Promise<string> {
  const testing = new MachineTesting(machine, { ...tests, mode });
  const start = processorMs();
  await testing.graph();
  const searched = processorMs() - start;
  const subject = await testing.subject();
  const plans = (await testing.plans('tour')).map(({ steps, expected }) => ({
    steps: steps.slice(0, 5),
    ...(expected && { expected: expected.slice(0, 6) }),
  }));
  let walked = 0;
  const from = processorMs();
  while (processorMs() - from < WALKED_MS) {
    for (let i = 0; i < 50; i++) for (const plan of plans) await runPlan(subject, plan);
    walked += 50 * plans.length;
  }
  return `${Math.round(searched)} ms, ${Math.round((walked * 1000) / (processorMs() - from))}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(
    '| machine | xstate/graph | describeMachine: states, configurations, shortest paths, covered | live: search, paths a second | pure |',
  );
  console.log('|---|---|---|---|---|');
  for (const [name, example] of Object.entries(examples)) {
    const cells = [...(await counted(example)), await speed(example, 'live')];
    // Child machines run only on live actors.
    const pure = example.tests.children ? 'refused' : await speed(example, 'pure');
    console.log(`| ${[name, ...cells, pure].join(' | ')} |`);
  }
}
