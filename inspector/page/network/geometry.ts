/** Converts between the coordinates of the nodes and those of the canvas, and computes the lines that messages follow between nodes. */
export interface Viewport {
  readonly scale: number;
  readonly dx: number;
  readonly dy: number;
}

export interface Spot {
  readonly x: number;
  readonly y: number;
}

export const toCanvas = ({ scale, dx, dy }: Viewport, x: number, y: number): Spot => ({ x: x * scale + dx, y: y * scale + dy });
export const toPlane = ({ scale, dx, dy }: Viewport, x: number, y: number): Spot => ({
  x: (x - dx) / scale,
  y: (y - dy) / scale,
});

/** Around all nodes: a part in pixels, for words and circles, and a part that shrinks with the picture, for the outlines of programs. */
interface Margin {
  readonly pixels: number;
  readonly scaled: number;
}

export const MARGIN = { nodes: { pixels: 48, scaled: 0 }, programs: { pixels: 32, scaled: 36 } } as const;

/** A viewport that shows all nodes with a margin. */
export function fit(xs: ArrayLike<number>, ys: ArrayLike<number>, width: number, height: number, around: Margin): Viewport {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < xs.length; i++) {
    left = Math.min(left, xs[i]!);
    right = Math.max(right, xs[i]!);
    top = Math.min(top, ys[i]!);
    bottom = Math.max(bottom, ys[i]!);
  }
  if (left > right) return { scale: 1, dx: width / 2, dy: height / 2 };
  const margin = Math.min(around.pixels, width / 4, 0.37 * height);
  const scale = Math.min(
    (width - 2 * margin) / Math.max(right - left + 2 * around.scaled, 1),
    (height - 2 * margin) / Math.max(bottom - top + 2 * around.scaled, 1),
    2.4,
  );
  return { scale, dx: width / 2 - (scale * (left + right)) / 2, dy: height / 2 - (scale * (top + bottom)) / 2 };
}

/** Zooms around a point of the canvas, which keeps its place. */
export function zoomed(view: Viewport, factor: number, at: Spot): Viewport {
  const scale = Math.min(Math.max(view.scale * factor, 0.02), 12);
  const real = scale / view.scale;
  return { scale, dx: at.x - (at.x - view.dx) * real, dy: at.y - (at.y - view.dy) * real };
}

/** The radius of a node on the canvas. Nodes of large networks are small, and grow when the viewer zooms in. */
export const radiusAt = (scale: number, nodes: number): number =>
  Math.min(Math.max((nodes > 200 ? 9 : 15) * Math.sqrt(scale), nodes > 2000 ? 1.2 : nodes > 200 ? 2.5 : 7), 18);

function lengthOf(chain: readonly Spot[]): number {
  let length = 0;
  for (let i = 1; i < chain.length; i++) length += Math.hypot(chain[i]!.x - chain[i - 1]!.x, chain[i]!.y - chain[i - 1]!.y);
  return length;
}

export function distanceToLine(at: Spot, from: Spot, to: Spot): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const part = Math.min(Math.max(((at.x - from.x) * dx + (at.y - from.y) * dy) / (dx * dx + dy * dy || 1), 0), 1);
  return Math.hypot(from.x + part * dx - at.x, from.y + part * dy - at.y);
}

/** Shortens a line between two nodes so that it begins and ends at their circles. */
export function between(chain: readonly Spot[], radius: number): Spot[] {
  const rim = Math.min((radius + 7) / Math.max(lengthOf(chain), 1), 0.4);
  return [along(chain, rim), ...chain.slice(1, -1), along(chain, 1 - rim)];
}

/** A loop above a node, for a message that it sends to itself. */
export function loopAt({ x, y }: Spot, radius: number): Spot[] {
  const [center, size] = [y - radius * 2.1, radius * 1.15];
  return Array.from({ length: 25 }, (_, i) => {
    const angle = Math.PI / 2 + ((i + 1) / 26) * 2 * Math.PI;
    return { x: x + size * Math.cos(angle), y: center + size * Math.sin(angle) };
  });
}

/** The point at a part of the length of a line, and the direction of the line there. */
export function along(chain: readonly Spot[], part: number): Spot & { angle: number } {
  let left = lengthOf(chain) * part;
  for (let i = 1; i < chain.length; i++) {
    const [from, to] = [chain[i - 1]!, chain[i]!];
    const piece = Math.hypot(to.x - from.x, to.y - from.y);
    if (left <= piece || i === chain.length - 1) {
      const share = piece === 0 ? 0 : Math.min(left / piece, 1);
      return {
        x: from.x + (to.x - from.x) * share,
        y: from.y + (to.y - from.y) * share,
        angle: Math.atan2(to.y - from.y, to.x - from.x),
      };
    }
    left -= piece;
  }
  return { ...(chain[0] ?? { x: 0, y: 0 }), angle: 0 };
}
