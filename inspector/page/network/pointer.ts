/** Mouse, touch and keys on the network's picture. */
import { recording, selectedNode, selectMessage } from '../state.js';
import { radiusAt, toCanvas, toPlane, zoom, type Spot, type View } from './geometry.js';
import { spotOfMessage } from './draw.js';
import { chosenView, hovered, moving, placement, positions, view } from './picture.js';

/** The node under a place of the canvas, -1 for none. */
function nodeAt(at: Spot): number {
  const { xs, ys } = positions.value;
  const reach = Math.max(radiusAt(view.value.scale, recording.value.nodes.size), 8) + 3;
  let [nearest, distance] = [-1, reach];
  for (let node = 0; node < xs.length; node++) {
    const { x, y } = toCanvas(view.value, xs[node]!, ys[node]!);
    const apart = Math.hypot(x - at.x, y - at.y);
    if (apart < distance) [nearest, distance] = [node, apart];
  }
  return nearest;
}

function messageAt(at: Spot): number {
  const near = moving().find(({ chain, part }) => {
    const { x, y } = spotOfMessage({ chain, part }, radiusAt(view.value.scale, recording.value.nodes.size));
    return Math.hypot(x - at.x, y - at.y) < 11;
  });
  return near?.ordinal ?? -1;
}

type Drag = { readonly node: number; readonly from: Spot; readonly view: View; moved: boolean };

export function pointerHandlers() {
  let drag: Drag | null = null;
  const spot = (event: PointerEvent | WheelEvent): Spot => ({ x: event.offsetX, y: event.offsetY });
  return {
    onPointerDown(event: PointerEvent) {
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      drag = { node: nodeAt(spot(event)), from: spot(event), view: view.value, moved: false };
    },
    onPointerMove(event: PointerEvent) {
      const at = spot(event);
      if (!drag) return void (hovered.value = nodeAt(at));
      const [dx, dy] = [at.x - drag.from.x, at.y - drag.from.y];
      if (!drag.moved && Math.hypot(dx, dy) < 4) return;
      drag.moved = true;
      if (drag.node < 0) chosenView.value = { ...drag.view, dx: drag.view.dx + dx, dy: drag.view.dy + dy };
      else {
        chosenView.value = drag.view;
        const { x, y } = toPlane(drag.view, at.x, at.y);
        placement.value?.move(drag.node, x, y);
        positions.value = { ...positions.value };
      }
    },
    onPointerUp(event: PointerEvent) {
      if (drag && !drag.moved) {
        const message = drag.node < 0 ? messageAt(spot(event)) : -1;
        if (drag.node >= 0) selectedNode.value = drag.node;
        selectMessage(message);
      }
      drag = null;
    },
    onPointerLeave: () => void (hovered.value = -1),
    onWheel(event: WheelEvent) {
      event.preventDefault();
      chosenView.value = zoom(view.value, Math.exp(-event.deltaY * 0.0015), spot(event));
    },
    onDblClick: () => void (chosenView.value = null),
  };
}

const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

/** The arrow keys walk from node to node while the picture has the focus. */
export function onKeyDown(event: KeyboardEvent): void {
  const direction = DIRECTIONS[event.key];
  if (!direction || event.shiftKey || positions.value.xs.length === 0) return;
  event.preventDefault();
  event.stopPropagation();
  const { xs, ys } = positions.value;
  const here = Math.max(selectedNode.value, 0);
  let [best, cost] = [here, Infinity];
  for (let node = 0; node < xs.length; node++) {
    const [dx, dy] = [xs[node]! - xs[here]!, ys[node]! - ys[here]!];
    const ahead = dx * direction[0] + dy * direction[1];
    const aside = Math.abs(dx * direction[1]) + Math.abs(dy * direction[0]);
    if (node !== here && ahead > 0.01 && ahead + 2 * aside < cost) [best, cost] = [node, ahead + 2 * aside];
  }
  selectedNode.value = best;
}
