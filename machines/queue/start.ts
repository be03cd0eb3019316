/** The legal initial state of a run: every pointer leads to the root, and every guardian has just estimated φ = 1 for its edge. */
import type { NodeId } from '../effects.js';
import type { RoleStart, Instance } from '../protocol.js';
import type { TreeEntry } from '../tree/bfs.js';
import { identityInTree } from '../tree/breadth-first.js';
import type { TreeInput } from '../tree/machine.js';
import { beatTicks, tauTicks } from './bounds.js';
import type { GuardianInput } from './guardian.js';
import { GUARDIAN, guardianOf, POINTER, TREE } from './messages.js';
import type { QueueOptions } from './options.js';
import type { PointerInput } from './pointer.js';

export function rolesAtStart(id: NodeId, instance: Instance<QueueOptions>): RoleStart[] {
  const { options } = instance;
  const parent = parentAtStart(id, options);
  const children = options.children[id]!;
  const tau = tauTicks(options);
  const pointer: PointerInput = { id, pointer: parent ?? id, parent, children, tau };
  const guardians = children.map((child) => ({
    role: guardianOf(child),
    chart: GUARDIAN,
    input: { child, tau } satisfies GuardianInput,
  }));
  const tree = options.levels === null ? [] : [{ role: TREE, chart: TREE, input: treeInput(id, instance) }];
  return [{ role: POINTER, chart: POINTER, input: pointer }, ...guardians, ...tree];
}

export const parentAtStart = (id: NodeId, { parents }: QueueOptions): NodeId | null => (parents[id] === id ? null : parents[id]!);

export function treeInput(id: NodeId, instance: Instance<QueueOptions>): TreeInput {
  const { options, topology } = instance;
  const { neighbors, entries } = options.levels!;
  const received: Record<NodeId, TreeEntry | null> = {};
  for (const peer of neighbors[id]!) received[peer] = entries[peer]!;
  return {
    identity: identityInTree(id, options.root, instance),
    limit: topology.nodes.length,
    period: beatTicks(options),
    client: POINTER,
    received,
    parent: parentAtStart(id, options),
    children: options.children[id]!,
  };
}
