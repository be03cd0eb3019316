/**
 * Random search at scale: scenarios with faults, each of them run until all has healed and the network has come to rest.
 *
 * fast-check draws the scenarios and shrinks the one that fails, over requests, faults, links and nodes, for as long as the same
 * property breaks. It is an optional peer: only who imports this module needs it.
 */
import fc from 'fast-check';
import { UsageError } from '../../machines/errors.js';
import type { Protocol } from '../../machines/protocol.js';
import { parseScenario } from '../../network/scenario/parse.js';
import type { Scenario } from '../../network/scenario/types.js';
import { brokenIn, type Broken } from './broken.js';
import { scenarioOf } from './scenario.js';
import { scenarioShapes, soundSystems } from './shape.js';
import { requireProtocol } from '../../network/scenario/required.js';

/**
 * What `swarm` is given.
 *
 * @public
 */
export interface SwarmOptions {
  /** How many scenarios; 100 unless given. */
  readonly runs?: number;
  /** The same seed draws the same scenarios; 1 unless given. */
  readonly seed?: number;
  /** Properties that are let be. */
  readonly ignore?: ReadonlySet<string>;
  /** `false` gives the first scenario that fails as it is. */
  readonly shrink?: boolean;
}

export interface SwarmFailure {
  /** The smallest scenario that was found, as the JSON of a file. */
  readonly scenario: Readonly<Record<string, unknown>>;
  readonly property: string;
  readonly says: string;
  /** How often it could be made smaller. */
  readonly shrinks: number;
}

/**
 * What came of a swarm.
 *
 * @public
 */
export interface SwarmReport {
  /** How many scenarios were run, those apart that the protocol refuses. */
  readonly runs: number;
  readonly failure: SwarmFailure | null;
}

/**
 * Random search: draws scenarios with faults, runs each, and makes the first that breaks a property as small as it gets.
 *
 * @returns `failure` is `null` when nothing broke; its `scenario` is a file for `quiver explore`.
 * @example
 * ```ts
 * import { directory } from 'xstate-quiver/machines/directory';
 * import { swarm } from 'xstate-quiver/test/swarm';
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
  const systems = soundSystems(protocol);
  let first: Broken | null = null;
  const property = fc.property(scenarioShapes(systems), (shape) => {
    const broken = breaks(protocol, scenarioOf(protocol, systems, shape), ignore);
    if (broken && (first ??= broken).property === broken.property) throw new Error(broken.property);
  });
  const { numRuns, counterexample, numShrinks } = fc.check(property, {
    seed,
    numRuns: runs,
    maxSkipsPerRun: 1000,
    endOnFailure: !shrink,
  });
  if (!counterexample) return { runs: numRuns, failure: null };
  const scenario = scenarioOf(protocol, systems, counterexample[0]);
  return { runs: numRuns, failure: { scenario, ...breaks(protocol, scenario, ignore)!, shrinks: numShrinks } };
}

/** The property that a scenario breaks, `null` when all goes well; one that the protocol refuses is skipped. */
function breaks(protocol: Protocol, json: Readonly<Record<string, unknown>>, ignore: ReadonlySet<string>): Broken | null {
  let scenario: Scenario;
  try {
    scenario = parseScenario(json, { [protocol.name]: protocol });
  } catch (error) {
    if (error instanceof UsageError) fc.pre(false);
    throw error;
  }
  return brokenIn(scenario, ignore);
}
