/** The queue's global state in the paper's words: tree edges, φ, legal and fully legal (sections 4 and 6; spec 2.2, 2.4). */
import type { NodeId } from '../effects.js';
import type { Configuration, Flight, NodeView, RoleView } from '../protocol.js';
import type { GuardianContext } from './guardian.js';
import { guardianOf, POINTER } from './messages.js';
import type { PointerContext } from './pointer.js';

/** An edge of the tree that both ends agree on and that can carry messages; the parent is the end nearer to the root. */
export type Edge = readonly [parent: NodeId, child: NodeId];

export const nameOf = ([parent, child]: Edge): string => `${parent}-${child}`;

export const pointerIn = (node: NodeView): PointerContext | undefined => node[POINTER]?.context;

export const guardianIn = (c: Configuration, [parent, child]: Edge): RoleView<GuardianContext> | undefined =>
  c.nodes.get(parent)?.[guardianOf(child)];

/** The edge above a node, if its parent guards it and the link is up. */
export function edgeAbove(c: Configuration, child: NodeId): Edge | null {
  const view = c.nodes.get(child);
  const parent = view && pointerIn(view)?.parent;
  if (parent == null || !guardianIn(c, [parent, child])) return null;
  return c.links.up(parent, child) && c.links.up(child, parent) ? [parent, child] : null;
}

export const edgesOf = (c: Configuration): Edge[] =>
  [...c.nodes.keys()].map((node) => edgeAbove(c, node)).filter((edge) => edge !== null);

/** What is on the edge, one direction at a time, oldest first. */
export const between = (c: Configuration, from: NodeId, to: NodeId): readonly Flight[] =>
  c.between?.(from, to) ?? c.flights.filter((flight) => flight.from === from && flight.to === to);

export const isFind = ({ message }: Flight): boolean => message.type === 'find';
const isObserver = ({ message }: Flight): boolean => message.type === 'obs' || message.type === 'obsr';

const pointsAcross = (c: Configuration, from: NodeId, to: NodeId): 0 | 1 =>
  pointerIn(c.nodes.get(from)!)?.pointer === to ? 1 : 0;

const count = <T>(list: readonly T[], test: (item: T) => boolean): number =>
  list.reduce((sum, item) => sum + (test(item) ? 1 : 0), 0);

/** φ(e) = p(a, e) + p(b, e) + the finds in transit on e (equation 1). */
export function phi(c: Configuration, [a, b]: Edge): number {
  return pointsAcross(c, a, b) + pointsAcross(c, b, a) + count(between(c, a, b), isFind) + count(between(c, b, a), isFind);
}

/** Definition 4.1. */
export const isLegal = (c: Configuration, edge: Edge): boolean => phi(c, edge) === 1;

/** Definition 6.1 as printed: φ(e) = 1, and P1 or P2. It is not closed (erratum S5). */
export function isFullyLegalAsPrinted(c: Configuration, edge: Edge): boolean {
  if (phi(c, edge) !== 1) return false;
  return guardianIn(c, edge)!.value === 'observe' ? isUnderObservation(c, edge) : isEstimated(c, edge);
}

/** Definition 6.1 with what it forgets: an observer under way was sent at the latest timeout of this guardian's timer (S5). */
export const isFullyLegal = (c: Configuration, edge: Edge): boolean =>
  isFullyLegalAsPrinted(c, edge) && (guardianIn(c, edge)!.value === 'correct' || guardianIn(c, edge)!.context.timely);

/** P1: one observer on the edge, and what the guardian will have counted when it returns is φ. */
function isUnderObservation(c: Configuration, edge: Edge): boolean {
  const [a, b] = edge;
  const [down, up] = [between(c, a, b), between(c, b, a)];
  if (count(down, isObserver) + count(up, isObserver) !== 1) return false;
  const { sent } = guardianIn(c, edge)!.context;
  const counted = sent + pointsAcross(c, a, b);
  const below = down.findIndex(isObserver);
  const returning = below >= 0 ? undefined : up.find(isObserver);
  const ahead = returning ? up.slice(0, up.indexOf(returning)) : [...down.slice(0, below), ...up];
  const x = returning ? (returning.message as { x?: number }).x! : pointsAcross(c, b, a);
  return phi(c, edge) === counted + x + count(ahead, isFind);
}

/** P2: no observer on the edge, and the guardian's estimate is φ. */
function isEstimated(c: Configuration, edge: Edge): boolean {
  const [a, b] = edge;
  return (
    !between(c, a, b).some(isObserver) && !between(c, b, a).some(isObserver) && guardianIn(c, edge)!.context.est === phi(c, edge)
  );
}
