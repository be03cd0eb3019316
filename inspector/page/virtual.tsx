/** A long list of which only the rows in sight are in the document. */
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { RowHeights } from '../model/row-heights.js';

interface VirtualListProps extends Omit<JSX.HTMLAttributes<HTMLDivElement>, 'ref' | 'children'> {
  readonly count: number;
  /** The least height of a row in pixels. Its content can make it taller. */
  readonly rowHeight: number;
  readonly row: (index: number) => ComponentChildren;
  /** The row that comes into sight when it changes; -1 for none. */
  readonly current: number;
  /** Fixed head above the rows. */
  readonly head?: ComponentChildren;
}

/** Rows that are drawn above and below those in sight. */
const SPARE = 6;
/** A browser draws no taller element. */
const HEIGHT_MAX = 8_000_000;
/** The current row is sought so often: rows above it may turn out to be taller. */
const TRIES_MAX = 4;

export function VirtualList({ count, rowHeight, row, current, head, ...rest }: VirtualListProps) {
  const list = useRef<HTMLDivElement>(null);
  const block = useRef<HTMLDivElement>(null);
  const heights = useRef<RowHeights | null>(null);
  const known = (heights.current ??= new RowHeights(rowHeight, HEIGHT_MAX));
  const [{ top, height }, setSight] = useState({ top: 0, height: 400 });
  const look = () => {
    // The observer may report again after the list has left the page.
    if (!list.current) return;
    const { scrollTop, clientHeight } = list.current;
    setSight({ top: scrollTop, height: clientHeight });
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(look);
    observer.observe(list.current!);
    return () => observer.disconnect();
  }, []);
  const topmost = Math.min(known.rowAt(top, count), Math.max(count - 1, 0));
  const place = known.placeOf(topmost, count);
  const first = Math.max(topmost - SPARE, 0);
  const last = Math.min(topmost + Math.ceil(height / rowHeight) + SPARE, count);
  const tries = useRef(TRIES_MAX);
  useLayoutEffect(() => void (tries.current = TRIES_MAX), [current, height]);
  useLayoutEffect(() => {
    const isNew = known.measured(
      first,
      [...block.current!.children].map((one) => (one as HTMLElement).offsetHeight),
    );
    const room = list.current!.clientHeight - (list.current!.firstElementChild as HTMLElement).offsetHeight;
    const hidden = top - place;
    const wanted = current >= 0 && tries.current-- > 0 ? placeFor(known, { current, count, topmost, hidden, room }) : null;
    if (wanted === null && !isNew) return void (tries.current = 0);
    // Rows above that turned out to be taller do not move those in sight.
    list.current!.scrollTop = wanted ?? known.placeOf(topmost, count) + hidden;
    look();
  });
  return (
    <div ref={list} onScroll={look} {...rest}>
      <div class="virtual-head">{head}</div>
      <div class="virtual-rows" style={{ height: `${known.placeOf(count, count)}px` }}>
        <div ref={block} style={{ transform: `translateY(${place - known.between(first, topmost)}px)` }}>
          {Array.from({ length: Math.max(last - first, 0) }, (_, i) => row(first + i))}
        </div>
      </div>
    </div>
  );
}

interface Sight {
  readonly current: number;
  readonly count: number;
  /** The first row in sight, and how many of its pixels are out of sight. */
  readonly topmost: number;
  readonly hidden: number;
  /** Pixels for rows. */
  readonly room: number;
}

/** The place of the scrollbar at which the current row is in sight; `null` if it is already. */
function placeFor(heights: RowHeights, { current, count, topmost, hidden, room }: Sight): number | null {
  if (current < topmost || (current === topmost && hidden > 0)) return heights.placeOf(current, count);
  if (heights.between(topmost, current + 1) - hidden <= room) return null;
  let first = current;
  while (first > 0 && heights.between(first - 1, current + 1) <= room) first--;
  return heights.placeOf(first, count);
}
