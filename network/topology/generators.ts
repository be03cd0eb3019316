/**
 * The regular topologies: each is its number of nodes and the list of its links, in the order in which `weights` names them.
 *
 * Written here instead of taken from a graph library: those cover only some of the kinds and add their own graph class.
 * Identities and weights depend on the order of nodes and links, so the order must be defined here.
 */

/** Nodes 0 to n - 1 and links between them. */
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
export const grid = (rows: number, columns: number): Shape => ({
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
export const tree = (n: number, arity: number): Shape => ({
  n,
  links: count(n - 1, (i) => [Math.floor(i / arity), i + 1] as const),
});

export const complete = (n: number): Shape => ({
  n,
  links: count(n, (i) => count(n - 1 - i, (k) => [i, i + 1 + k] as const)).flat(),
});
