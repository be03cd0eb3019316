/** Runs the directory with one request after another, and returns its cost and its final state. */
import { simulateByName } from '../../../testing/simulate.js';

export interface DirectoryCost {
  readonly findCost: number;
  readonly findMessages: number;
  readonly opt: number;
  readonly ratio: number;
  readonly parents: Readonly<Record<string, string>>;
  readonly bridgeOwner: string | null;
  /** Node with the token at the end. */
  readonly holder: string;
}

/** The options of the directory, or the description of a topology. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function costOf(topology: JsonObject, options: JsonObject, requests: readonly number[]): DirectoryCost {
  const scenario = {
    protocol: 'directory',
    topology,
    options,
    network: { order: 'unordered' },
    workload: { sequential: requests.map((i) => `n${i}`) },
  };
  return simulateByName(scenario, { host: 'snapshots', watch: false }).summary as unknown as DirectoryCost;
}

export const onRing = (n: number, policy: string, requests: readonly number[]): DirectoryCost =>
  costOf({ kind: 'ring', n }, policy === 'bridge' ? { policy } : { policy, ...chain(n) }, requests);

/** The start of the ring experiments: every node points to the next, the last one is the root. */
export function chain(n: number): JsonObject {
  const parents = Object.fromEntries(Array.from({ length: n }, (_, i) => [`n${i}`, `n${Math.min(i + 1, n - 1)}`]));
  return { root: `n${n - 1}`, parents };
}

/** The same path, with its root in the middle, as at the start of Algorithm 2. */
export function fromTheMiddle(n: number): JsonObject {
  const middle = Math.ceil(n / 2) - 1;
  const toward = (i: number) => (i < middle ? i + 1 : Math.max(middle, i - 1));
  return { root: `n${middle}`, parents: Object.fromEntries(Array.from({ length: n }, (_, i) => [`n${i}`, `n${toward(i)}`])) };
}

/** A binomial tree on n = 2^k nodes: a node's parent clears the lowest set bit of its number, so node n − 1 is the deepest. */
export function binomialTree(n: number): JsonObject {
  const parents = Object.fromEntries(Array.from({ length: n }, (_, i) => [`n${i}`, `n${i & (i - 1)}`]));
  return { root: 'n0', parents };
}
