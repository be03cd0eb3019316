/**
 * Random search at scale: scenarios with faults, each of them run until all has healed and the network has come to rest.
 *
 * fast-check draws the scenarios and shrinks the one that fails, over requests, faults, links and nodes, for as long as the same
 * property breaks. It is an optional peer: only who imports this module needs it.
 */
import fc from 'fast-check';
import { UsageError } from '../../machines/errors.js';
import type { Protocol } from '../../machines/protocol.js';
import { brokenIn, type Broken } from './broken.js';
import { acceptedBy, departuresIn, readBy } from './departures.js';
import { scenarioOf } from './scenario.js';
import { scenarioShapes, soundSystems } from './shape.js';
import { requireProtocol } from '../../network/scenario/required.js';

/**
 * Options for `swarm`.
 *
 * @public
 */
export interface SwarmOptions {
  /** How many scenarios. @defaultValue 100 */
  readonly runs?: number;
  /** The same seed draws the same scenarios. @defaultValue 1 */
  readonly seed?: number;
  /** Names of properties that are not checked. @defaultValue none */
  readonly ignore?: ReadonlySet<string>;
  /** False to return the first scenario that fails without shrinking it. @defaultValue true */
  readonly shrink?: boolean;
}

export interface SwarmFailure {
  /** The smallest scenario that was found, as the JSON of a file. */
  readonly scenario: Readonly<Record<string, unknown>>;
  readonly property: string;
  readonly description: string;
  /** How often it could be made smaller. */
  readonly shrinks: number;
}

/**
 * The result of a swarm.
 *
 * @public
 */
export interface SwarmReport {
  /** Number of scenarios that were run. Scenarios that the protocol refuses do not count. */
  readonly runs: number;
  readonly failure: SwarmFailure | null;
}

/**
 * Random search for violations: runs random scenarios with faults, and shrinks the first that violates a property.
 *
 * @param protocol the protocol.
 * @param options `runs` (default 100), `seed` (default 1), `shrink` (default true), and `ignore`: names of properties not to check.
 * @returns the number of runs, and the `failure`, or `null` if no run violated a property. Save `failure.scenario` as JSON and open it with
 * `quiver explore`.
 * @throws UsageError if the protocol refuses so many of the random scenarios that fewer than `runs` were run.
 * @example
 * ```ts
 * import { directory } from 'xstate-quiver/machines';
 * import { swarm } from 'xstate-quiver/check/swarm';
 *
 * const { runs, failure } = swarm(directory, { runs: 20 });
 * console.log(runs, failure && JSON.stringify(failure.scenario));
 * ```
 * @public
 */
export function swarm(
  protocol: Protocol,
  { runs = 100, seed = 1, ignore = new Set(), shrink = true }: SwarmOptions = {},
): SwarmReport {
  requireProtocol('swarm', protocol);
  const search = searchIn(protocol, ignore);
  const { numRuns, numSkips, ...found } = fc.check(search.property, {
    seed,
    numRuns: runs,
    maxSkipsPerRun: SKIPS_MAX,
    endOnFailure: !shrink,
  });
  if (found.failed && !found.counterexample)
    throw new UsageError(
      `swarm: protocol ${protocol.name} refused ${numSkips} random scenarios, and only ${numRuns} of ${runs} were run. ` +
        `Accept more graphs, or add an accepted system to systems. The last refusal: ${search.lastRefusal()}`,
    );
  return { runs: numRuns, failure: search.failureOf(found) };
}

/** On average, the protocol must accept at least one of this many scenarios. */
const SKIPS_MAX = 1000;

function searchIn(protocol: Protocol, ignore: ReadonlySet<string>) {
  const systems = soundSystems(protocol);
  let first: Broken | null = null;
  let lastRefusal = '';
  /** The scenario, and where it asks for a departure, one of those that its notifications give occasion to. */
  const breaks = (shape: Parameters<typeof scenarioOf>[2]): (Broken & Pick<SwarmFailure, 'scenario'>) | null => {
    const json = scenarioOf(protocol, systems, shape);
    const accepted = readBy(protocol, json);
    if (accepted instanceof UsageError) {
      lastRefusal = accepted.message;
      fc.pre(false);
    }
    const departures = shape.departure === null ? [] : [...departuresIn(protocol, json)];
    const departed = departures.length > 0 ? [departures[shape.departure! % departures.length]!] : [];
    for (const scenario of [json, ...departed]) {
      const broken = brokenIn(acceptedBy(protocol, scenario)!, ignore);
      if (broken) return { scenario, ...broken };
    }
    return null;
  };
  return {
    property: fc.property(scenarioShapes(systems), (shape) => {
      const broken = breaks(shape);
      if (broken && (first ??= broken).property === broken.property) throw new Error(broken.property);
    }),
    lastRefusal: () => lastRefusal,
    failureOf: ({ counterexample, numShrinks }: Found): SwarmFailure | null => {
      if (!counterexample) return null;
      return { ...breaks(counterexample[0])!, shrinks: numShrinks };
    },
  };
}

type Found = Pick<fc.RunDetails<[Parameters<typeof scenarioOf>[2]]>, 'counterexample' | 'numShrinks'>;
