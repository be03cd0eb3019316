/**
 * A trace as a log of ShiViz: two lines for each event, its description and its vector clock. Events of the network, such as a loss, have
 * no vector clock and are left out.
 */
import { isStep, type TraceHeader, type TraceLine } from '../../network/trace.js';
import { sentence } from '../model/words.js';

const PARSER = String.raw`(?<event>.*)\n(?<host>\S*) (?<clock>{.*})`;

export function shivizLog(_header: TraceHeader, lines: readonly TraceLine[]): string {
  const steps = lines.filter(isStep).filter(({ node, clock }) => (clock[node] ?? 0) > 0);
  const events = steps.map(
    (step) => `${sentence(step).replaceAll(/\s+/g, ' ')}\n${hostOf(step.node)} ${clockText(step.clock)}\n`,
  );
  return `${PARSER}\n\n${events.join('')}`;
}

const hostOf = (node: string): string => node.replaceAll(/\s+/g, '_');

const clockText = (clock: Readonly<Record<string, number>>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(clock).map(([node, count]) => [hostOf(node), count])));
