/** The generated topologies, such as `ring` and `grid`: the parameters of each kind, and its nodes and links. */
import { UsageError } from '../../machines/errors.js';
import type { Topology } from '../../machines/protocol.js';
import { placeIn, readFields, readInteger, readList, readNumber, readTicks, type Fields } from '../scenario/read.js';
import { erdosRenyi, geometric } from './random-graphs.js';

/** Maximum number of nodes, because of the memory. */
const NODES_MAX = 1_000_000;
const LINKS_MAX = 2_000_000;
/** Maximum number of pairs for generators that visit every pair of nodes, because of the time. */
const PAIRS_MAX = 50_000_000;

type Parameters = Readonly<Record<string, number>>;

/** Reads one parameter of the scenario. */
type Read = (value: unknown, place: string) => number;

interface Kind {
  readonly parameters: Readonly<Record<string, Read>>;
  /** Expected number of links, if it is much larger than the number of nodes. */
  links?(parameters: Parameters): number;
  shape(parameters: unknown): Shape;
}

const size =
  (min: number): Read =>
  (value, place) =>
    readInteger(value, place, min, NODES_MAX);
const optional =
  (fallback: number, read: Read): Read =>
  (value, place) =>
    value === undefined ? fallback : read(value, place);
const seed = optional(1, (value, place) => readInteger(value, place));
const pairs = (n: number): number => (n * (n - 1)) / 2;

type P<K extends string> = Readonly<Record<K, number>>;

export const topologyKinds: Readonly<Record<string, Kind>> = {
  path: { parameters: { n: size(1) }, shape: ({ n }: P<'n'>) => path(n) },
  // A ring of two nodes would have the same link twice.
  ring: { parameters: { n: size(3) }, shape: ({ n }: P<'n'>) => ring(n) },
  star: { parameters: { n: size(1) }, shape: ({ n }: P<'n'>) => star(n) },
  grid: {
    parameters: { rows: size(1), columns: size(1) },
    shape: ({ rows, columns }: P<'rows' | 'columns'>) => grid(rows, columns),
  },
  torus: {
    parameters: { rows: size(3), columns: size(3) },
    shape: ({ rows, columns }: P<'rows' | 'columns'>) => torus(rows, columns),
  },
  tree: { parameters: { n: size(1), arity: optional(2, size(1)) }, shape: ({ n, arity }: P<'n' | 'arity'>) => tree(n, arity) },
  complete: { parameters: { n: size(1) }, links: ({ n }) => pairs(n!), shape: ({ n }: P<'n'>) => complete(n) },
  geometric: {
    parameters: { n: size(1), radius: (value, place) => readNumber(value, place, 'a number', Number.MIN_VALUE, 2), seed },
    links: ({ n, radius }) => pairs(n!) * Math.min(1, Math.PI * radius! ** 2),
    shape: ({ n, radius, seed }: P<'n' | 'radius' | 'seed'>) => geometric(n, radius, seed),
  },
  'erdos-renyi': {
    parameters: { n: size(1), p: (value, place) => readNumber(value, place, 'a chance', 0, 1), seed },
    links: ({ n, p }) => pairs(n!) * Math.max(p!, LINKS_MAX / PAIRS_MAX),
    shape: ({ n, p, seed }: P<'n' | 'p' | 'seed'>) => erdosRenyi(n, p, seed),
  },
};

/** Creates the topology of a kind: nodes n0, n1 …, and the given weights in the order of the links, by default 1. */
export function ofKind(name: string, spec: Fields, place: string): Topology {
  const kind = topologyKinds[name]!;
  const known = Object.keys(kind.parameters);
  const fields = readFields(spec, place, ['kind', ...known, 'weights']);
  const parameters = Object.fromEntries(
    Object.entries(kind.parameters).map(([key, read]) => [key, read(fields[key], placeIn(place, key))]),
  );
  const { rows = 1, columns = 1 } = parameters;
  if (rows * columns > NODES_MAX) throw new UsageError(`${place} has ${rows * columns} nodes. The limit is ${NODES_MAX}.`);
  const links = kind.links?.(parameters) ?? 0;
  if (links > LINKS_MAX) throw new UsageError(`${place} of kind ${name} has too many links for one computer. Lower n.`);
  const shape = kind.shape(parameters);
  const weights = fields['weights'] === undefined ? undefined : readWeights(fields['weights'], placeIn(place, 'weights'), shape);
  const nodes = Array.from({ length: shape.n }, (_, i) => `n${i}`);
  return { nodes, links: shape.links.map(([i, j], k) => [nodes[i]!, nodes[j]!, weights?.[k] ?? 1]) };
}

function readWeights(value: unknown, place: string, { links }: Shape): number[] {
  const list = readList(value, place, 'numbers');
  if (list.length !== links.length) {
    throw new UsageError(`${place} must list one weight for each link, in their order: ${links.length}, and not ${list.length}.`);
  }
  return list.map((weight, k) => readTicks(weight, placeIn(place, k), 'a weight'));
}

/**
 * Nodes 0 to n - 1 and the links between them, in the order in which `weights` names them.
 *
 * Graph libraries cover only some of the kinds, and identities and weights depend on the order of nodes and links, so the order is defined here.
 */
export interface Shape {
  readonly n: number;
  readonly links: readonly (readonly [number, number])[];
}

const count = <T>(n: number, item: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => item(i));

export const path = (n: number): Shape => ({ n, links: count(n - 1, (i) => [i, i + 1] as const) });

export const ring = (n: number): Shape => ({ n, links: count(n, (i) => [i, (i + 1) % n] as const) });

/** Node 0 in the middle. */
export const star = (n: number): Shape => ({ n, links: count(n - 1, (i) => [0, i + 1] as const) });

/** Row by row; each node's link to the right, then the one down. */
const grid = (rows: number, columns: number): Shape => ({
  n: rows * columns,
  links: count(rows * columns, (i) => {
    const right = (i + 1) % columns === 0 ? [] : [[i, i + 1] as const];
    const down = i + columns < rows * columns ? [[i, i + columns] as const] : [];
    return [...right, ...down];
  }).flat(),
});

/** A grid whose rows and columns close. */
export const torus = (rows: number, columns: number): Shape => ({
  n: rows * columns,
  links: count(rows * columns, (i) => {
    const right = (i + 1) % columns === 0 ? i + 1 - columns : i + 1;
    return [[i, right] as const, [i, (i + columns) % (rows * columns)] as const];
  }).flat(),
});

/** Every level is full except the last, which is filled from the left: the parent of i is (i - 1) / arity, rounded down. */
const tree = (n: number, arity: number): Shape => ({ n, links: count(n - 1, (i) => [Math.floor(i / arity), i + 1] as const) });

export const complete = (n: number): Shape => ({
  n,
  links: count(n, (i) => count(n - 1 - i, (k) => [i, i + 1 + k] as const)).flat(),
});
