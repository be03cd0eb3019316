/**
 * False reports of ended processes. If a transport reports that the process of a peer has ended, and the same run of the peer returns, only
 * its connection had failed. Later reports about this run are ignored, and the link layer waits for the full patience.
 */
import type { NodeId } from '../machines/effects.js';
import type { LinkContext } from '../machines/link/frames.js';
import type { LinkNotification } from '../machines/link/machine.js';
import { roleTo } from '../machines/link/view.js';
import type { LiveNode } from './node/node.js';

export class FalseReports {
  /** Nonce of each peer's run that was reported as ended. */
  private readonly ended = new Map<NodeId, number>();
  /** Nonce of each peer's run that has returned. */
  private readonly alive = new Map<NodeId, number>();

  constructor(private readonly node: LiveNode) {
    node.notifications$.subscribe((notification) => this.note(notification as LinkNotification));
  }

  /** Passes a report to the link, unless an earlier one about the same run was false. */
  pass(peer: NodeId): void {
    if (this.alive.get(peer) !== this.runOf(peer)) this.node.attempt('gone', { peer });
  }

  private note({ type, peer }: LinkNotification): void {
    if (type !== 'link.gone' && type !== 'link.up') return;
    const run = this.runOf(peer)!;
    if (type === 'link.gone') this.ended.set(peer, run);
    else if (this.ended.get(peer) === run) this.alive.set(peer, run);
  }

  private runOf(peer: NodeId): number | null {
    return (this.node.role(roleTo(peer))!.context as LinkContext).theirNonce;
  }
}
