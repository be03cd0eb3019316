/**
 * Links on demand, of the link layer (linked.ts).
 *
 * A link with a needed peer is open from the start, and seeks the peer as long as its node runs. A guest is any other peer that may link: a
 * client that is in no list, or a peer of the list that no object here needs. Its first frame opens the link, or the first message to it.
 * The link uses no relay. It closes when the guest leaves, falls silent or does not answer, and nothing of the guest remains.
 *
 * For the guest, a link that opens again is a new run of this peer: it has a later session and another nonce (machines/link).
 */
import { Subscription } from 'rxjs';
import type { NodeId } from '../machines/effects.js';
import { endStart } from '../machines/link/core.js';
import type { LinkNotification } from '../machines/link/machine.js';
import type { LinkOptions } from '../machines/link/options.js';
import { roleTo } from '../machines/link/view.js';
import { firstSession, SESSIONS_A_MS } from './clocks.js';
import { drawBelow, type PlatformEnvironment } from './environment.js';
import type { LiveNode } from './node/node.js';
import type { Drops } from './transports/drops.js';
import { later } from './transports/later.js';

/** Draws a number that no other peer can guess. */
export const nonceFrom = ({ crypto }: PlatformEnvironment): number => drawBelow(crypto, 2 ** 20) * 2 ** 32 + drawBelow(crypto, 2 ** 32);

export class Guests {
  /** The guests, each with the time limit for its first answer. */
  private readonly open = new Map<NodeId, Subscription>();
  /** The latest session that a link was opened with. */
  private session: number;

  constructor(
    private readonly node: LiveNode<LinkOptions>,
    private readonly drops: Drops,
    private readonly max: number,
  ) {
    this.session = node.instance.options.session;
    node.notifications$.subscribe({
      next: (notification) => this.follow(notification as LinkNotification),
      complete: () => this.open.forEach((timer) => timer.unsubscribe()),
    });
  }

  /** Opens a link with a guest. */
  welcome(peer: NodeId): void {
    // A frame with the id of this peer is forged.
    if (peer === this.node.id || this.node.role(roleTo(peer))) return;
    if (this.open.size >= this.max) {
      this.drops.drop(`"${peer}" is refused: ${this.max} peers outside the list are linked, the maximum`);
      return;
    }
    const timer = new Subscription();
    const { beat, patience } = this.node.instance.options;
    this.open.set(peer, timer);
    later(timer, this.node.environment.clock, () => this.dismiss(peer), beat * patience);
    this.start(peer, []);
  }

  /** Opens links that were not needed before. */
  need(peers: readonly NodeId[]): void {
    for (const peer of peers) {
      this.forget(peer);
      if (!this.node.role(roleTo(peer))) this.start(peer, []);
    }
  }

  private start(peer: NodeId, relays: readonly NodeId[]): void {
    const { node } = this;
    const { clock, crypto } = node.environment;
    // Later than each session of an earlier link with this peer, also if that one has begun some sessions by itself.
    this.session = Math.max(this.session + SESSIONS_A_MS, firstSession(clock.now()) + drawBelow(crypto, SESSIONS_A_MS));
    const options = { ...node.instance.options, session: this.session, nonce: nonceFrom(node.environment) };
    node.replaceRoles([], [endStart(peer, options, relays)]);
  }

  private follow({ type, peer }: LinkNotification): void {
    if (type === 'link.up') this.open.get(peer)?.unsubscribe();
    // Every listener is notified first.
    if (type === 'link.down' && this.open.has(peer)) queueMicrotask(() => this.dismiss(peer));
  }

  /** Closes the link with a guest, unless it has come back. */
  private dismiss(peer: NodeId): void {
    const role = roleTo(peer);
    if (!this.open.has(peer) || this.node.role(role)?.value === 'up') return;
    this.forget(peer);
    this.node.replaceRoles([role], []);
  }

  private forget(peer: NodeId): void {
    this.open.get(peer)?.unsubscribe();
    this.open.delete(peer);
  }
}
