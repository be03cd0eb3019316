/** Small systems for the checker: trees, scripts, and a controller whose bins are larger than the waste of a small budget allows. */
import type { Topology } from '../protocol.js';
import { explore, type ExploreOptions } from '../../test/explore/explore.js';
import { controller } from './index.js';
import type { ControllerOptions } from './options.js';

type Edge = readonly [number, number];

export const treeOf = (n: number, edges: readonly Edge[]): Topology => ({
  nodes: Array.from({ length: n }, (_, i) => `n${i}`),
  links: edges.map(([u, v]) => [`n${u}`, `n${v}`, 1]),
});

export const chain = (n: number): Topology =>
  treeOf(
    n,
    Array.from({ length: n - 1 }, (_, i) => [i, i + 1] as const),
  );
export const star = (n: number): Topology =>
  treeOf(
    n,
    Array.from({ length: n - 1 }, (_, i) => [0, i + 1] as const),
  );

/** `at(1, 'take', 'child')`: the requests of node n1, in this order. */
export const at = (node: number, ...words: readonly string[]) =>
  words.map((word) => {
    const [name = '', amount] = word.split(' ');
    return { do: 'command' as const, name, node: `n${node}`, fields: amount === undefined ? {} : { amount: Number(amount) } };
  });

/** The same controller with bins of a given exponent, independent of its waste, outside of the paper's bounds. */
const forced = (exponent: number) => ({
  ...controller,
  options: (...args: Parameters<typeof controller.options>): ControllerOptions => {
    const options = controller.options(...args);
    return { ...options, terms: { ...options.terms, R: { exponent } } };
  },
  properties: (...args: Parameters<typeof controller.properties>) =>
    controller.properties(...args).filter(({ name }) => name !== 'at most W wasted'),
});

export function check(
  topology: Topology,
  options: Readonly<Record<string, unknown>>,
  over: Partial<ExploreOptions> = {},
  exponent?: number,
) {
  const protocol = exponent === undefined ? controller : forced(exponent);
  return explore(protocol, { topology, options, commands: { unlimited: ['take'] }, ...over });
}
