/**
 * Places that nodes were given by hand, which outlast a run, and the links that follow from them.
 *
 * The links of a moved node follow from the range, if there is one: it is linked exactly with the nodes within. Links of other nodes stay
 * until one of their ends is moved.
 */
import { signal } from '@preact/signals';
import type { Gesture } from '../reach.js';
import type { Placement } from './force.js';
import type { Spot } from './geometry.js';

/** The distance within which nodes are linked, or `null` if links do not depend on distance. */
export const range = signal<number | null>(null);

const places = new Map<string, Spot>();

/** Moves a node to a position, in this run and in repeated ones. */
export const putAt = (name: string, spot: Spot): void => void places.set(name, spot);

/** Discards the places of the previous trace's nodes, when another trace is opened. */
export function forgetPlaces(): void {
  places.clear();
  range.value = null;
}

export function keepPlaces(placement: Placement, names: readonly string[]): void {
  names.forEach((name, node) => {
    const spot = places.get(name);
    if (spot) placement.move(node, spot.x, spot.y);
  });
}

const distance = (a: Spot, b: Spot): number => Math.hypot(a.x - b.x, a.y - b.y);

/** Gestures that unlink a node from nodes beyond its range, and link it with those within. */
export function linksWithin(reach: number, node: string, spots: ReadonlyMap<string, Spot>, isUp: (peer: string) => boolean) {
  const here = spots.get(node)!;
  return [...spots].flatMap(([peer, spot]): Omit<Gesture, 'at'>[] => {
    if (peer === node) return [];
    const isNear = distance(here, spot) <= reach;
    return isNear === isUp(peer) ? [] : [{ do: isNear ? 'join' : 'cut', link: [node, peer] }];
  });
}

const STEP = 40;

/** A place for a new node: the middle or, if it is taken, the nearest free place to the right. */
export function freeSpot(middle: Spot, taken: readonly Spot[]): Spot {
  let spot = middle;
  while (taken.some((other) => distance(spot, other) < STEP)) spot = { x: spot.x + STEP, y: spot.y };
  return spot;
}

/** The first unused name of the form `n5`, as generated networks have. */
export function freeName(names: readonly string[]): string {
  let number = names.length;
  while (names.includes(`n${number}`)) number++;
  return `n${number}`;
}
