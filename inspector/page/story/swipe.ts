/** A finger that goes from one side to the other and not up or down: to the next card, or to the one before. */

const FAR_PX = 48;

/**
 * Handlers of an element; `go` hears 1 for what lies to the right and -1 for what lies to the left. Their names are those of the DOM, for a
 * browser that has no touch when the page is made may have it later.
 */
export function swipes(go: (direction: 1 | -1) => void) {
  let from: Touch | null = null;
  return {
    ontouchstart({ touches }: TouchEvent) {
      from = touches.length === 1 ? touches[0]! : null;
    },
    ontouchend({ changedTouches: [to] }: TouchEvent) {
      if (!from || !to) return;
      const [x, y] = [to.clientX - from.clientX, to.clientY - from.clientY];
      from = null;
      if (Math.abs(x) > FAR_PX && Math.abs(x) > 2 * Math.abs(y)) go(x < 0 ? 1 : -1);
    },
    ontouchcancel() {
      from = null;
    },
  };
}
