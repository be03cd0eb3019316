/** A legend of a fixed height, so that its picture stays where it is. A button opens the rows that do not fit. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export function LegendList({ label, children }: { label: string; children: ComponentChildren }) {
  const list = useRef<HTMLUListElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [hidden, setHidden] = useState(0);
  const count = () => {
    const { clientHeight, children } = list.current!;
    setHidden([...children].filter((one) => (one as HTMLElement).offsetTop >= clientHeight).length);
  };
  useLayoutEffect(count);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(count);
    observer.observe(list.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="legend-box">
      <ul ref={list} class={`legend${isOpen ? ' is-open' : ''}`} aria-label={label} tabIndex={0}>
        {children}
      </ul>
      {(hidden > 0 || isOpen) && (
        <button type="button" class="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'less' : `+${hidden}`}
        </button>
      )}
    </div>
  );
}
