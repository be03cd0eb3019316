/** Scrolls to the followed item, but not while the reader scrolls. */

/** The distance to scroll so that `from` to `to` is visible between `begin` and `end`. If it does not fit, its beginning is visible. */
export function distanceInto([from, to]: readonly [number, number], [begin, end]: readonly [number, number]): number {
  if (from < begin || to - from > end - begin) return from - begin;
  return Math.max(to - end, 0);
}

/** Scrolls the container of an element until the element is visible. Unlike `scrollIntoView`, it does not scroll the page around it. */
export function scrollWithin(element: Element | null): void {
  const container = element && containerOf(element);
  if (!container) return;
  const own = element.getBoundingClientRect();
  const around = container.getBoundingClientRect();
  const left = around.left + container.clientLeft;
  const top = around.top + container.clientTop;
  container.scrollLeft += distanceInto([own.left, own.right], [left, left + container.clientWidth]);
  container.scrollTop += distanceInto([own.top, own.bottom], [top, top + container.clientHeight]);
}

/** The nearest that scrolls, below the page itself. */
function containerOf(element: Element): Element | null {
  for (let one = element.parentElement; one && one !== document.body; one = one.parentElement)
    if (/auto|scroll/.test(getComputedStyle(one).overflow)) return one;
  return null;
}
