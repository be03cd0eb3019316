/** The borders between panels, moved with the mouse or the arrow keys. A cookie stores the sizes. */
import type { TargetedPointerEvent } from 'preact';
import { signal } from '@preact/signals';
import { keysOf } from '../../machines/checks.js';

type Sizes = Readonly<Partial<Record<'rail' | 'chart' | 'lower', number>>>;
type Side = keyof Sizes;

/** A page of the inspector is served from any free port, and a cookie is kept for all ports of this machine. */
const COOKIE = 'quiver-panels';
const YEAR_S = 31_536_000;
const PAD = 10;
const STEP = 24;
const LIMITS: Readonly<Record<Side, readonly [min: number, max: number]>> = {
  rail: [160, 480],
  chart: [300, 1200],
  lower: [140, 900],
};
const NAMES: Readonly<Record<Side, string>> = {
  rail: 'width of the tree',
  chart: 'width of the chart',
  lower: 'height of the lower panels',
};

function remembered(): Sizes {
  try {
    const [, text] = new RegExp(`${COOKIE}=([^;]*)`).exec(document.cookie) ?? [];
    const given: Record<string, unknown> = JSON.parse(decodeURIComponent(text ?? '{}'));
    const sizes = keysOf(LIMITS).map((side) => [side, given[side]] as const);
    return Object.fromEntries(sizes.flatMap(([side, size]) => (typeof size === 'number' ? [[side, limited(side, size)]] : [])));
  } catch {
    return {};
  }
}

const limited = (side: Side, size: number): number => Math.min(Math.max(Math.round(size), LIMITS[side][0]), LIMITS[side][1]);

const sizes = signal<Sizes>(remembered());

/** `null` for the size that the page gives it. */
function resize(side: Side, size: number | null): void {
  const { [side]: _, ...others } = sizes.value;
  sizes.value = size === null ? others : { ...others, [side]: limited(side, size) };
  try {
    document.cookie = `${COOKIE}=${encodeURIComponent(JSON.stringify(sizes.value))}; path=/; max-age=${YEAR_S}; samesite=strict`;
  } catch {
    // A frame without an origin keeps nothing.
  }
}

/** The sizes of the panels, as CSS variables for the page's layout. */
export const panelSizes = (): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(sizes.value).map(([side, size]) => [`--${side}`, `${size}px`]));

export const Splitters = ({ hasTree }: { hasTree: boolean }) => (
  <>
    {hasTree && <Splitter side="rail" />}
    <Splitter side="chart" />
    <Splitter side="lower" />
  </>
);

function Splitter({ side }: { side: Side }) {
  const sizeAt = (event: TargetedPointerEvent<HTMLElement>): number => {
    const main = event.currentTarget.closest('main')!.getBoundingClientRect();
    if (side === 'rail') return event.clientX - main.left - PAD;
    return side === 'chart' ? main.right - PAD - event.clientX : main.bottom - PAD - event.clientY;
  };
  return (
    <div
      class={`splitter is-${side}`}
      role="separator"
      tabIndex={0}
      aria-label={NAMES[side]}
      aria-orientation={side === 'lower' ? 'horizontal' : 'vertical'}
      aria-valuemin={LIMITS[side][0]}
      aria-valuemax={LIMITS[side][1]}
      aria-valuenow={sizes.value[side] ?? LIMITS[side][0]}
      title="drag, or use the arrow keys; a double click restores the size"
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) resize(side, sizeAt(event));
      }}
      onDblClick={() => resize(side, null)}
      onKeyDown={(event) => moveBy(event, side)}
    />
  );
}

function moveBy(event: KeyboardEvent, side: Side): void {
  const grows = side === 'rail' ? 'ArrowRight' : side === 'chart' ? 'ArrowLeft' : 'ArrowUp';
  const shrinks = side === 'rail' ? 'ArrowLeft' : side === 'chart' ? 'ArrowRight' : 'ArrowDown';
  const direction = event.key === grows ? 1 : event.key === shrinks ? -1 : 0;
  if (direction === 0) return;
  event.preventDefault();
  event.stopPropagation();
  const panel = document.querySelector(side === 'rail' ? '.panel-tree' : side === 'chart' ? '.panel-chart' : '.panel-plots')!;
  const { width, height } = panel.getBoundingClientRect();
  resize(side, (side === 'lower' ? height : width) + direction * STEP);
}
