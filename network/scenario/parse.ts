/** Parses a scenario that names its protocol, or several protocols on the same nodes. */
import { isObject } from '../../machines/checks.js';
import { compose } from '../../machines/compose/index.js';
import { UsageError } from '../../machines/errors.js';
import type { Protocol } from '../../machines/protocol.js';
import { topologyFiles, type ReadText } from '../topology/files.js';
import { placeIn, readOneOf } from './read.js';
import { readScenario } from './scenario.js';
import type { Scenario } from './types.js';

/**
 * Parses a scenario from its JSON: checks every key, adds defaults, builds the topology and reads the options of the protocol.
 *
 * @param json the scenario, parsed from its file.
 * @param protocols known protocols by name: `protocols` of the package, and your own.
 * @param readText returns the text of a file that a topology names.
 * @returns a scenario for `Simulation`.
 * @throws UsageError with the problem, its place and the fix; nothing has started then.
 * @example
 * ```ts
 * import { parseScenario } from 'xstate-quiver/network';
 * import { protocols } from 'xstate-quiver/machines';
 *
 * const scenario = parseScenario({ protocol: 'directory', topology: { kind: 'ring', n: 8 } }, protocols);
 * console.log(scenario.graph.topology.nodes, scenario.seed);
 * ```
 * @public
 */
export function parseScenario(json: unknown, protocols: Readonly<Record<string, Protocol>>, readText?: ReadText): Scenario {
  if (!isObject(protocols))
    throw new UsageError(`parseScenario needs the protocols as its second argument: parseScenario(json, protocols)`);
  return readScenario(json, (value) => readProtocol(value, protocols), readText && topologyFiles(readText));
}

/** A protocol by its name, or several on the same nodes, by the names of their parts: one token or data item each. */
function readProtocol(value: unknown, protocols: Readonly<Record<string, Protocol>>): Protocol {
  const named = (given: unknown, path: string): Protocol => {
    const key = readOneOf(given, path, Object.keys(protocols));
    const { name } = protocols[key]!;
    if (name !== key) throw new UsageError(`parseScenario got the protocol "${name}" as "${key}". Pass it as { "${name}": … }`);
    return protocols[key]!;
  };
  if (!isObject(value)) return named(value, 'protocol');
  const parts = Object.entries(value).map(([part, name]) => [part, named(name, placeIn('protocol', part))] as const);
  if (parts.length < 2)
    throw new UsageError(
      'protocol has fewer than two parts. Use a name, or parts: { "fork": "directory", "knife": "directory" }.',
    );
  return compose(Object.fromEntries(parts));
}
