/** Measures the page for the tests of its looks: text, targets of a pointer, room for views, and words on pictures. */
import type { Page } from 'playwright-core';

/** A word on a picture. */
interface PaintedWord {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The content of a picture since it was painted last: its words, and the middles of its dots. */
interface Painted {
  words: PaintedWord[];
  dots: { readonly x: number; readonly y: number }[];
}

declare global {
  interface Window {
    painted?: Map<HTMLCanvasElement, Painted>;
  }
}

/** From now on, the page remembers the words on its pictures. */
export const watchPictures = (page: Page): Promise<void> =>
  page.evaluate(() => {
    if (window.painted) return;
    const painted = (window.painted = new Map<HTMLCanvasElement, Painted>());
    const on = (canvas: HTMLCanvasElement): Painted => {
      const known = painted.get(canvas) ?? { words: [], dots: [] };
      painted.set(canvas, known);
      return known;
    };
    const { fillText, clearRect, drawImage, arc } = CanvasRenderingContext2D.prototype;
    Object.assign(CanvasRenderingContext2D.prototype, {
      clearRect(this: CanvasRenderingContext2D, ...box: Parameters<typeof clearRect>) {
        painted.set(this.canvas, { words: [], dots: [] });
        clearRect.apply(this, box);
      },
      drawImage(this: CanvasRenderingContext2D, image: HTMLCanvasElement, ...at: [number, number, number, number]) {
        const { words, dots } = on(image);
        on(this.canvas).words.push(...words);
        on(this.canvas).dots.push(...dots);
        Reflect.apply(drawImage, this, [image, ...at]);
      },
      arc(this: CanvasRenderingContext2D, ...circle: Parameters<typeof arc>) {
        on(this.canvas).dots.push({ x: circle[0], y: circle[1] });
        arc.apply(this, circle);
      },
      fillText(this: CanvasRenderingContext2D, text: string, x: number, y: number) {
        const { actualBoundingBoxLeft, actualBoundingBoxRight, actualBoundingBoxAscent, actualBoundingBoxDescent } =
          this.measureText(text);
        on(this.canvas).words.push({
          text,
          left: x - actualBoundingBoxLeft,
          right: x + actualBoundingBoxRight,
          top: y - actualBoundingBoxAscent,
          bottom: y + actualBoundingBoxDescent,
        });
        fillText.call(this, text, x, y);
      },
    });
  });

/** Words on pictures that cover each other, that the border of the picture cuts, or that a dot of the lanes covers. */
export const badWords = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...(window.painted ?? [])].flatMap(([canvas, { words, dots }]) => {
      if (!canvas.isConnected || canvas.clientHeight === 0) return [];
      const { clientWidth: width, clientHeight: height } = canvas;
      const isCut = ({ left, right, top, bottom }: PaintedWord) =>
        left < -1 || right > width + 1 || top < -1 || bottom > height + 1;
      const covers = (a: PaintedWord, b: PaintedWord) =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
      const isDotted = ({ left, right, top, bottom }: PaintedWord) =>
        dots.some(({ x, y }) => x > left && x < right - 2 && y > top && y < bottom);
      const isOfLanes = canvas.closest('[data-view="space-time"]') !== null;
      return [
        ...words.filter(isCut).map(({ text }) => `"${text}" is cut`),
        ...words.flatMap((a, i) =>
          words.slice(i + 1).flatMap((b) => (covers(a, b) ? [`"${a.text}" and "${b.text}" on a picture`] : [])),
        ),
        ...(isOfLanes ? words.filter(isDotted).map(({ text }) => `"${text}" is under a dot`) : []),
      ];
    }),
  );

/** The text that can be seen now, outside of charts, whose size the viewer chooses. */
export const measureText = (page: Page) =>
  page.evaluate(() => {
    const isInChart = (one: Element) => one.closest('svg.chart') !== null;
    const shown = (one: Element, box: DOMRect): DOMRect | null => {
      let { left, top, right, bottom } = box;
      for (let at: Element | null = one; at; at = at.parentElement) {
        const style = getComputedStyle(at);
        if (style.visibility === 'hidden' || Number(style.opacity) === 0) return null;
        if (style.overflow === 'visible' || style.display === 'inline') continue;
        const clip = at.getBoundingClientRect();
        [left, top] = [Math.max(left, clip.left), Math.max(top, clip.top)];
        [right, bottom] = [Math.min(right, clip.right), Math.min(bottom, clip.bottom)];
      }
      return right - left > 1 && bottom - top > 1 ? new DOMRect(left, top, right - left, bottom - top) : null;
    };
    const texts: { text: string; one: Element; box: DOMRect; seen: DOMRect; size: string }[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const one = node.parentElement!;
      if (
        node.textContent!.trim() === '' ||
        !one.checkVisibility() ||
        isInChart(one) ||
        ['SCRIPT', 'STYLE', 'OPTION'].includes(one.tagName)
      )
        continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const box of range.getClientRects()) {
        const seen = shown(one, box);
        if (seen) texts.push({ text: node.textContent!.trim(), one, box, seen, size: getComputedStyle(one).fontSize });
      }
    }
    const scrolls = (one: Element) => {
      for (let at: Element | null = one; at; at = at.parentElement)
        if (/auto|scroll/.test(getComputedStyle(at).overflowX + getComputedStyle(at).overflowY)) return true;
      return false;
    };
    // Lists scroll, and show parts of rows; a legend does not. Nor does a tooltip excuse a name in the tree.
    const isCut = ({ one, box, seen }: (typeof texts)[number]) =>
      (box.width - seen.width > 2 && (one.closest('.tree-row .name') !== null || (!one.closest('[title]') && !scrolls(one)))) ||
      (box.height - seen.height > 3 && one.closest('.legend') !== null);
    /** True if `top`, which is null out of sight, belongs to something with a background that covers `one`: a head that stays in place, a card, a dialog. */
    const isHidden = (one: Element, by: Element, top: Element | null) => {
      for (let at: Element | null = by; at && !at.contains(one); at = at.parentElement)
        if (!/rgba\(.*, 0(\.\d+)?\)|transparent/.test(getComputedStyle(at).backgroundColor))
          return top === null || at.contains(top);
      return false;
    };
    const overlaps = texts.flatMap((a, i) =>
      texts.slice(i + 1).flatMap((b) => {
        if (a.one === b.one) return [];
        const width = Math.min(a.seen.right, b.seen.right) - Math.max(a.seen.left, b.seen.left);
        const height = Math.min(a.seen.bottom, b.seen.bottom) - Math.max(a.seen.top, b.seen.top);
        if (width <= 2 || height <= 4) return [];
        const [x, y] = [Math.max(a.seen.left, b.seen.left) + width / 2, Math.max(a.seen.top, b.seen.top) + height / 2];
        const top = document.elementFromPoint(x, y);
        return isHidden(a.one, b.one, top) || isHidden(b.one, a.one, top) ? [] : [`"${a.text}" and "${b.text}"`];
      }),
    );
    return {
      sizes: [...new Set(texts.map(({ size }) => size))].sort(),
      cut: [...new Set(texts.filter(isCut).map(({ text }) => text))],
      overlaps: [...new Set(overlaps)],
    };
  });

/** Targets of a pointer that are too small, and views, names and legends with too little room. */
export const measureRoom = (page: Page) =>
  page.evaluate(() => {
    const cutNames = [...document.querySelectorAll<HTMLElement>('.tree-row .name *, .tree-row .chip, .is-head span')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
      .map(({ innerText }) => innerText);
    const ruler = document.createElement('canvas').getContext('2d')!;
    const cutHints = [...document.querySelectorAll('input')].flatMap((input) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(input);
      ruler.font = font;
      const room = input.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
      return input.checkVisibility() && ruler.measureText(input.placeholder).width > room + 1 ? [input.placeholder] : [];
    });
    /** A legend counts its items that are out of sight. */
    const uncounted = [...document.querySelectorAll('.legend-box')].flatMap((box) => {
      const list = box.querySelector('ul')!.getBoundingClientRect();
      const hidden = [...box.querySelectorAll('li')].filter((item) => item.getBoundingClientRect().top >= list.bottom).length;
      const counted = box.querySelector('button')?.textContent ?? '+0';
      return counted === `+${hidden}` ? [] : [`${hidden} of a legend, and it shows ${counted}`];
    });
    const chart = document.querySelector('.chart-scroll')?.getBoundingClientRect();
    const routes = [...document.querySelectorAll<HTMLElement>('.event-row:not(.is-head) > .route')];
    const linesOf = (one: Element) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size;
    };
    const small = [...document.querySelectorAll('button, a[href], input, select, summary, [role=tab]')].flatMap((one) => {
      const box = one.getBoundingClientRect();
      const isSeen =
        one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && one.closest('svg.chart') === null;
      // A link in a sentence is as high as its line, and a file input is the label around it.
      const isInText = getComputedStyle(one).display === 'inline' || one.closest('td, p, li, dd, [role=cell]') !== null;
      const own = one.closest('label')?.getBoundingClientRect() ?? box;
      if (!isSeen || isInText || (own.width >= 24 && own.height >= 24)) return [];
      return [`${one.getAttribute('aria-label') ?? one.textContent} ${Math.round(own.width)} × ${Math.round(own.height)}`];
    });
    return {
      cutNames: [...cutNames, ...cutHints],
      uncounted,
      lowChart: chart && chart.height > 0 && chart.height < 240 ? chart.height : null,
      wrapped: innerWidth < 1000 ? [] : routes.filter((one) => linesOf(one) > 1).map((one) => one.innerText),
      small: [...new Set(small)],
      isWide: document.documentElement.scrollWidth > innerWidth,
    };
  });
