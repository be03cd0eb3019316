/**
 * Changes of links while a network runs: a channel comes up or goes down, what was in flight on it is lost, its sender hears of it.
 */
import { Subject } from 'rxjs';
import type { NodeId } from '../machines/effects.js';
import type { Bus } from './bus.js';
import type { Links } from './world/links.js';

/** One direction of a link that came up or went down. */
export interface ChannelChange {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly up: boolean;
}

export class Channels {
  readonly changes$ = new Subject<ChannelChange>();

  constructor(
    private readonly links: Links,
    private readonly bus: Bus,
    private readonly addressing: 'names' | 'ports',
    /** Tells the sender. */
    private readonly tell: (change: ChannelChange) => void,
  ) {}

  /** Brings one direction of a link up or down, and tells its sender alone. */
  set(from: NodeId, to: NodeId, up: boolean): void {
    const change = { from, to, up };
    if (this.turn(change)) this.tell(change);
  }

  cut(u: NodeId, v: NodeId): void {
    this.setBoth(u, v, false);
  }

  /** A new link, or one that comes back; where nodes are anonymous it takes a port at each end. */
  join(u: NodeId, v: NodeId, weight: number, ports?: readonly [number, number]): void {
    if (this.links.up(u, v) || this.links.up(v, u)) return;
    if (this.addressing === 'ports') this.links.assignPorts(u, v, ports);
    this.links.setWeight(u, v, weight);
    this.setBoth(u, v, true);
  }

  /**
   * Between ports a link is one thing: it has changed before either end is told, so that who has heard of a cut gets nothing over it
   * any more. Named nodes have two directed channels: one end is told while the other's channel still is as it was.
   */
  private setBoth(u: NodeId, v: NodeId, up: boolean): void {
    if (this.addressing === 'names') {
      this.set(u, v, up);
      this.set(v, u, up);
      return;
    }
    const both = [
      { from: u, to: v, up },
      { from: v, to: u, up },
    ];
    for (const change of both.filter((candidate) => this.turn(candidate))) this.tell(change);
  }

  private turn(change: ChannelChange): boolean {
    const { from, to, up } = change;
    if (!this.links.set(from, to, up)) return false;
    this.changes$.next(change);
    if (!up) this.bus.empty(from, to);
    return true;
  }
}
