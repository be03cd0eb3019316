/** Builds small protocols for tests from a single chart, with defaults for all other parts of the description. */
import type { AnyStateMachine } from 'xstate';
import type { NodeId } from '../../machines/effects.js';
import type { Command, Configuration, Protocol } from '../../machines/protocol.js';

export interface Toy extends Partial<Omit<Protocol, 'charts' | 'commands' | 'network'>> {
  /** The chart of the only role of each node; its input is `{ id, peers }`. */
  readonly chart: AnyStateMachine;
  readonly network?: Partial<Protocol['network']>;
  /** Event types that the application may send; each waits until the chart accepts it. */
  readonly commands?: readonly string[];
}

export interface ToyInput {
  readonly id: NodeId;
  /** The other nodes, in the order of the topology. */
  readonly peers: readonly NodeId[];
}

export function toy({ chart, network, commands = [], ...rest }: Toy): Protocol {
  const command = (type: string): Command => ({ event: () => ({ type }), waits: true, completedBy: [] });
  return {
    name: 'toy',
    paper: 'made for a test',
    charts: { toy: chart },
    network: { reach: 'routed', addressing: 'names', order: 'unordered', time: false, ...network },
    options: (raw) => raw,
    roles: (id, { topology }) => [
      { role: 'toy', chart: 'toy', input: { id, peers: topology.nodes.filter((node) => node !== id) } },
    ],
    route: () => 'toy',
    accepts: () => true,
    commands: Object.fromEntries(commands.map((type) => [type, command(type)])),
    reactions: () => [],
    properties: () => [],
    observe: () => ({ record: () => {}, summary: () => ({}), meters: () => [] }),
    samples: {},
    ...rest,
  };
}

/** An `always` property that is violated when `isSo` is true. */
export const never = (name: string, isSo: (c: Configuration) => boolean) => ({
  name,
  description: 'made for a test',
  kind: 'always' as const,
  holds: (c: Configuration) => !isSo(c),
});
