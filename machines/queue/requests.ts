/**
 * Records each request's predecessor in the queue. For requests made after the state is legal and settled, it checks that each is queued
 * once.
 */
import type { NodeId } from '../effects.js';
import type { Configuration } from '../protocol.js';
import type { QueueFind, Queued } from './messages.js';
import { isFind } from './view.js';

export class Requests {
  /** [requester, predecessor], in the order in which they were queued. */
  readonly order: (readonly [NodeId, NodeId])[] = [];
  /** Number of requests made and not yet queued or dropped, by node. */
  private readonly open = new Map<NodeId, number>();
  private readonly made = new Map<NodeId, number>();
  /** While all is legal: how many finds of each requester may still be queued, and the requests that have a successor. */
  private window: { readonly due: Map<NodeId, number>; readonly followed: Set<string> } | null = null;
  private broken = false;

  request(node: NodeId): void {
    add(this.open, node, 1);
    add(this.made, node, 1);
    if (this.window) add(this.window.due, node, 1);
  }

  /** Records that a request was queued. `isOwn`: the predecessor queues a request that it makes in this step. */
  queued({ requester, predecessor }: Queued, isOwn: boolean): void {
    this.follow(requester, predecessor, isOwn);
    if (requester === null) return;
    // An invented find may name a node without a request.
    if (!this.open.get(requester)) return;
    add(this.open, requester, -1);
    this.order.push([requester, predecessor]);
  }

  dropped(requester: NodeId | null): void {
    if (requester !== null && this.open.get(requester)) add(this.open, requester, -1);
    if (this.window) this.broken = true;
  }

  private follow(requester: NodeId | null, predecessor: NodeId, isOwn: boolean): void {
    if (!this.window) return;
    const { due, followed } = this.window;
    // An own request is queued behind the previous one; an old find that returned after faults, behind the latest.
    const latest = (this.made.get(predecessor) ?? 0) - (isOwn ? 1 : 0);
    const behind = `${predecessor} ${latest}`;
    if (followed.has(behind)) this.broken = true;
    followed.add(behind);
    if (requester === null) return;
    if (!due.get(requester)) this.broken = true;
    else add(due, requester, -1);
  }

  /** Starts the promise: from now on every find in flight, and every request, is to be queued once. */
  openWindow(c: Configuration): void {
    const due = new Map<NodeId, number>();
    for (const { message } of c.flights.filter(isFind)) {
      const { origin } = message as QueueFind;
      if (origin !== null) add(due, origin, 1);
    }
    this.window = { due, followed: new Set() };
  }

  get isWindowOpen(): boolean {
    return this.window !== null;
  }

  closeWindow(): void {
    this.window = null;
  }

  /** `null` while requests are in flight, or before a legal state. A request that is neither in flight nor queued is lost. */
  queuedOnce(isOneOnItsWay: boolean): boolean | null {
    if (this.broken) return false;
    if (!this.window) return null;
    if ([...this.window.due.values()].every((due) => due === 0)) return true;
    return isOneOnItsWay ? null : false;
  }
}

const add = (counts: Map<NodeId, number>, node: NodeId, n: number) => void counts.set(node, (counts.get(node) ?? 0) + n);
