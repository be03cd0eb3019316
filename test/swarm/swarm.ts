/**
 * Random search at scale: scenarios with faults, each of them run until all has healed and the network has come to rest.
 *
 * fast-check draws the scenarios and shrinks the one that fails, over requests, faults, links and nodes, for as long as the same
 * property breaks. It is an optional peer: only who imports this module needs it.
 */
import fc from 'fast-check';
import type { Protocol } from '../../machines/protocol.js';
import { brokenIn, type Broken } from './broken.js';
import { acceptedBy, departuresIn } from './departures.js';
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
  /** Properties that are let be. */
  readonly ignore?: ReadonlySet<string>;
  /** `false` gives the first scenario that fails as it is. */
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
  /** How many scenarios were run, those apart that the protocol refuses. */
  readonly runs: number;
  readonly failure: SwarmFailure | null;
}

/**
 * Random search: draws scenarios with faults, runs each, and makes the first that breaks a property as small as it gets.
 *
 * @param protocol the protocol.
 * @param options the number of runs (default 100), the seed (default 1), and whether a failure is shrunk (default true).
 * @returns `failure` is `null` when nothing broke; its `scenario` is a file for `quiver explore`.
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
  const { numRuns, ...found } = fc.check(search.property, {
    seed,
    numRuns: runs,
    maxSkipsPerRun: SKIPS_MAX,
    endOnFailure: !shrink,
  });
  return { runs: numRuns, failure: search.failureOf(found) };
}

/** At least one of a thousand consecutive scenarios must fit the protocol. */
const SKIPS_MAX = 1000;

function searchIn(protocol: Protocol, ignore: ReadonlySet<string>) {
  const systems = soundSystems(protocol);
  let first: Broken | null = null;
  /** The scenario, and where it asks for a departure, one of those that its notifications give occasion to. */
  const breaks = (shape: Parameters<typeof scenarioOf>[2]): (Broken & Pick<SwarmFailure, 'scenario'>) | null => {
    const json = scenarioOf(protocol, systems, shape);
    if (!acceptedBy(protocol, json)) fc.pre(false);
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
    failureOf: ({ counterexample, numShrinks }: Found): SwarmFailure | null => {
      if (!counterexample) return null;
      return { ...breaks(counterexample[0])!, shrinks: numShrinks };
    },
  };
}

type Found = Pick<fc.RunDetails<[Parameters<typeof scenarioOf>[2]]>, 'counterexample' | 'numShrinks'>;
