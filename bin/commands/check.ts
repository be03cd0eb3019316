/** `quiver check`: examines all possible runs of a small scenario, whatever its times are, on its network or on all networks of a size. */
import { dirname } from 'node:path';
import { UsageError } from '../../machines/errors.js';
import type { Protocol } from '../../machines/protocol.js';
import type { Verdict } from '../../network/report.js';
import type { Progress as Searched } from '../../test/explore/bounds.js';
import { examine, type Exploration } from '../../test/explore/examine.js';
import { questionOf, type CheckOptions } from '../../test/explore/scenario.js';
import { examineTogether, isDivisible } from '../../test/explore/together.js';
import { everyTopology } from '../../test/explore/topologies.js';
import { systemsOf } from '../../test/system/systems.js';
import { helperOf, startThreads } from '../check-threads.js';
import { integerOption, exitStatusOf, USAGE } from '../usage.js';
import type { ValuesOf, VerbWork } from '../verbs.js';
import { reportOfCheck, perSecond, printCheck } from '../print-check.js';
import { ProgressLine } from '../progress.js';
import { recordCounterexample } from '../recording.js';
import { broughtProtocols } from '../protocols.js';
import { parseIn, readScenarios, type ReadScenario, type Source } from '../scenarios.js';
import { number } from '../style.js';
import { writeTrace } from '../trace-file.js';
import { fieldsOf } from '../../machines/checks.js';

const CORES_MAX = 64;

const ONE_CORE =
  'searched on one core: several divide only a search breadth first, without --reduce and --compact, for properties that look at states; ' +
  '--safety leaves out promises on endless runs';

const command: VerbWork<'check'> = async (values, words) => {
  const options = { ...optionsOf(values), safety: values.safety ?? false, compact: values.compact ?? false };
  const graphs = integerOption('graphs', values.graphs);
  const cores = integerOption('cores', values.cores, 1, CORES_MAX) ?? 1;
  const verdicts: Verdict[] = [];
  let refused = false;
  for await (const item of everyItem(scenariosOf(words), graphs)) {
    if ('error' in item) {
      refused = true;
      if (values.json) console.log(JSON.stringify({ error: item.error.message }));
      console.error(`quiver: ${item.error.message}`);
      continue;
    }
    const found = await check(item, options, cores);
    verdicts.push(found.verdict);
    const bad = found.counterexample;
    const trace = bad ? [...recordCounterexample(item.scenario, item.json, bad)] : undefined;
    if (trace && values.trace !== undefined) await writeTrace(values.trace, trace);
    if (values.json) console.log(JSON.stringify(reportOfCheck(item, found, trace)));
    else printCheck(item, found, values.trace, options.search !== 'depth');
  }
  return refused ? USAGE : exitStatusOf(verdicts);
};

/** The named scenarios, or the small systems of the loaded protocols. */
async function* scenariosOf(words: readonly string[]): AsyncGenerator<ReadScenario> {
  const own = words.length === 0 ? broughtProtocols().flatMap(ownScenarios) : [];
  if (own.length > 0) yield* own;
  else yield* readScenarios(words, undefined);
}

/** The small systems of a protocol, for a command without a scenario. */
const ownScenarios = (protocol: Protocol): readonly Source[] =>
  systemsOf(protocol).map(({ index, json, scenario }) => ({
    where: `system ${index + 1} of ${protocol.name}`,
    json,
    scenario,
    again: '',
  }));

function optionsOf(words: ValuesOf<'check'>): CheckOptions {
  const bounds = (['states', 'depth', 'seconds', 'megabytes'] as const).flatMap((name) => {
    const value = integerOption(name, words[name], name === 'depth' ? 0 : 1);
    return value === undefined ? [] : [[name, value] as const];
  });
  const search = choice('search', words.search, ['breadth', 'depth'] as const);
  const reduce = choice('reduce', words.reduce, ['symmetry'] as const);
  return { bounds: Object.fromEntries(bounds), ...(search && { search }), ...(reduce && { reduce }) };
}

function choice<T extends string>(name: string, word: string | undefined, choices: readonly T[]): T | undefined {
  const chosen = choices.find((known) => known === word);
  if (word !== undefined && !chosen) throw new UsageError(`--${name} is "${word}". Choose ${choices.join(' or ')}.`);
  return chosen;
}

/** Yields each scenario, with `--graphs N` on every graph of N nodes instead of the scenario's topology. */
async function* everyItem(items: AsyncGenerator<ReadScenario>, graphs: number | undefined): AsyncGenerator<ReadScenario> {
  for await (const item of items) {
    if (graphs === undefined || 'error' in item) yield item;
    else yield* onEveryGraph(item, graphs);
  }
}

async function* onEveryGraph(
  { where, json, scenario: { protocol }, again = where }: Source,
  n: number,
): AsyncGenerator<ReadScenario> {
  const { topology: _, options: given, ...rest } = fieldsOf(json);
  const options = fieldsOf(given);
  const text = JSON.stringify([options, rest]);
  const fixed = Array.from({ length: n }, (_, i) => `n${i}`).filter((node) => text.includes(JSON.stringify(node)));
  try {
    for (const topology of everyTopology(n, { protocol, options, fixed })) {
      const links = topology.links.map(([u, v]) => `${u}-${v}`).join(' ');
      const onGraph = { ...fieldsOf(json), topology };
      const scenario = await parseIn(dirname(where), onGraph);
      yield { where: `${where} on ${links || 'n0'}`, json: onGraph, scenario, again: `${again} --graphs ${n}`.trim() };
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    yield { where, error: new UsageError(`${where} --graphs ${n}: ${error.message}`) };
  }
}

async function check(source: Source, options: CheckOptions, cores: number): Promise<Exploration> {
  const progress = new ProgressLine();
  const onProgress = (searched: Searched) => progress.show(`${source.where}: ${describe(searched)}`);
  const question = questionOf(source.scenario, { ...options, now: () => performance.now(), onProgress });
  const isDivided = cores > 1 && isDivisible(question);
  if (cores > 1 && !isDivided) console.error(`quiver: ${source.where}: ${ONE_CORE}`);
  const threads = isDivided ? startThreads(source, options, cores - 1) : [];
  try {
    return threads.length === 0 ? examine(question) : await examineTogether(question, threads.map(helperOf));
  } finally {
    progress.done();
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

const describe = ({ states, transitions, frontier, bytes, seconds }: Searched): string =>
  `${number(states)} states, ${number(perSecond(transitions, seconds))} transitions/s, frontier ${number(frontier)}, ${number(bytes / 2 ** 20)} MiB`;

export default command;
