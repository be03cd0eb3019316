/** A long list of which only the rows in sight are in the document. */
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface VirtualListProps extends Omit<JSX.HTMLAttributes<HTMLDivElement>, 'ref' | 'children'> {
  readonly count: number;
  /** Pixels of a row. */
  readonly rowHeight: number;
  readonly row: (index: number) => ComponentChildren;
  /** The row that stays in sight; -1 for none. */
  readonly current: number;
  /** Fixed head above the rows. */
  readonly head?: ComponentChildren;
}

/** Rows that are drawn above and below those in sight. */
const SPARE = 6;
/** A browser draws no taller element: beyond it a pixel of the scrollbar is more than a pixel of rows. */
const HEIGHT_MAX = 8_000_000;

export function VirtualList({ count, rowHeight, row, current, head, ...rest }: VirtualListProps) {
  const list = useRef<HTMLDivElement>(null);
  const [{ top, height }, setSight] = useState({ top: 0, height: 400 });
  const step = Math.min(rowHeight, HEIGHT_MAX / Math.max(count, 1));
  const look = () => {
    const { scrollTop, clientHeight } = list.current!;
    if (scrollTop !== top || clientHeight !== height) setSight({ top: scrollTop, height: clientHeight });
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(look);
    observer.observe(list.current!);
    return () => observer.disconnect();
  });
  useLayoutEffect(() => {
    const { scrollTop, clientHeight } = list.current!;
    const headHeight = (list.current!.firstElementChild as HTMLElement | null)?.offsetHeight ?? 0;
    const room = clientHeight - headHeight;
    const place = current * step;
    if (current < 0 || (place >= scrollTop && place + rowHeight <= scrollTop + room)) return;
    list.current!.scrollTop = place < scrollTop ? place : place + rowHeight - room;
    look();
  }, [current, step, height]);
  const first = Math.max(Math.floor(top / step) - SPARE, 0);
  const last = Math.min(Math.floor(top / step) + Math.ceil(height / rowHeight) + SPARE, count);
  return (
    <div ref={list} onScroll={look} {...rest}>
      <div class="virtual-head">{head}</div>
      <div class="virtual-rows" style={{ height: `${count * step}px` }}>
        <div style={{ transform: `translateY(${first * step}px)` }}>
          {Array.from({ length: Math.max(last - first, 0) }, (_, i) => row(first + i))}
        </div>
      </div>
    </div>
  );
}
