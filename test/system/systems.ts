/**
 * The small systems of a protocol for the generated tests: those that it defines itself, or else two nodes, a path of three and a ring of
 * three. There each node receives every command without fields.
 */
import { UsageError } from '../../machines/errors.js';
import type { Protocol, SystemSample } from '../../machines/protocol.js';
import { parseScenario } from '../../network/scenario/parse.js';
import type { Scenario } from '../../network/scenario/types.js';
import { requireProtocol } from '../../network/scenario/required.js';

export interface System extends Pick<SystemSample, 'violates'> {
  /** The place in the protocol's list. */
  readonly index: number;
  readonly json: Readonly<Record<string, unknown>>;
  readonly scenario: Scenario;
}

const TOPOLOGIES = [
  { kind: 'path', n: 2 },
  { kind: 'path', n: 3 },
  { kind: 'ring', n: 3 },
];

/**
 * The small systems of a protocol that generated tests run: those of its description, or else a few topologies with every command
 * at every node.
 *
 * @throws UsageError for a system of the description that is not a scenario of the protocol.
 * @public
 */
export function systemsOf(protocol: Protocol): readonly System[] {
  requireProtocol('systemsOf', protocol);
  const samples = protocol.systems ?? TOPOLOGIES.map((topology) => ({ topology, events: everyCommand(protocol, topology.n) }));
  return samples.flatMap((sample) => parsed(protocol, sample)).map((system, index) => ({ index, ...system }));
}

/** A system that consists of a single scenario. */
export const onProtocol = (json: Readonly<Record<string, unknown>>, protocol: Protocol): System => ({
  index: 0,
  json,
  scenario: parseScenario(json, { [protocol.name]: protocol }),
});

/** The same system with other charts of the protocol: a mutant, or charts with observers. */
export const onCharts = ({ scenario }: System, protocol: Protocol): Scenario => ({ ...scenario, protocol });

function everyCommand({ commands }: Protocol, n: number) {
  const free = Object.entries(commands).filter(([, { fields = [] }]) => fields.every(({ optional }) => optional));
  return Array.from({ length: n }, (_, i) => free.map(([word]) => ({ at: 0, node: `n${i}`, do: word }))).flat();
}

/** A system of the protocol's own must be right; of the others those are left out that it cannot do. */
function parsed(protocol: Protocol, { violates, ...sample }: SystemSample): Omit<System, 'index'>[] {
  const json = { protocol: protocol.name, ...sample };
  try {
    const scenario = parseScenario(json, { [protocol.name]: protocol });
    return [{ json, scenario, ...(violates !== undefined && { violates }) }];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    if (protocol.systems) throw new UsageError(`a system of protocol ${protocol.name}: ${error.message}`);
    return [];
  }
}
