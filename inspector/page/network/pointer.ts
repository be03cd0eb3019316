/** Mouse, touch and keys on the network's picture. */
import type { TargetedPointerEvent } from 'preact';
import { act } from '../live-reach.js';
import { recording, selectedLink, selectedNode, selectMessage } from '../state.js';
import { linksWithin, putAt, range } from './by-hand.js';
import type { Community } from './communities.js';
import { communityText } from './draw-communities.js';
import { along, distanceToLine, radiusAt, toCanvas, toPlane, zoomed, type Spot, type Viewport } from './geometry.js';
import {
  chosenView,
  communities,
  currentView,
  drawnAt,
  hovered,
  isLinkedNow,
  links,
  moving,
  placement,
  positions,
  scene,
  showNodes,
  spotsDrawn,
  spotsNow,
} from './picture.js';

/** The community under a place of the canvas. */
function communityAt(at: Spot): Community | undefined {
  const { scale } = currentView.value;
  return communities.value?.find(({ x, y, radius }) => {
    const spot = toCanvas(currentView.value, x, y);
    return Math.hypot(spot.x - at.x, spot.y - at.y) < Math.max(radius * scale, 12);
  });
}

/** The node under a place of the canvas, -1 for none. */
function nodeAt(at: Spot): number {
  if (communities.value) return -1;
  const { xs, ys } = drawnAt.value;
  const reach = Math.max(radiusAt(currentView.value.scale, spotsDrawn.value), 8) + 3;
  let [nearest, distance] = [-1, reach];
  for (let node = 0; node < xs.length; node++) {
    const { x, y } = toCanvas(currentView.value, xs[node]!, ys[node]!);
    const apart = Math.hypot(x - at.x, y - at.y);
    if (apart < distance && scene.value.nodes[node]?.isHere !== false) [nearest, distance] = [node, apart];
  }
  return nearest;
}

function messageAt(at: Spot): number {
  const near = moving().find(({ chain, part }) => {
    const { x, y } = along(chain, part);
    return Math.hypot(x - at.x, y - at.y) < 11;
  });
  return near?.ordinal ?? -1;
}

/** The link under a place of the canvas. */
function linkAt(at: Spot): readonly [number, number] | null {
  if (communities.value) return null;
  const { xs, ys } = drawnAt.value;
  const near = links.value.find(({ a, b }) => {
    const [from, to] = [toCanvas(currentView.value, xs[a]!, ys[a]!), toCanvas(currentView.value, xs[b]!, ys[b]!)];
    return distanceToLine(at, from, to) < 6;
  });
  return near ? [near.a, near.b] : null;
}

/** Selects a node. With the shift key, a second node selects the link between the two, whether it exists or not. */
function select(node: number, at: Spot, isSecond: boolean): void {
  const community = communityAt(at);
  if (community && community.nodes.length > 1) return showNodes(community.nodes);
  if (community) selectedNode.value = community.nodes[0]!;
  const message = node < 0 ? messageAt(at) : -1;
  if (isSecond && node >= 0 && node !== selectedNode.value) selectedLink.value = [selectedNode.value, node];
  else {
    if (node >= 0) selectedNode.value = node;
    selectedLink.value = node < 0 && message < 0 ? linkAt(at) : null;
  }
  selectMessage(message);
}

function place(node: number, spot: Spot): void {
  placement.value?.move(node, spot.x, spot.y);
  putAt(recording.value.nodes.names[node]!, spot);
  positions.value = { ...positions.value };
  if (range.value !== null) selectedNode.value = node;
}

/** Links follow, where they do. */
async function hasMoved(node: number): Promise<void> {
  const { names } = recording.value.nodes;
  const what = range.value === null ? [] : linksWithin(range.value, names[node]!, spotsNow(), isLinkedNow(node));
  if (what.length > 0) await act(what);
}

type Drag = { readonly node: number; readonly from: Spot; readonly view: Viewport; moved: boolean };

export function pointerHandlers() {
  let drag: Drag | null = null;
  const spot = (event: PointerEvent | WheelEvent): Spot => ({ x: event.offsetX, y: event.offsetY });
  return {
    onPointerDown(event: TargetedPointerEvent<HTMLElement>) {
      event.currentTarget.setPointerCapture(event.pointerId);
      drag = { node: nodeAt(spot(event)), from: spot(event), view: currentView.value, moved: false };
    },
    onPointerMove(event: TargetedPointerEvent<HTMLElement>) {
      const at = spot(event);
      if (!drag) {
        hovered.value = nodeAt(at);
        const community = communityAt(at);
        // A name may be too long for the picture.
        event.currentTarget.title = community
          ? communityText(community, scene.value)
          : (recording.value.nodes.names[hovered.value] ?? '');
        return;
      }
      const [dx, dy] = [at.x - drag.from.x, at.y - drag.from.y];
      if (!drag.moved && Math.hypot(dx, dy) < 4) return;
      drag.moved = true;
      if (drag.node < 0) chosenView.value = { ...drag.view, dx: drag.view.dx + dx, dy: drag.view.dy + dy };
      else {
        chosenView.value = drag.view;
        place(drag.node, toPlane(drag.view, at.x, at.y));
      }
    },
    onPointerUp(event: PointerEvent) {
      if (drag && !drag.moved) select(drag.node, spot(event), event.shiftKey);
      else if (drag && drag.node >= 0) void hasMoved(drag.node);
      drag = null;
    },
    onPointerLeave: () => void (hovered.value = -1),
    onWheel(event: WheelEvent) {
      event.preventDefault();
      chosenView.value = zoomed(currentView.value, Math.exp(-event.deltaY * 0.0015), spot(event));
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

/** How far a key moves a node. */
const STRIDE = 30;

/** Arrow keys select the next node in a direction. With Alt, they move the selected node. */
export function onKeyDown(event: KeyboardEvent): void {
  const direction = DIRECTIONS[event.key];
  if (!direction || event.shiftKey || positions.value.xs.length === 0) return;
  event.preventDefault();
  event.stopPropagation();
  const { xs, ys } = positions.value;
  const here = Math.max(selectedNode.value, 0);
  if (event.altKey) {
    chosenView.value = currentView.value;
    place(here, { x: xs[here]! + STRIDE * direction[0], y: ys[here]! + STRIDE * direction[1] });
    void hasMoved(here);
    return;
  }
  let [best, cost] = [here, Infinity];
  for (let node = 0; node < xs.length; node++) {
    const [dx, dy] = [xs[node]! - xs[here]!, ys[node]! - ys[here]!];
    const ahead = dx * direction[0] + dy * direction[1];
    const aside = Math.abs(dx * direction[1]) + Math.abs(dy * direction[0]);
    if (node !== here && ahead > 0.01 && ahead + 2 * aside < cost) [best, cost] = [node, ahead + 2 * aside];
  }
  selectedNode.value = best;
}
