/** Properties and counts that several classics share. Each runs one chart at a node, named as the protocol. */
import type { Configuration, NodeId, Property, RoleView } from '../../index.js';
import type { Instance, Observer } from '../../machines/protocol.js';
import { statePath } from '../../machines/checks.js';

/** The one role of a node. */
export const classicRole = <C>({ nodes }: Configuration, node: NodeId): RoleView<C> => Object.values(nodes.get(node)!)[0]!;
/** The one role of each node. */
export const classicRoles = <C>({ nodes }: Configuration): readonly RoleView<C>[] =>
  [...nodes.values()].map((node) => Object.values(node)[0]!);
/** True if a node is in a state, or in a state inside of it. */
export const isIn = (c: Configuration, node: NodeId, state: string): boolean =>
  `${statePath(classicRole(c, node))}.`.startsWith(`${state}.`);
export const nodesIn = (c: Configuration, state: string): readonly NodeId[] =>
  [...c.nodes.keys()].filter((node) => isIn(c, node, state));
export const inFlight = ({ flights }: Configuration, type: string): number =>
  flights.filter(({ message }) => message.type === type).length;
export const others = (id: NodeId, { topology }: Instance): readonly NodeId[] => topology.nodes.filter((node) => node !== id);

/** For charts with the states `requesting` and `inside`. */
export const mutualExclusion: readonly Property[] = [
  {
    name: 'mutual exclusion',
    description: 'At most one node is inside its critical section.',
    kind: 'always',
    holds: (c) => nodesIn(c, 'inside').length <= 1,
  },
  {
    name: 'no starvation',
    description: 'A node that requests to enter eventually enters.',
    kind: 'eventually',
    when: (c, node) => isIn(c, node, 'requesting'),
    holds: (c, node) => isIn(c, node, 'inside'),
  },
];

/** The application of a scenario: a node that has entered leaves a tick later. */
export const leaves = () => [{ on: 'entered', event: { type: 'leave' }, after: 1 }];

/** Messages per notification of a type, compared with the paper's bound. */
export const costPer =
  (notification: string, bound: (instance: Instance) => number) =>
  (instance: Instance): Observer => {
    const count = { messages: 0, [notification]: 0 };
    const name = `messages per ${notification}`;
    return {
      record: ({ sent, emitted }) => {
        count.messages += sent.length;
        count[notification]! += emitted.filter(({ type }) => type === notification).length;
      },
      summary: () => ({ ...count }),
      meters: () => {
        if (count[notification] === 0) return [];
        const [measured, most] = [count.messages / count[notification]!, bound(instance)];
        return [{ name, measured, bound: most, ratio: most === 0 ? null : measured / most }];
      },
    };
  };
