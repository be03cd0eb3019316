/**
 * Places that nodes were given by hand, which outlast the run in which they were, and links that follow from them.
 *
 * While there is a range, a node that is moved is linked with whoever stands within it, and with nobody else. Links of other nodes stay as
 * they are until one of their ends is moved.
 */
import { signal } from '@preact/signals';
import type { Gesture } from '../reach.js';
import type { Placement } from './force.js';
import type { Spot } from './geometry.js';

/** How far a node is heard, in the plane in which the nodes stand; `null` while links do not follow from places. */
export const range = signal<number | null>(null);

const places = new Map<string, Spot>();

/** Puts the node of this name somewhere, now and in runs that are made again. */
export const putAt = (name: string, spot: Spot): void => void places.set(name, spot);

/** Another trace is shown, whose nodes are others. */
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

/** What cuts a node off from those who are out of its range, and joins it with those who are within. */
export function linksWithin(reach: number, node: string, spots: ReadonlyMap<string, Spot>, isUp: (peer: string) => boolean) {
  const here = spots.get(node)!;
  return [...spots].flatMap(([peer, spot]): Omit<Gesture, 'at'>[] => {
    if (peer === node) return [];
    const isNear = distance(here, spot) <= reach;
    return isNear === isUp(peer) ? [] : [{ do: isNear ? 'join' : 'cut', link: [node, peer] }];
  });
}

const STEP = 40;

/** The middle, or where there is room beside it. */
export function freeSpot(middle: Spot, taken: readonly Spot[]): Spot {
  let spot = middle;
  while (taken.some((other) => distance(spot, other) < STEP)) spot = { x: spot.x + STEP, y: spot.y };
  return spot;
}

/** The first name of the kind that generated networks have which nobody has. */
export function freeName(names: readonly string[]): string {
  let number = names.length;
  while (names.includes(`n${number}`)) number++;
  return `n${number}`;
}
