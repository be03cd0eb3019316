/** Checks that several protocols use for the options of a scenario and for messages from the network. */
import type { NodeId } from './effects.js';
import { UsageError } from './errors.js';
import type { NetworkGraph, RoleView } from './protocol.js';

type Raw = Readonly<Record<string, unknown>>;

export function refuseUnknown(raw: Raw, known: readonly string[]): void {
  for (const key of Object.keys(raw)) {
    if (!known.includes(key)) throw new UsageError(`Unknown option options.${key}. The options are ${known.join(', ')}.`);
  }
}

export function oneOf<T extends string>(raw: Raw, key: string, choices: readonly T[], fallback: T): T {
  const value = raw[key] ?? fallback;
  const chosen = choices.find((choice) => choice === value);
  if (chosen === undefined) {
    throw new UsageError(`options.${key} is ${JSON.stringify(value)}. Choose one of ${choices.join(', ')}.`);
  }
  return chosen;
}

/** The largest integer that an option may be: protocols add and subtract, and the sum of two of these is still exact. */
export const INTEGER_MAX = 2 ** 52;

export const isSafeInteger = (value: unknown): value is number => Number.isSafeInteger(value);

export const isIntegerOf = (value: unknown, min: number, max = INTEGER_MAX): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max;

interface IntegerRange {
  readonly min: number;
  readonly max?: number;
  readonly fallback?: number;
}

export function integer(raw: Raw, key: string, { min, max = INTEGER_MAX, fallback }: IntegerRange): number {
  const value = raw[key] ?? fallback;
  if (!isIntegerOf(value, min, max)) {
    const range = max === INTEGER_MAX && !(Number(value) > max) ? `of at least ${min}` : `between ${min} and ${max}`;
    throw new UsageError(`options.${key} is ${JSON.stringify(value)}. Use an integer ${range}.`);
  }
  return value;
}

export function nodeOf(raw: Raw, key: string, { rank, topology }: NetworkGraph, fallback: NodeId): NodeId {
  const value = raw[key] ?? fallback;
  if (typeof value !== 'string' || rank(value) < 0) {
    throw new UsageError(
      `options.${key} is ${JSON.stringify(value)}, which is not a node of the topology. Name one of its ${topology.nodes.length} nodes.`,
    );
  }
  return value;
}

/**
 * Maximum time and delay. Numbers up to it, and up to seven times it, still distinguish hundredths of a tick; beyond that a short delay
 * would vanish.
 */
export const TICKS_MAX = 1e13;

/** `hold`: the ticks after which a grant is released automatically; `null` leaves the release to events. */
export function holdOf(raw: Raw): number | null {
  return raw['hold'] === null ? null : integer(raw, 'hold', { min: 0, max: TICKS_MAX, fallback: 0 });
}

/** `parents` as a tree rooted at `root`: every node once, the root its own parent, no cycle. */
export function rootedTree(raw: unknown, root: NodeId, { topology, rank }: NetworkGraph): Readonly<Record<NodeId, NodeId>> {
  if (!isObject(raw)) throw new UsageError('options.parents must map every node to its parent, the root to itself.');
  for (const node of [...Object.keys(raw), ...Object.values(raw)]) {
    if (typeof node !== 'string' || rank(node) < 0)
      throw new UsageError(
        `options.parents names ${JSON.stringify(node)}, which is not a node of the topology. Use the topology's nodes.`,
      );
  }
  const parents = raw as Record<NodeId, NodeId>;
  if (parents[root] !== root) throw new UsageError(`options.parents must map the root ${root} to itself.`);
  const rooted = new Set([root]);
  for (const node of topology.nodes) {
    const walk = new Set<NodeId>();
    for (let at = node; !rooted.has(at); at = parents[at]!) {
      if (parents[at] === undefined) throw new UsageError(`options.parents contains no parent for ${at}. Every node needs one.`);
      if (walk.has(at))
        throw new UsageError(
          `options.parents is not a tree: following the parents of ${node} never reaches the root ${root}. Remove the cycle.`,
        );
      walk.add(at);
    }
    for (const visited of walk) rooted.add(visited);
  }
  return parents;
}

/** The tree of shortest paths to `root`: each node's parent is the neighbor through which the root is nearest, ties by node order. */
export function shortestPathTree(root: NodeId, { topology, distance }: NetworkGraph): Record<NodeId, NodeId> {
  const parents: Record<NodeId, NodeId> = { [root]: root };
  const best = new Map<NodeId, number>();
  for (const [a, b, weight] of topology.links) {
    for (const [child, parent] of [
      [a, b],
      [b, a],
    ] as const) {
      const through = weight + distance(root, parent);
      if (child === root || through > distance(root, child) + 1e-9 * through) continue;
      if (best.has(child) && best.get(child)! <= distance(root, parent)) continue;
      best.set(child, distance(root, parent));
      parents[child] = parent;
    }
  }
  return parents;
}

/** The fields of a value, whose types are not known. `null` and `undefined` have none. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => Object(value);

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A role's state as a dotted path, for charts without parallel regions: `holding.using.last`. */
export function statePath({ value }: Pick<RoleView, 'value'>): string {
  if (typeof value === 'string') return value;
  const [key, inner] = Object.entries(value)[0]!;
  return inner === undefined ? key : `${key}.${statePath({ value: inner })}`;
}

/** The keys of a record with a known set of keys, whose names `Object.keys` loses. */
export const keysOf = <K extends string>(record: Readonly<Partial<Record<K, unknown>>>): K[] => Object.keys(record) as K[];

export const entriesOf = <K extends string, V>(record: Readonly<Record<K, V>>): [K, V][] =>
  keysOf<K>(record).map((key) => [key, record[key]]);

/** A record with a value for each key. */
export function recordBy<K extends string, V>(keys: readonly K[], valueOf: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<K, V>;
}
