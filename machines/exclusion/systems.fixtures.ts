/** Small systems, and the two ways to search them. */
import { explore } from '../../test/explore/explore.js';
import type { Scripted } from '../../network/world/script.js';
import type { NodeId } from '../effects.js';
import type { Topology } from '../protocol.js';
import { exclusion } from './index.js';
import type { ExclusionOptions } from './options.js';
import { exclusionProperties, printedProperties } from './properties.js';
import { allServed, stepwise } from './stepwise.fixtures.js';

const graph = (n: number, ...links: readonly (readonly [number, number])[]): Topology => ({
  nodes: Array.from({ length: n }, (_, i) => `n${i}`),
  links: links.map(([u, v]) => [`n${u}`, `n${v}`, 1]),
});

export const P2 = graph(2, [0, 1]);
export const P3 = graph(3, [0, 1], [1, 2]);
export const K3 = graph(3, [0, 1], [1, 2], [0, 2]);
export const S3 = graph(4, [0, 1], [0, 2], [0, 3]);
export const C4 = graph(4, [0, 1], [1, 2], [2, 3], [3, 0]);

/** Calls of Lock, by node in the order of the topology. */
export type Calls = readonly number[];

const invariantsOf = ({ rules }: Partial<ExclusionOptions>) =>
  (rules === 'printed' ? printedProperties : exclusionProperties).filter(({ kind }) => kind === 'always');

/** Every Check action as a separate step, as in the paper. No node must take one, so no progress is required. */
export function finely(topology: Topology, calls: Calls, options: Partial<ExclusionOptions> = {}) {
  const { states, doomed, properties } = explore(
    stepwise(Object.fromEntries(topology.nodes.map((node, i) => [node, calls[i] ?? 0]))),
    {
      topology,
      options: { priorities: 2, hold: null, ...options },
      commands: { unlimited: ['lock', 'unlock', 'checkInitiator', 'checkPriorities'] },
      properties: invariantsOf(options),
      goal: allServed,
    },
  );
  const violated = properties.filter(({ kind, holds }) => kind === 'always' && holds === false).map(({ name }) => name);
  return { states, doomed, violated };
}

export const lock = (node: NodeId): Scripted => ({ do: 'command', name: 'lock', node, fields: {} });
export const cut = (u: NodeId, v: NodeId): Scripted => ({ do: 'cut', link: [u, v] });
export const join = (u: NodeId, v: NodeId): Scripted => ({ do: 'join', link: [u, v], weight: 1 });

/** The charts as shipped; a neighborhood may be unlocked at any time after it was locked. */
export const shipped = (
  topology: Topology,
  calls: Calls,
  changes: readonly Scripted[] = [],
  options: Partial<ExclusionOptions> = {},
) =>
  explore(exclusion, {
    topology,
    options: { priorities: 2, hold: 1, ...options },
    commands: [...calls.flatMap((count, i) => Array.from({ length: count }, () => lock(`n${i}`))), ...changes],
  });
