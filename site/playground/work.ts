/**
 * The tasks of the worker of the playground: simulate or check a scenario, test a machine, and answer requests of the inspector. The simulator,
 * the checker, the tests and the inspector's answers are those of the command line; here are only the bounds that a browser needs.
 */
import { recordCounterexample } from '../../bin/recording.js';
import { recordRun } from '../../network/record-run.js';
import { UsageError } from '../../machines/errors.js';
import { protocols } from '../../machines/index.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { parseText } from '../../network/scenario/text.js';
import type { Scenario } from '../../network/scenario/types.js';
import type { TraceHeader, TraceLine } from '../../network/trace.js';
import { checkScenario } from '../../test/explore/scenario.js';
import { LINES_MAX, SEARCH } from './bounds.js';
import { machineOf, protocolsOf } from './chart.js';
import { TextProblem } from './problem.js';
import type { Task, ForInspector, TaskOutcome } from './messages.js';

const PROGRESS_MS = 100;

export async function carryOut(
  task: Task,
  onProgress: (text: string) => void,
): Promise<TaskOutcome | { readonly answer: ForInspector }> {
  if (task.do === 'test') {
    const { tested } = await import('./tested.js');
    return tested(await machineOf(task.chart), onProgress);
  }
  const known = { ...protocols, ...(await protocolsOf(task.chart)) };
  if (task.do === 'answer') {
    const { answerFor } = await import('./answer.js');
    return { answer: answerFor(task.name, task.body, (json) => parseScenario(json, known, noFile)) };
  }
  const scenario = parsed(task.scenario, known);
  return task.do === 'check' ? checked(scenario, onProgress) : simulated(scenario, onProgress);
}

interface Parsed {
  readonly json: unknown;
  readonly scenario: Scenario;
}

function parsed(text: string, known: typeof protocols): Parsed {
  try {
    const json = parseText(text);
    return { json, scenario: parseScenario(json, known, noFile) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const [, line, column] = /^line (\d+), column (\d+)/.exec(error.message) ?? [];
    throw new TextProblem('scenario', error.message, line === undefined ? null : { line: +line, column: Number(column) });
  }
}

const noFile = (path: string): never => {
  throw new UsageError(`the browser reads no file, and this asks for ${path}; give nodes and links in the scenario`);
};

function simulated({ json, scenario }: Parsed, onProgress: (text: string) => void): TaskOutcome {
  const run = recordRun(scenario, json);
  const lines: string[] = [];
  const violations: string[] = [];
  const show = every(onProgress);
  for (let next = run.next(); ; next = run.next()) {
    if (next.done) return { did: 'simulate', ...next.value, violations, stopped: null, trace: lines.join('') };
    if ('kind' in next.value && next.value.kind === 'violated') violations.push(next.value.why!);
    lines.push(asText(next.value));
    show(() => `${lines.length.toLocaleString('en')} lines of the trace`);
    if (lines.length <= LINES_MAX) continue;
    const stopped = `after ${LINES_MAX.toLocaleString('en')} lines; give "until": { "at": … }, or use quiver run`;
    return { did: 'simulate', verdict: 'unknown', violations, stopped, trace: lines.join('') };
  }
}

function checked({ json, scenario }: Parsed, onProgress: (text: string) => void): TaskOutcome {
  const show = every(onProgress);
  const found = checkScenario(scenario, {
    bounds: SEARCH,
    now: () => performance.now(),
    onProgress: ({ states, frontier, depth }) =>
      show(() => `${states.toLocaleString('en')} states, ${frontier.toLocaleString('en')} to expand, ${depth} steps deep`),
  });
  const { verdict, states, transitions, terminal, doomed, stopped = null, properties, vacuous, counterexample } = found;
  const result = { did: 'check', verdict, states, transitions, terminal, doomed, stopped, properties, vacuous } as const;
  if (!counterexample) return { ...result, counterexample: null, trace: null };
  const trace = [...recordCounterexample(scenario, json, counterexample)].map(asText).join('');
  const { property, steps, loop = null } = counterexample;
  return { ...result, counterexample: { property, steps: [...steps], loop }, trace };
}

/** The first progress at once, then one every so often. */
function every(onProgress: (text: string) => void): (text: () => string) => void {
  let due = 0;
  return (text) => {
    const now = performance.now();
    if (now < due) return;
    due = now + PROGRESS_MS;
    onProgress(text());
  };
}

const asText = (line: TraceHeader | TraceLine): string => `${JSON.stringify(line)}\n`;
