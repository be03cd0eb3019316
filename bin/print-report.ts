/** A report for people: verdict first, then what was checked, measured and found; a failure with the line that reproduces it. */
import type { Meter } from '../machines/protocol.js';
import type { Violation } from '../network/monitor.js';
import type { Report } from '../network/report.js';
import { broughtBy } from './protocols.js';
import type { Source } from './scenarios.js';
import { bold, dim, number, property, verdictInColour } from './style.js';

export function printReport({ where, scenario }: Source, report: Report, violations: readonly Violation[]): void {
  const { messages, meters, properties, summary } = report;
  const nodes = scenario.graph.topology.nodes.length;
  const byType = Object.entries(messages.byType).map(([type, count]) => `${number(count)} ${type}`);
  console.log(
    `${verdictInColour(report.verdict)}  ${bold(where)}  ${dim(`${scenario.protocol.name}, ${nodes} nodes, seed ${report.seed}, until ${number(report.at)}`)}`,
  );
  console.log(`  messages    ${number(messages.total)}${byType.length > 0 ? ` (${byType.join(', ')})` : ''}`);
  console.log(`  properties  ${properties.length > 0 ? properties.map(property).join('  ') : dim('not looked at')}`);
  for (const meter of meters) console.log(`  ${meter.name.padEnd(11)} ${describeMeter(meter)}`);
  for (const [key, value] of Object.entries(summary)) console.log(`  ${dim(key.padEnd(11))} ${dim(clip(JSON.stringify(value)))}`);
  const words = [where, ...broughtBy(scenario)].join(' ');
  for (const violation of violations) printViolation(violation, words, report.seed);
}

function describeMeter({ measured, bound, ratio }: Meter): string {
  if (bound === null) return `${number(measured)} (no bound known)`;
  return `${number(measured)} of at most ${number(bound)}${ratio === null ? '' : ` (${number(ratio)})`}`;
}

function printViolation({ property: name, says, index, at }: Violation, words: string, seed: number): void {
  console.log(`  ${bold(`violated: ${name}`)} after step ${index} at time ${at}, seed ${seed}`);
  console.log(`    ${says}`);
  console.log(`    see it: quiver run ${words} --seed ${seed} --trace failure.ndjson`);
}

const WIDTH_MAX = 120;
const clip = (text: string): string => (text.length > WIDTH_MAX ? `${text.slice(0, WIDTH_MAX)}…` : text);
