/** Protocols made for tests: a chart or two, and every part of the description that a test does not speak of left empty. */
import type { AnyStateMachine } from 'xstate';
import type { NodeId } from '../../machines/effects.js';
import type { Command, Configuration, Protocol } from '../../machines/protocol.js';

export interface Toy extends Partial<Omit<Protocol, 'charts' | 'commands' | 'network'>> {
  /** One role a node, which runs this chart; its input is `{ id, peers }`. */
  readonly chart: AnyStateMachine;
  readonly network?: Partial<Protocol['network']>;
  /** Event types that the application may send; each waits for its chart. */
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

/** An `always` property that says of something that it is never so. */
export const never = (name: string, isSo: (c: Configuration) => boolean) => ({
  name,
  description: 'made for a test',
  kind: 'always' as const,
  holds: (c: Configuration) => !isSo(c),
});
