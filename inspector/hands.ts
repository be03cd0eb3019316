/**
 * Reaching into a run: what a viewer may do, and how it is done.
 *
 * A gesture is an event of the scenario, at the time that the viewer looks at. The run is made again from its seed with the event in
 * its list: up to that time it is the same run, byte for byte, and after it a new one. So nothing has to be paused or kept alive, one
 * can reach into any moment of the past, and whatever was done by hand is a file that replays.
 */
import type { Command } from '../machines/protocol.js';
import type { Scenario } from '../network/scenario/types.js';
import { sampleMeters, type MeterSample } from './meters.js';
import type { TraceHeader, TraceLine } from '../network/trace.js';

export interface OfferedCommand {
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: 'integer' | 'node'; readonly optional: boolean }[];
}

/** What the page may offer beyond what every network allows (links, crashes, single messages). */
export interface Offer {
  readonly commands: readonly OfferedCommand[];
  /** Whether the protocol has corrupt states to put a node in. */
  readonly corrupt: boolean;
}

export interface Hands {
  /** Throws a `UsageError` for what is no scenario of a known protocol. */
  offer(scenario: unknown): Offer;
  /** Throws as `offer` does. */
  meters(scenario: unknown): readonly MeterSample[];
  /** The trace of the scenario. What is wrong with it is thrown before the first piece. */
  run(scenario: unknown): Iterable<string>;
}

/**
 * Lets viewers of a page reach into a run: what they do becomes an event of the scenario, and the run is made again from its seed.
 *
 * @param parse checks a scenario.
 * @param record runs it and gives the lines of its trace.
 * @returns what `serveTrace` takes as `hands`.
 * @experimental
 */
export const handsFor = (
  parse: (json: unknown) => Scenario,
  record: (scenario: Scenario, json: unknown) => Iterable<TraceHeader | TraceLine>,
): Hands => ({
  offer(json) {
    const { protocol, options } = parse(json);
    const commands = Object.entries(protocol.commands).filter(([, command]) => (command.refusal?.(options, {}) ?? null) === null);
    return { commands: commands.map(offered), corrupt: protocol.corruption !== undefined };
  },
  meters: (json) => sampleMeters(parse(json)),
  run: (json) => textOf(record(parse(json), json)),
});

const offered = ([name, { fields = [] }]: [string, Command]): OfferedCommand => ({
  name,
  fields: fields.map(({ name, type, optional = false }) => ({ name, type, optional })),
});

export function* textOf(lines: Iterable<TraceHeader | TraceLine>): Generator<string> {
  for (const line of lines) yield `${JSON.stringify(line)}\n`;
}
