/** Names of nodes for lanes and tables: an actor by its parent and its id, or by its whole name if other actors are called the same. */
import { computed } from '@preact/signals';
import { idOf } from '../model/words.js';
import { growing } from './state.js';

const PARTS = ' › ';

function ownName(node: number): string {
  const { nodes, programs, parents, groups } = growing();
  const name = nodes.names[node]!;
  const parent = nodes.names[parents[node] ?? -1];
  if (parent !== undefined) return `${idOf(parent)}${PARTS}${idOf(name)}`;
  if (groups[node] !== undefined) return name.split('/').slice(-2).join(PARTS);
  const program = `${programs[node] ?? ''}/`;
  return name.startsWith(program) ? name.slice(program.length) : name;
}

export const nodeNames = computed((): readonly string[] => {
  const { nodes, programs } = growing();
  if (programs.length === 0) return nodes.names;
  const own = nodes.names.map((_, node) => ownName(node));
  const counts = new Map<string, number>();
  for (const name of own) counts.set(name, (counts.get(name) ?? 0) + 1);
  return own.map((name, node) => (counts.get(name)! > 1 ? nodes.names[node]!.split('/').join(PARTS) : name));
});

/** The name of a node next to that of the one it exchanges an event with, which it does not repeat if that is its parent. */
export function nameNextTo(name: string, other: string): string {
  const { nodes, parents } = growing();
  const node = nodes.find(name);
  return parents[node] !== undefined && nodes.names[parents[node]] === other ? idOf(name) : (nodeNames.value[node] ?? name);
}
