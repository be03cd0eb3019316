/** Finds free areas for the labels of the network's picture, so that a label covers neither another label nor a node. */
import type { Spot } from './geometry.js';
import { radiusOf, spotOf, type Drawn } from './ink.js';

/** A rectangle around its middle. */
export interface CenteredBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The height of one line of a label, in pixels. */
export const LABEL_HEIGHT = 13;

export class LabelPlaces {
  constructor(private readonly taken: CenteredBox[] = []) {}

  /** All areas are free, except those of the nodes. */
  static around(drawn: Drawn): LabelPlaces {
    const places = new LabelPlaces();
    const size = 2 * radiusOf(drawn) - 1;
    for (let node = 0; node < drawn.names.length; node++) places.keep({ ...spotOf(drawn, node), width: size, height: size });
    return places;
  }

  /** No area is free. */
  static full(): LabelPlaces {
    return new LabelPlaces([{ x: 0, y: 0, width: Infinity, height: Infinity }]);
  }

  /** A copy, to try labels without taking their areas here. */
  copy(): LabelPlaces {
    return new LabelPlaces([...this.taken]);
  }

  /** Takes an area, whether it is free or not. */
  keep(box: CenteredBox): void {
    this.taken.push(box);
  }

  /** Takes a place if it is free. It may cover the nodes at the spot `own`. */
  take(box: CenteredBox, own?: Spot): boolean {
    const isFree = !this.taken.some(
      (other) =>
        !(other.x === own?.x && other.y === own.y) &&
        2 * Math.abs(other.x - box.x) < other.width + box.width &&
        2 * Math.abs(other.y - box.y) < other.height + box.height,
    );
    if (isFree) this.taken.push(box);
    return isFree;
  }
}
