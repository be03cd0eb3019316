/**
 * A transition tour: a small number of walks that cover each item of the graph's steps: transitions, guards both ways, events. The tour
 * takes the shortest way to a step that covers a new item, and starts again if there is none.
 */
import type { Item } from '../coverage/items.js';
import type { ChartGraph, Edge, Vertex } from './graph.js';

export function tourOf({ first, vertices }: ChartGraph): readonly (readonly Edge[])[] {
  const open = new Set<Item>();
  for (const { edges } of vertices) for (const { items } of edges?.values() ?? []) for (const item of items) open.add(item);
  const walks: Edge[][] = [[]];
  let here = first;
  for (;;) {
    const way = wayToNews(here, open);
    if (way) {
      walks.at(-1)!.push(...way);
      for (const { items } of way) for (const item of items) open.delete(item);
      here = way.at(-1)!.to;
    } else if (here !== first) {
      here = first;
      walks.push([]);
    } else {
      return walks.filter((walk, i) => walk.length > 0 || i === 0);
    }
  }
}

/** The shortest way from here whose last step covers an uncovered item. */
function wayToNews(from: Vertex, open: ReadonlySet<Item>): Edge[] | null {
  const cameBy = new Map<Vertex, { edge: Edge; before: Vertex } | null>([[from, null]]);
  for (const vertex of cameBy.keys()) {
    for (const edge of vertex.edges?.values() ?? []) {
      if ([...edge.items].some((item) => open.has(item))) return [...wayTo(vertex, cameBy), edge];
      if (!cameBy.has(edge.to)) cameBy.set(edge.to, { edge, before: vertex });
    }
  }
  return null;
}

function wayTo(vertex: Vertex, cameBy: ReadonlyMap<Vertex, { edge: Edge; before: Vertex } | null>): Edge[] {
  const way: Edge[] = [];
  for (let step = cameBy.get(vertex); step; step = cameBy.get(step.before)) way.unshift(step.edge);
  return way;
}
