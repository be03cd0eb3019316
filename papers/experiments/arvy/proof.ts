/**
 * The gap in the proof of Lemma 2, counted: how often a step of the protocol is one that the proof does not cover.
 *
 * When a find r arrives at a node w with a self-loop, the proof of part 2 distinguishes two cases. Either some red edge r' has w among the
 * nodes that wait for its producer, or none has. For the second case it states that nothing changes for any other red edge. But w may be
 * the producer of r': its own find is still in flight. After next(w) = prod(r), the producer of r waits for w, and so do all nodes that
 * wait for it. For the first case the proof states that only waiting(r) is added; the producer of r is, too. The lemma itself holds in
 * every state that the checker has visited.
 */
import { explore } from '../../../test/explore/explore.js';
import { rootedTrees } from '../../../test/explore/topologies.js';
import { directory } from '../../../machines/directory/index.js';
import { directoryContext, finds } from '../../../machines/directory/view.js';
import type { Configuration, Property, Protocol } from '../../../machines/protocol.js';
import type { Table } from '../experiment.js';

export interface ProofCount {
  readonly states: number;
  /** Number of arrivals of a find at a node with a self-loop, counted for each new parent that the policy may pick. */
  readonly atSelfLoop: number;
  /** Number of those at a node whose own find is in flight, which the proof omits. */
  readonly leftOut: number;
  /** True if Lemma 2 holds in all states. */
  readonly holds: boolean;
  /** True if no find visits a node twice, the basis of Theorem 4: then, n being finite, it reaches a node that does not forward it. */
  readonly noNodeTwice: boolean;
}

const noNodeTwice: Property = {
  name: 'no node twice',
  kind: 'always',
  description: 'A find is never in flight to a node that it has visited (Theorem 4).',
  holds: (c: Configuration) => finds(c).every(({ to, message }) => !message.visited.includes(to)),
};

/** Counts over every interleaving of n nodes from every tree, with every choice of the new parent; a release is a separate event. */
export function countProof(n: number, protocol: Protocol = directory): ProofCount {
  const nodes = Array.from({ length: n }, (_, i) => `n${i}`);
  const links = nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v, 1] as const));
  const initials = rootedTrees(nodes).map((parents) => {
    const root = nodes.find((node) => parents[node] === node);
    return { policy: 'random', hold: 1, parents, root };
  });
  const count = { atSelfLoop: 0, leftOut: 0 };
  const counting: Property = {
    name: 'counting',
    kind: 'always',
    description: 'Always holds, and counts the finds that may arrive.',
    holds: (c: Configuration) => {
      const flying = finds(c);
      for (const { to, message } of flying) {
        if (directoryContext(c.nodes.get(to)!).parent !== to) continue;
        count.atSelfLoop += message.visited.length;
        if (flying.some((other) => other.message.producer === to)) count.leftOut += message.visited.length;
      }
      return true;
    },
  };
  const parts = ['spanning tree', 'green trees', 'source side'];
  const { states, properties } = explore(
    {
      ...protocol,
      properties: (of) => [counting, noNodeTwice, ...protocol.properties(of).filter(({ name }) => parts.includes(name))],
    },
    { topology: { nodes, links }, initials, commands: { unlimited: ['request'] } },
  );
  const holds = (names: readonly string[]) => properties.every((one) => !names.includes(one.name) || one.holds === true);
  return { states, ...count, holds: holds(parts), noNodeTwice: holds([noNodeTwice.name]) };
}

export function proofTable(): Table {
  const expected: Record<number, readonly [number, number]> = { 2: [16, 0], 3: [300, 36], 4: [14_208, 4392] };
  return {
    title: 'Lemma 2: steps that its proof leaves out, in every interleaving from every tree',
    columns: [
      '',
      'states',
      'a find meets a self-loop',
      'of a node whose own find is on its way',
      'the lemma holds',
      'no find meets a node twice',
    ],
    rows: Object.entries(expected).map(([n, [states, leftOut]]) => {
      const found = countProof(Number(n));
      return {
        label: `${n} nodes`,
        cells: [
          { value: found.states, expected: states },
          { value: found.atSelfLoop },
          { value: found.leftOut, expected: leftOut },
          { value: found.holds ? 'yes' : 'no', expected: 'yes' },
          { value: found.noNodeTwice ? 'yes' : 'no', expected: 'yes' },
        ],
      };
    }),
    note: 'The proof of part 2 asks whether the node waits for another find; it forgets that the node may have sent that find itself.',
  };
}
