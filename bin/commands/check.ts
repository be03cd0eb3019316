/** `quiver check`: explores every way in which a small scenario can go, its times dropped. */
import type { Exploration } from '../../test/explore/examine.js';
import { checkScenario } from '../../test/explore/scenario.js';
import type { Progress as Searched } from '../../test/explore/bounds.js';
import type { Verdict } from '../../network/report.js';
import { integerOption, parse, statusOf, USAGE, type Command } from '../command.js';
import { OutputFile } from '../output-file.js';
import { Progress } from '../progress.js';
import { recordCounterexample } from '../recording.js';
import { readScenarios, type Source } from '../scenarios.js';
import { bold, dim, number, property, verdict } from '../style.js';

export const command: Command = async (args) => {
  const { values, positionals } = parse(args, {
    json: { type: 'boolean' },
    trace: { type: 'string' },
    states: { type: 'string' },
    seconds: { type: 'string' },
  });
  const bounds = boundsOf(integerOption('states', values.states), integerOption('seconds', values.seconds));
  const verdicts: Verdict[] = [];
  let refused = false;
  for await (const item of readScenarios(positionals, undefined)) {
    if ('error' in item) {
      refused = true;
      if (values.json) console.log(JSON.stringify({ error: item.error.message }));
      console.error(`quiver: ${item.error.message}`);
      continue;
    }
    const progress = new Progress();
    const onProgress = (searched: Searched) => progress.show(`${item.where}: ${describe(searched)}`);
    const found = checkScenario(item.scenario, { bounds, now: () => performance.now(), onProgress });
    progress.done();
    verdicts.push(found.verdict);
    const bad = found.counterexample;
    const trace = bad ? [...recordCounterexample(item.scenario, item.json, bad)] : undefined;
    if (trace && values.trace !== undefined) write(values.trace, trace);
    if (values.json) console.log(JSON.stringify(reportOf(item, found, trace)));
    else print(item, found, values.trace);
  }
  return refused ? USAGE : statusOf(verdicts);
};

const boundsOf = (states: number | undefined, seconds: number | undefined) => ({
  ...(states === undefined ? {} : { states }),
  ...(seconds === undefined ? {} : { seconds }),
});

const describe = ({ states, transitions, frontier, bytes, seconds }: Searched): string =>
  `${number(states)} states, ${number(transitions / Math.max(seconds, 0.001))} transitions/s, frontier ${number(frontier)}, ${number(bytes / 2 ** 20)} MiB`;

function write(path: string, trace: readonly unknown[]): void {
  const file = new OutputFile(path);
  for (const line of trace) file.line(line);
  file.keep();
}

function reportOf({ scenario }: Source, found: Exploration, trace: readonly unknown[] | undefined) {
  const { verdict: value, states, transitions, doomed, terminal, stopped, properties, interpreterCalls, bytesPerState } = found;
  return {
    verdict: value,
    seed: scenario.seed,
    at: 0,
    messages: { total: 0, byType: {} },
    properties,
    meters: [
      { name: 'interpreterCalls', measured: interpreterCalls, bound: null, ratio: null },
      { name: 'bytesPerState', measured: bytesPerState, bound: null, ratio: null },
    ],
    summary: { terminal, ...(stopped === undefined ? {} : { stopped }) },
    states,
    transitions,
    doomed,
    ...(trace ? { trace } : {}),
  };
}

function print({ where, scenario }: Source, found: Exploration, tracePath: string | undefined): void {
  const { counterexample: bad, stopped, vacuous } = found;
  console.log(`${verdict(found.verdict)}  ${bold(where)}  ${dim(`${scenario.protocol.name}, every interleaving`)}`);
  console.log(
    `  states      ${number(found.states)} (${number(found.transitions)} transitions, ${number(found.terminal)} at rest)`,
  );
  if (found.doomed !== null) console.log(`  doomed      ${number(found.doomed)}`);
  console.log(`  effort      ${number(found.interpreterCalls)} runs of a chart, ${number(found.bytesPerState)} bytes a state`);
  console.log(`  properties  ${found.properties.map(property).join('  ')}`);
  if (stopped !== undefined) console.log(`  stopped     ${stopped}`);
  if (vacuous.length > 0) console.log(`  vacuous     nothing here could violate: ${vacuous.join(', ')}`);
  if (!bad) return;
  console.log(`  ${bold(`violated: ${bad.property}`)} in ${bad.steps.length} steps, the fewest possible, seed ${scenario.seed}:`);
  bad.steps.forEach((step, i) => console.log(`  ${i === bad.loop ? '↻' : ' '} ${String(i + 1).padStart(3)}  ${step}`));
  const file = tracePath ?? 'failure.ndjson';
  if (tracePath === undefined) console.log(`  keep it:  quiver check ${where} --trace ${file}`);
  console.log(`  see it:   quiver explore ${file}    again: quiver replay ${file}`);
}
