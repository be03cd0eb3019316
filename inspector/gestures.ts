/**
 * Reaching into a run: what a viewer may do, and how it is done.
 *
 * A gesture is an event of the scenario, at the time that the viewer looks at. The run is made again from its seed with the event in
 * its list: up to that time it is the same run, byte for byte, and after it a new one. So nothing has to be paused or kept alive, one
 * can reach into any moment of the past, and whatever was done by hand is a file that replays.
 */
import { UsageError } from '../machines/errors.js';
import { verbKeys } from '../network/scenario/events.js';
import type { Scenario } from '../network/scenario/types.js';
import { sampleMeters, type MeterSample } from './meters.js';
import { offeredBy, type Offer } from './offers.js';
import type { TraceHeader, TraceLine } from '../network/trace.js';
import { fieldsOf } from '../machines/checks.js';

/** A node more, alone from the start: no event of the scenario, but a change of its topology. */
const ADD = 'add';

export interface Gestures {
  /** The gestures for a scenario. Throws a `UsageError` if it is not a scenario of a known protocol. */
  offer(scenario: unknown): Offer;
  /** Throws as `offer` does. */
  meters(scenario: unknown): readonly MeterSample[];
  /** The trace of the scenario. Errors in the scenario are thrown before the first piece. */
  run(scenario: unknown): Iterable<string>;
  /** The trace of the nearest good run to a counterexample, given the header of its trace. Throws like `offer`, and if there is none. */
  nearest?(header: unknown): Iterable<string>;
  /** The trace of a counterexample with added commands, given its header and the commands. Throws like `offer`. */
  branch?(asked: unknown): Iterable<string>;
}

/** A command that a viewer adds to a counterexample after a number of its steps. */
export interface SentCommand {
  readonly at: number;
  readonly node: string;
  readonly do: string;
}

/**
 * Lets viewers of a page reach into a run: what they do becomes an event of the scenario, and the run is made again from its seed.
 *
 * @param parse checks a scenario.
 * @param record runs it and gives the lines of its trace.
 * @param nearest gives the lines of the nearest good run to a counterexample, `null` where none is found.
 * @param branch gives the lines of a counterexample in which commands are given.
 * @returns what `serveTrace` takes as `gestures`.
 * @experimental
 */
export const gesturesFor = (
  parse: (json: unknown) => Scenario,
  record: (scenario: Scenario, json: unknown) => Iterable<TraceHeader | TraceLine>,
  nearest?: (scenario: Scenario, header: CounterexampleHeader) => Iterable<TraceHeader | TraceLine> | null,
  branch?: (
    scenario: Scenario,
    header: CounterexampleHeader,
    commands: readonly SentCommand[],
  ) => Iterable<TraceHeader | TraceLine>,
): Gestures => ({
  offer(json) {
    const { protocol, options, contacts } = parse(json);
    const does = Object.keys(verbKeys).filter((verb) => verb !== 'corrupt' || protocol.corruption !== undefined);
    // Routing needs connected nodes, and nodes with a mobility model are not moved by hand.
    const adds = protocol.network.reach === 'links' && contacts.length === 0 ? [ADD] : [];
    return { commands: offeredBy(protocol, options), does: [...does, ...adds] };
  },
  meters: (json) => sampleMeters(parse(json)),
  run: (json) => textOf(record(parse(json), json)),
  ...(nearest && {
    nearest(header) {
      const counterexample = counterexampleIn(header);
      const found = nearest(parse(counterexample.scenario), counterexample);
      if (!found) throw new UsageError('No run without the violation was found from any state of this counterexample.');
      return textOf(found);
    },
  }),
  ...(branch && {
    branch(asked) {
      const { header, commands } = fieldsOf(asked);
      const counterexample = counterexampleIn(header);
      if (!Array.isArray(commands) || !commands.every(isCommand))
        throw new UsageError(
          'A request for a branch needs commands, as in { "commands": [{ "at": 3, "node": "n1", "do": "request" }] }.',
        );
      return textOf(branch(parse(counterexample.scenario), counterexample, commands));
    },
  }),
});

function counterexampleIn(header: unknown): CounterexampleHeader {
  const { scenario, choices, start } = (header ?? {}) as Partial<TraceHeader>;
  if (!Array.isArray(choices))
    throw new UsageError('The trace is not a counterexample: its header has no choices. Open one that quiver check has written.');
  return { scenario, choices, ...(start && { start }) };
}

const isCommand = (command: unknown): command is SentCommand => {
  const { at, node, do: name } = fieldsOf(command);
  return typeof at === 'number' && typeof node === 'string' && typeof name === 'string';
};

/** The parts of a trace's header that describe a counterexample. */
export type CounterexampleHeader = Pick<TraceHeader, 'scenario' | 'start'> & Required<Pick<TraceHeader, 'choices'>>;

export function* textOf(lines: Iterable<TraceHeader | TraceLine>): Generator<string> {
  for (const line of lines) yield `${JSON.stringify(line)}\n`;
}
