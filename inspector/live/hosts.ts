/**
 * The member that hosts each cluster actor, by the largest fence that was reported.
 *
 * A member that was paused or cut off may report an activation after its successor has; such reports are left out.
 */
import type { NodeId } from '../../machines/effects.js';
import type { Overlay } from '../../machines/protocol.js';
import type { StepReport } from './report.js';

/** The kind of the pointer from a cluster actor to the member that hosts it. */
export const HOST_POINTER = 'host';

interface Hosting {
  /** Null while no member hosts the actor. */
  readonly host: NodeId | null;
  readonly last: NodeId;
  readonly fence: number;
}

export class Hosts {
  private readonly known = new Map<NodeId, Hosting>();

  /** Takes a report of an actor, and returns it with the event that the page shows; null if a later activation is known. */
  take(report: StepReport): StepReport | null {
    const { node, kind, hosting } = report;
    if (!hosting) return report;
    const { host, fence } = hosting;
    const before = this.known.get(node);
    if (before && fence < before.fence) return null;
    const last = host ?? before?.last ?? '';
    this.known.set(node, { host, last, fence });
    if (host === null) return { ...report, event: { type: `left ${last}` } };
    if (kind !== 'start') return report;
    const isMove = before !== undefined && before.last !== host;
    const event = isMove ? { type: `moved to ${host}`, before: before.last, fence } : { type: `hosted by ${host}`, fence };
    return { ...report, event };
  }

  /** Undefined for nodes that are not cluster actors. */
  overlayOf(node: NodeId): Overlay | undefined {
    const known = this.known.get(node);
    return known && { pointers: known.host === null ? [] : [{ to: known.host, kind: HOST_POINTER }] };
  }

  forget(node: NodeId): void {
    this.known.delete(node);
  }
}
