/**
 * The placement of a crowd, beside the page: forces between ten thousand nodes take seconds, in which the page must answer.
 *
 * It is told the nodes and links once, and later which node was moved by hand; it tells where the nodes stand, now and then.
 */
import { placeNodes, type LinkEnds, type Placement } from './force.js';

export interface PlaceOrder {
  readonly count: number;
  readonly ends: readonly LinkEnds[];
}

export interface MoveOrder {
  readonly node: number;
  readonly x: number;
  readonly y: number;
}

/** Each answer costs the page a painting. */
const ANSWER_MS = 400;

let placement: Placement | null = null;

function answer(): void {
  const goesOn = placement!.settle(ANSWER_MS);
  postMessage({ xs: placement!.xs, ys: placement!.ys });
  if (goesOn) setTimeout(answer);
}

addEventListener('message', ({ data }: MessageEvent<PlaceOrder | MoveOrder>) => {
  if ('node' in data) return placement?.move(data.node, data.x, data.y);
  placement = placeNodes(data.count, data.ends);
  postMessage({ xs: placement.xs, ys: placement.ys });
  answer();
});
