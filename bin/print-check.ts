/** Prints the results of the checker as text or JSON. */
import type { Exploration } from '../test/explore/examine.js';
import { broughtBy } from './protocols.js';
import type { Source } from './scenarios.js';
import { bold, counted, dim, number, property, verdictInColor } from './style.js';

export const perSecond = (count: number, seconds: number): number => Math.round(count / Math.max(seconds, 0.001));

/** True if the nodes receive no requests. */
const isIdle = ({ events, workload, protocol }: Source['scenario']): boolean =>
  events.length === 0 && workload === undefined && Object.keys(protocol.commands).length > 0;
const IDLE =
  'the scenario has no events and no workload: nothing was asked of the nodes, and what they do by themselves was looked at';

/** All that the process holds: the states, the charts, and Node itself. */
function processBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

export function reportOfCheck({ scenario }: Source, found: Exploration, trace: readonly unknown[] | undefined) {
  const { states, transitions, doomed, terminal, stopped, properties, symmetries, vacuous, interpreterCalls, bytesPerState } =
    found;
  const { chanceOfMiss } = found;
  const measured = {
    interpreterCalls,
    bytesPerState,
    processBytes: processBytes(),
    transitionsPerSecond: perSecond(transitions, found.seconds),
  };
  return {
    verdict: found.verdict,
    seed: scenario.seed,
    at: 0,
    messages: { total: 0, byType: {} },
    properties,
    meters: Object.entries(measured).map(([name, value]) => ({ name, measured: value, bound: null, ratio: null })),
    summary: {
      terminal,
      vacuous,
      ...(symmetries && { symmetries }),
      ...(chanceOfMiss !== undefined && { chanceOfMiss }),
      ...(stopped !== undefined && { stopped }),
      ...(isIdle(scenario) && { idle: IDLE }),
    },
    states,
    transitions,
    doomed,
    ...(trace ? { trace } : {}),
  };
}

/** The least power of two that is not a smaller. */
const powerOfTwo = (chance: number): string => (chance === 0 ? '0' : `2^${Math.ceil(Math.log2(chance))}`);

export function printCheck(
  { where, scenario, again = where }: Source,
  found: Exploration,
  tracePath: string | undefined,
  isShortest: boolean,
): void {
  const { counterexample: bad, stopped, vacuous, symmetries, chanceOfMiss } = found;
  const upTo = chanceOfMiss !== undefined && found.verdict === 'valid' ? ` up to ${powerOfTwo(chanceOfMiss)}` : '';
  console.log(`${verdictInColor(found.verdict)}${upTo}  ${bold(where)}  ${dim(`${scenario.protocol.name}, every interleaving`)}`);
  console.log(
    `  states      ${number(found.states)} (${counted(found.transitions, 'transition')}, ${number(found.terminal)} at rest)`,
  );
  if (symmetries !== undefined) console.log(`  symmetry    ${number(symmetries)} ways to name the nodes, one of them searched`);
  if (chanceOfMiss !== undefined) {
    const description = 'maximum probability that a state was missed, because 64-bit hashes replace states';
    console.log(`  compact     ${powerOfTwo(chanceOfMiss)}, ${description}`);
  }
  if (found.doomed !== null) console.log(`  doomed      ${number(found.doomed)}`);
  const rate = `${number(perSecond(found.transitions, found.seconds))} transitions/s`;
  const memory = `${number(found.bytesPerState)} bytes a state, ${number(processBytes() / 2 ** 20)} MiB in the process`;
  console.log(`  effort      ${counted(found.interpreterCalls, 'run')} of a chart, ${rate}, ${memory}`);
  console.log(`  properties  ${found.properties.map(property).join('  ')}`);
  if (stopped !== undefined) console.log(`  stopped     ${stopped}`);
  if (vacuous.length > 0) console.log(`  vacuous     nothing here could violate: ${vacuous.join(', ')}`);
  if (isIdle(scenario)) console.log(`  idle        ${IDLE}`);
  if (!bad) return;
  const length = `${counted(bad.steps.length, 'step')}${isShortest ? ', the fewest possible' : ''}`;
  const at = bad.nodes && bad.nodes.length > 0 ? ` at ${bad.nodes.join(', ')}` : '';
  console.log(`  ${bold(`violated: ${bad.property}${at}`)} in ${length}, seed ${scenario.seed}:`);
  const { description } =
    scenario.protocol.properties({ ...scenario.graph, options: scenario.options }).find(({ name }) => name === bad.property) ??
    {};
  if (description !== undefined) console.log(`    ${description}`);
  bad.steps.forEach((step, i) => console.log(`  ${i === bad.loop ? '↻' : ' '} ${String(i + 1).padStart(3)}  ${step}`));
  const file = tracePath ?? 'failure.ndjson';
  const brought = broughtBy(scenario)
    .map((word) => ` ${word}`)
    .join('');
  if (tracePath === undefined) console.log(`  keep it:  npx quiver check${again && ` ${again}`}${brought} --trace ${file}`);
  if (file.endsWith('.html')) console.log(`  see it:   open ${file} in a browser`);
  else console.log(`  see it:   npx quiver explore ${file}${brought}    again: npx quiver replay ${file}${brought}`);
}
