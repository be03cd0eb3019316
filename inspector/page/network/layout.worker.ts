/**
 * Places a crowd of nodes in a worker: forces between ten thousand nodes take seconds, in which the page must respond.
 *
 * The worker receives the nodes and links once, and later each node that was moved by hand. It reports the places regularly.
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
