/** The queue on the inspector's picture: the target of each pointer, the tree, and for each edge its φ and the state of its guardian. */
import type { NodeId } from '../effects.js';
import type { Configuration, LinksView, NodeView, Overlay } from '../protocol.js';
import { guardianOf } from './messages.js';
import { edgeAbove, look, pointerIn } from './view.js';

/** The parent marks its edges: only it changes φ. */
export function queueOverlay(node: NodeView, id: NodeId, _: LinksView, c: Configuration): Overlay {
  const { pointer, parent, children } = pointerIn(node)!;
  const isAstray = pointer !== id && pointer !== parent && !children.includes(pointer);
  const edges = children.map((child) => {
    const { value } = node[guardianOf(child)]!;
    const edge = edgeAbove(c, child);
    if (edge?.[0] !== id) return { to: child, label: `${String(value)}, no edge yet`, wrong: true };
    const { phi } = look(c, edge);
    return { to: child, label: `φ = ${phi}, ${String(value)}`, wrong: phi !== 1 };
  });
  return {
    pointers: [
      ...(pointer === id || isAstray ? [] : [{ to: pointer, kind: 'pointer' }]),
      ...(parent === null ? [] : [{ to: parent, kind: 'tree' }]),
    ],
    ...(pointer === id ? { badge: '●' } : {}),
    tone: isAstray ? 'wrong' : pointer === id ? 'active' : 'plain',
    edges,
  };
}
