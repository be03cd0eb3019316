/**
 * Computes the places of nodes of a large network in a worker. A page that is a single file has no worker and computes them in its own
 * thread.
 */
import { isServed } from '../shell.js';
import { placeNodes, type LinkEnds, type Placement } from './force.js';
import type { MoveOrder, PlaceOrder } from './layout.worker.js';

/** Number of nodes from which on a network is large. */
export const CROWD = 250;

/** Starts the computation of all places. `hasMoved` is called whenever there are new ones. */
export function placeCrowd(count: number, ends: readonly LinkEnds[], hasMoved: (placement: Placement) => void): Placement {
  if (!isServed) return placeNodes(count, ends);
  const worker = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' });
  const postOrder = (order: PlaceOrder | MoveOrder) => worker.postMessage(order);
  let xs = new Float64Array();
  let ys = new Float64Array();
  const placement: Placement = {
    get xs() {
      return xs;
    },
    get ys() {
      return ys;
    },
    settle: () => false,
    move(node, x, y) {
      [xs[node], ys[node]] = [x, y];
      postOrder({ node, x, y });
    },
    stop: () => worker.terminate(),
  };
  worker.addEventListener(
    'message',
    ({ data }: MessageEvent<{ xs: Float64Array<ArrayBuffer>; ys: Float64Array<ArrayBuffer> }>) => {
      ({ xs, ys } = data);
      hasMoved(placement);
    },
  );
  postOrder({ count, ends });
  return placement;
}
