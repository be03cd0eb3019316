/** Finds free areas for the labels of the network's picture, so that a label covers neither another label nor a node. */
import type { Size } from '../../model/chart-shapes.js';
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

/** The least distance between two labels in a row, and from the border of the picture. */
const GAP = 4;

export class LabelPlaces {
  /** @param bounds The picture that contains all labels. */
  constructor(
    private readonly bounds: Size,
    private readonly taken: CenteredBox[] = [],
  ) {}

  /** The picture is free, except for its nodes. */
  static around(drawn: Drawn): LabelPlaces {
    const places = LabelPlaces.on(drawn);
    const size = 2 * radiusOf(drawn) - 1;
    for (let node = 0; node < drawn.names.length; node++) places.keep({ ...spotOf(drawn, node), width: size, height: size });
    return places;
  }

  /** The whole picture is free. */
  static on({ ctx }: Drawn): LabelPlaces {
    const density = ctx.getTransform().a;
    return new LabelPlaces({ width: ctx.canvas.width / density, height: ctx.canvas.height / density });
  }

  /** No area is free. */
  static full(): LabelPlaces {
    return new LabelPlaces({ width: 0, height: 0 });
  }

  /** A copy, to try labels without taking their areas here. */
  copy(): LabelPlaces {
    return new LabelPlaces(this.bounds, [...this.taken]);
  }

  /** Takes an area, whether it is free or not. */
  keep(box: CenteredBox): void {
    this.taken.push(box);
  }

  /**
   * Takes the first area that is free and in the picture, and returns it. With `own`, it may cover the nodes at this spot, and is not
   * moved over them.
   */
  take(boxes: readonly CenteredBox[], own?: Spot): CenteredBox | null {
    const found =
      boxes.flatMap((box) => this.inside(box, own ? 0 : box.width / 2) ?? []).find((box) => this.isFree(box, own)) ?? null;
    if (found) this.keep(found);
    return found;
  }

  private isFree(box: CenteredBox, own: Spot | undefined): boolean {
    return !this.taken.some(
      (other) =>
        !(other.x === own?.x && other.y === own.y) &&
        2 * Math.abs(other.x - box.x) < other.width + box.width + GAP &&
        2 * Math.abs(other.y - box.y) < other.height + box.height,
    );
  }

  /** The box in the picture, moved by a distance at most; `null` if that is not enough. */
  private inside(box: CenteredBox, distance: number): CenteredBox | null {
    const { width, height } = this.bounds;
    const half = box.width / 2 + GAP;
    const x = Math.max(Math.min(box.x, width - half), half);
    const isOutside = 2 * half > width || 2 * Math.abs(box.y - height / 2) > height - box.height;
    return isOutside || Math.abs(x - box.x) > distance ? null : { ...box, x };
  }
}
