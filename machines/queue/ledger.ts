/** Keeps φ and full legality of every edge up to date during a run. Each step updates only the edges that it can affect. */
import type { NodeId } from '../effects.js';
import type { Configuration, Flight, Step } from '../protocol.js';
import type { PointerContext } from './pointer.js';
import { edgeAbove, isFullyLegal, look, pointerIn, type TreeEdge } from './view.js';

export interface EdgeState {
  readonly edge: TreeEdge;
  readonly phi: number;
  readonly fullyLegal: boolean;
}

/** An edge before and after a step; `null` if it is not an edge of the tree then. */
export interface EdgeChange {
  readonly before: EdgeState | null;
  readonly after: EdgeState | null;
  /** True if an event other than this step may have changed it. */
  readonly disturbed: boolean;
}

export class EdgeLedger {
  /** Edges by child: a node has at most one edge above it. */
  private readonly edges = new Map<NodeId, EdgeState>();
  private readonly pointers = new Map<NodeId, PointerContext>();
  /** The ends of messages that were lost or duplicated since the last step. */
  private disturbed = new Set<NodeId>();
  private illegal = 0;

  get size(): number {
    return this.edges.size;
  }

  get allFullyLegal(): boolean {
    return this.illegal === 0;
  }

  /** Target of a node's pointer before the step. It is undefined if a change of the tree removed its edge. */
  pointerBefore(node: NodeId): NodeId | undefined {
    const before = this.pointers.get(node);
    if (!before) return undefined;
    const { id, pointer, parent, children } = before;
    return pointer === id || pointer === parent || children.includes(pointer) ? pointer : undefined;
  }

  /** True if the next message of a node comes from outside its tree: a find not from a neighbor, an observer not from a parent. */
  isFromOutside({ kind, node, event }: Step): boolean {
    const before = this.pointers.get(node);
    const from: NodeId = event['from'];
    if (kind !== 'deliver' || !before || from === before.parent) return false;
    return event.type === 'obs' || (event.type === 'find' && !before.children.includes(from));
  }

  /** Records a step and returns the edges that it changed. */
  record(step: Step, c: Configuration): EdgeChange[] {
    const now = pointerIn(c.nodes.get(step.node)!);
    const changes = [...this.touched(step, now)].map((child) => this.refresh(child, c)).filter((change) => change !== null);
    if (now) this.pointers.set(step.node, now);
    this.disturbed.clear();
    return changes;
  }

  disturb({ from, to }: Flight): void {
    this.disturbed.add(from).add(to);
  }

  private touched({ kind, node, event, sent }: Step, now: PointerContext | undefined): Set<NodeId> {
    const before = this.pointers.get(node);
    const touched = new Set([node, ...this.disturbed, ...sent.map(({ to }) => to)]);
    for (const peer of [event['from'], before?.pointer, before?.parent]) if (typeof peer === 'string') touched.add(peer);
    if (before?.children !== now?.children || isFaultStep(kind)) {
      for (const child of [...(before?.children ?? []), ...(now?.children ?? [])]) touched.add(child);
    }
    return touched;
  }

  private refresh(child: NodeId, c: Configuration): EdgeChange | null {
    const before = this.edges.get(child) ?? null;
    const edge = edgeAbove(c, child);
    const view = edge && look(c, edge);
    const after = view && { edge, phi: view.phi, fullyLegal: isFullyLegal(view) };
    if (after) this.edges.set(child, after);
    else this.edges.delete(child);
    this.illegal += (after && !after.fullyLegal ? 1 : 0) - (before && !before.fullyLegal ? 1 : 0);
    return before === null && after === null ? null : { before, after, disturbed: this.disturbed.has(child) };
  }
}

export const isFaultStep = (kind: Step['kind']): boolean =>
  kind === 'corrupt' || kind === 'crash' || kind === 'restart' || kind === 'link';
