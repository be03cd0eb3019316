/**
 * Reads the queue's global state in the paper's terms: edges of the tree, φ, legal and fully legal edges (sections 4 and 6; spec 2.2 and
 * 2.4).
 */
import type { NodeId } from '../effects.js';
import type { Configuration, Flight, LinksView, NodeView, Overlay, RoleView } from '../protocol.js';
import type { GuardianContext } from './guardian.js';
import { childOf, GUARDIAN, guardianOf, POINTER, type ObserverReturn } from './messages.js';
import type { QueueOptions } from './options.js';
import type { PointerContext } from './pointer.js';

/** An edge of the tree that both ends agree on and that can carry messages; the parent is the end nearer to the root. */
export type TreeEdge = readonly [parent: NodeId, child: NodeId];

export const edgeName = ([parent, child]: TreeEdge): string => `${parent}-${child}`;

export const pointerIn = (node: NodeView): PointerContext | undefined => node[POINTER]?.context;

type Guardian = RoleView<GuardianContext>;

/** The guardians of each node by their children, cached because building the names of roles dominates the cost. */
const guardians = new WeakMap<NodeView, ReadonlyMap<NodeId, Guardian>>();

export function guardiansOf(node: NodeView): ReadonlyMap<NodeId, Guardian> {
  let known = guardians.get(node);
  if (!known) {
    const roles = Object.entries(node).filter(([, { chart }]) => chart === GUARDIAN);
    guardians.set(node, (known = new Map(roles.map(([role, guardian]) => [childOf(role), guardian]))));
  }
  return known;
}

function guardianIn(c: Configuration, [parent, child]: TreeEdge): Guardian | undefined {
  const node = c.nodes.get(parent);
  return node && guardiansOf(node).get(child);
}

/** The edge above a node, if its parent guards it and the link is up. */
export function edgeAbove(c: Configuration, child: NodeId): TreeEdge | null {
  const view = c.nodes.get(child);
  const parent = view && pointerIn(view)?.parent;
  if (parent == null || !guardianIn(c, [parent, child])) return null;
  return c.links.up(parent, child) && c.links.up(child, parent) ? [parent, child] : null;
}

export const edgesOf = (c: Configuration): TreeEdge[] =>
  [...c.nodes.keys()].map((node) => edgeAbove(c, node)).filter((edge) => edge !== null);

/** Messages on the edge, one direction at a time, oldest first. */
const between = (c: Configuration, from: NodeId, to: NodeId): readonly Flight[] =>
  c.between?.(from, to) ?? c.flights.filter((flight) => flight.from === from && flight.to === to);

type Sent = Pick<Flight, 'message'>;

export const isFind = ({ message }: Sent): boolean => message.type === 'find';
export const isObserver = ({ message }: Sent): boolean => message.type === 'obs' || message.type === 'obsr';

const pointsAcross = (c: Configuration, from: NodeId, to: NodeId): 0 | 1 =>
  pointerIn(c.nodes.get(from)!)?.pointer === to ? 1 : 0;

const count = <T>(list: readonly T[], test: (item: T) => boolean): number =>
  list.reduce((sum, item) => sum + (test(item) ? 1 : 0), 0);

/** State of one edge (a, b), where a is the parent. */
export interface EdgeView {
  readonly guardian: RoleView<GuardianContext>;
  /** p(a, e) and p(b, e). */
  readonly pa: 0 | 1;
  readonly pb: 0 | 1;
  /** Messages from a to b, and from b to a, oldest first. */
  readonly down: readonly Sent[];
  readonly up: readonly Sent[];
  /** φ(e) = p(a, e) + p(b, e) + the finds in transit on e (equation 1). */
  readonly phi: number;
}

export function look(c: Configuration, edge: TreeEdge): EdgeView {
  const [a, b] = edge;
  const [pa, pb] = [pointsAcross(c, a, b), pointsAcross(c, b, a)];
  return withPhi({ guardian: guardianIn(c, edge)!, pa, pb, down: between(c, a, b), up: between(c, b, a) });
}

export function withPhi({ guardian, pa, pb, down, up }: Omit<EdgeView, 'phi'>): EdgeView {
  return { guardian, pa, pb, down, up, phi: pa + pb + count(down, isFind) + count(up, isFind) };
}

/** Definition 6.1 as printed: φ(e) = 1, and P1 or P2. It is not closed (erratum S5). */
export function isFullyLegalAsPrinted(edge: EdgeView): boolean {
  return edge.phi === 1 && (edge.guardian.value === 'observe' ? isUnderObservation(edge) : isEstimated(edge));
}

/** Definition 6.1 with its missing condition: a pending observer was sent at the latest timeout of this guardian's timer (S5). */
export const isFullyLegal = (edge: EdgeView): boolean =>
  isFullyLegalAsPrinted(edge) && (edge.guardian.value === 'correct' || edge.guardian.context.timely);

/** The predicate by which an edge is legal: the printed one or the corrected one. */
export const legalityOf = ({ legality }: QueueOptions): ((edge: EdgeView) => boolean) =>
  legality === 'printed' ? isFullyLegalAsPrinted : isFullyLegal;

/** P1 (section 6): one observer is on the edge, and the guardian's count at its return equals φ. */
export function isUnderObservation({ guardian, pa, pb, down, up, phi }: EdgeView): boolean {
  if (count(down, isObserver) + count(up, isObserver) !== 1) return false;
  const onTheWay = down.findIndex(isObserver);
  const returning = up.findIndex(isObserver);
  const { x } = returning >= 0 ? (up[returning]!.message as ObserverReturn) : { x: pb };
  const ahead = returning >= 0 ? up.slice(0, returning) : [...down.slice(0, onTheWay), ...up];
  return phi === guardian.context.sent + pa + x + count(ahead, isFind);
}

/** P2: no observer on the edge, and the guardian's estimate is φ. */
const isEstimated = ({ guardian, down, up, phi }: EdgeView): boolean =>
  !down.some(isObserver) && !up.some(isObserver) && guardian.context.est === phi;

/**
 * A node on the picture of the inspector: the target of its pointer, the tree, and for each edge its φ and the state of its guardian. The
 * parent marks its edges: only it changes φ.
 */
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
