/** Moving a chart that is larger than its panel: by dragging it, by the arrow keys, and nearer or farther by the wheel with Ctrl, a pinch, + and −. */
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { shownScale, zoom } from './view-options.js';

/** A shorter movement is a click. */
const DRAG_PX = 4;
const KEY_PX = 60;
const WHEEL_RATE = 0.002;

const ZOOM_MIN = 0.1;
const ZOOM_MAX = 4;
const ZOOM_STEP = 1.25;

/** A point of a picture, in parts of its size, and where on the page it is. */
interface Point {
  readonly picture: Element;
  readonly across: number;
  readonly down: number;
  readonly x: number;
  readonly y: number;
}

/** The point that stays in place when the size changes. */
let kept: Point | null = null;

function pointAt(x: number, y: number): Point | null {
  const under = document.elementFromPoint(x, y)?.closest('.chart');
  const picture = under ?? document.querySelector('.chart-scroll .chart');
  if (!picture) return null;
  const { left, top, width, height } = picture.getBoundingClientRect();
  return { picture, across: (x - left) / width, down: (y - top) / height, x, y };
}

/** Zooms around the given point, or around the middle of the panel. */
function zoomBy(factor: number, at?: { readonly x: number; readonly y: number }): void {
  const panel = document.querySelector('.chart-scroll')?.getBoundingClientRect();
  kept = at ? pointAt(at.x, at.y) : panel ? pointAt(panel.x + panel.width / 2, panel.y + panel.height / 2) : null;
  zoom.value = Math.min(Math.max(shownScale.value * factor, ZOOM_MIN), ZOOM_MAX);
}

export const nearer = (): void => zoomBy(ZOOM_STEP);
export const farther = (): void => zoomBy(1 / ZOOM_STEP);
export const zoomToFit = (): void => void (zoom.value = 'fit');
export const zoomToFollow = (): void => void (zoom.value = 'follow');

const KEYS: Readonly<Record<string, () => void>> = { '+': nearer, '=': nearer, '-': farther };

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-KEY_PX, 0],
  ArrowRight: [KEY_PX, 0],
  ArrowUp: [0, -KEY_PX],
  ArrowDown: [0, KEY_PX],
};

/** Creates the event handlers that move and zoom the chart in the container that scrolls. */
export function usePan(ref: RefObject<HTMLElement>) {
  const drag = useRef<{ x: number; y: number; left: number; top: number; moves: boolean } | null>(null);
  return {
    onPointerDown({ pointerType, button, clientX: x, clientY: y }: PointerEvent) {
      const { scrollLeft: left, scrollTop: top } = ref.current!;
      // A touch scrolls without this code.
      if (pointerType === 'mouse' && button === 0) drag.current = { x, y, left, top, moves: false };
    },
    onPointerMove({ pointerId, clientX: x, clientY: y }: PointerEvent) {
      const from = drag.current;
      const scroller = ref.current;
      if (!from || !scroller) return;
      if (!from.moves && Math.hypot(x - from.x, y - from.y) < DRAG_PX) return;
      // Not before a movement: the element that captures the pointer also receives the click.
      if (!from.moves) scroller.setPointerCapture(pointerId);
      from.moves = true;
      scroller.scrollTo(from.left + from.x - x, from.top + from.y - y);
    },
    onPointerUp: () => (drag.current = null),
    onPointerCancel: () => (drag.current = null),
    onWheel(event: WheelEvent) {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoomBy(Math.exp(-event.deltaY * WHEEL_RATE), { x: event.clientX, y: event.clientY });
    },
    onKeyDown(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      const arrow = ARROWS[event.key];
      const isMoved = arrow !== undefined && overflows(ref.current!, arrow[0] !== 0);
      if (isMoved) ref.current!.scrollBy(...arrow);
      else if (KEYS[event.key]) KEYS[event.key]!();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}

/** A chart that fits leaves the arrow keys to the page. */
const overflows = ({ scrollWidth, clientWidth, scrollHeight, clientHeight }: HTMLElement, isAcross: boolean): boolean =>
  isAcross ? scrollWidth > clientWidth : scrollHeight > clientHeight;

/** Scrolls so that the point under the pointer stays where it is. Call it when the picture has its new size. */
export function keepPoint(): void {
  if (!kept) return;
  const { picture, across, down, x, y } = kept;
  const { left, top, width, height } = picture.getBoundingClientRect();
  picture.closest('.chart-scroll')?.scrollBy(left + across * width - x, top + down * height - y);
  kept = null;
}
