/**
 * Incremental totals for the election's promises. They contain the height, clock and rows of each node, the status and the heights in order
 * of each channel, and all tokens of a node: its heights anywhere. Parts that a step leaves unchanged are not computed again.
 */
import type { NodeId } from '../effects.js';
import { Places } from '../places.js';
import type { Fold, Totals } from '../folded.js';
import type { ChannelState, Instance } from '../protocol.js';
import { followsEverywhere } from '../hierarchy/view.js';
import { compareHeights, compareLeaderPairs, compareReferenceLevels, isSame, type Height } from './height.js';
import type { LinkRow, LinkTable } from './links.js';
import { isSink } from './machine.js';
import type { Update } from './messages.js';
import type { ElectionProtocolOptions } from './options.js';
import { electionContext, isInStateByHeight } from './view.js';

interface NodeFact {
  readonly id: NodeId;
  readonly height: Height;
  readonly now: number;
  readonly links: LinkTable;
  readonly isSink: boolean;
  /** True if the chart is in the state of its height. */
  readonly isInState: boolean;
  /** True if it follows a known leader on every level of a hierarchy. */
  readonly follows: boolean;
}

interface FlightFact {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly height: Height;
}

export const electionFold: Fold<ElectionProtocolOptions, ElectionTotals, Update> = {
  node: (view, id, { options: { levels } }) => {
    const { height, now, links } = electionContext(view);
    const follows = followsEverywhere(view, levels.length);
    const isInState = isInStateByHeight(view);
    return { id, height, now, links, isSink: isSink({ height, links, sink: 'settled' }), isInState, follows };
  },
  flight: ({ from, to, message: { height } }) => ({ from, to, height }),
  totals: (instance) => new ElectionTotals(instance),
  isOrdered: true,
};

/** A node, with all facts about it. */
interface Site {
  fact: NodeFact | undefined;
  /** Its outgoing channels, by receiver. */
  readonly ways: Map<NodeId, Way>;
  /** Its heights with their counts: its own, those in flight from it, and those in the rows of nodes to which its channel is up. */
  readonly tokens: Map<Height, number>;
}

/** A channel. The channel from a node to itself represents its own height. */
interface Way {
  readonly from: Site;
  readonly to: Site;
  readonly back: Way;
  up: boolean;
  /** The row of the sender for the receiver. */
  row: LinkRow | undefined;
  /** Messages in flight, oldest first. */
  readonly flights: FlightFact[];
}

export class ElectionTotals implements Totals<NodeFact, FlightFact> {
  /** Tokens with an invalid reference level; and those outside of a search that do not count from the leader. */
  malformed = 0;
  miscounted = 0;
  /** Nodes without a way down that do not lead; and those that follow an unknown leader of a level. */
  sinks = 0;
  leaderless = 0;
  /** Nodes whose state differs from that of their height. */
  misnamed = 0;
  /** Channels that are up without a row, or down with a row; and messages on channels that are down. */
  unlisted = 0;
  stranded = 0;
  readonly channels = new Places((way: Way) => !way.up || isOrderly(way));
  readonly tokens = new Places(deltasAgree);
  readonly stamps = new Places((way: Way) => this.stampsAreNotAhead(way));
  private readonly sites = new Map<NodeId, Site>();

  constructor(private readonly instance: Instance<ElectionProtocolOptions>) {}

  node(fact: NodeFact, by: 1 | -1): void {
    if (fact.isSink) this.sinks += by;
    if (!fact.follows) this.leaderless += by;
    if (!fact.isInState) this.misnamed += by;
    if (by === -1) return;
    const { id, height, now, links } = fact;
    const site = this.at(id);
    const before = site.fact;
    site.fact = fact;
    if (before?.height !== height) {
      if (before) this.hold(site, before.height, -1);
      this.hold(site, height, 1);
      this.stamps.touch(this.way(id, id));
      for (const way of site.ways.values()) this.channels.touch(way);
    }
    if (before?.links !== links) this.list(id, before?.links ?? [], links);
    // A later clock makes no stamp invalid.
    if (before && now < before.now) this.touchAllStamps();
    else this.stamps.touchWrong();
  }

  private list(id: NodeId, before: LinkTable, now: LinkTable): void {
    for (const row of before) if (!now.includes(row)) this.record(this.way(id, row.peer), undefined);
    for (const row of now) if (!before.includes(row)) this.record(this.way(id, row.peer), row);
  }

  private record(way: Way, row: LinkRow | undefined): void {
    const { from, back, flights, row: before } = way;
    this.recorded(way, -1);
    way.row = row;
    this.recorded(way, 1);
    this.unlisted += Number(way.up !== (row !== undefined)) - Number(way.up !== (before !== undefined));
    if ((before === undefined) !== (row === undefined))
      for (const { height } of flights) this.hold(from, height, row === undefined ? -1 : 1);
    this.stamps.touch(way);
    this.channels.touch(back);
  }

  /** A row counts as a token of its node, and of the other node if the channel back is up. */
  private recorded({ row, back, to }: Way, by: 1 | -1): void {
    if (!row?.height) return;
    this.count(row.height, by);
    if (back.up) this.keep(to, row.height, by);
  }

  flight(fact: FlightFact, by: 1 | -1): void {
    const way = this.way(fact.from, fact.to);
    const { from, flights } = way;
    if (by === 1) flights.push(fact);
    else flights.splice(flights.indexOf(fact), 1);
    if (!way.up) this.stranded += by;
    if (way.row) this.hold(from, fact.height, by);
    this.stamps.touch(way);
    this.channels.touch(way);
  }

  channel({ from, to, up }: ChannelState): void {
    const way = this.way(from, to);
    if (way.up === up) return;
    const { flights, back, row } = way;
    way.up = up;
    this.stranded += up ? -flights.length : flights.length;
    this.unlisted += up === (row !== undefined) ? -1 : 1;
    if (back.row?.height) this.keep(way.from, back.row.height, up ? 1 : -1);
    this.channels.touch(way);
  }

  /** A token of this node: its own height or a sent one. */
  private hold(site: Site, height: Height, by: 1 | -1): void {
    this.count(height, by);
    this.keep(site, height, by);
  }

  private count(height: Height, by: 1 | -1): void {
    if (!this.isWellFormed(height)) this.malformed += by;
    if (!countsFromLeader(height)) this.miscounted += by;
  }

  private keep(site: Site, height: Height, by: 1 | -1): void {
    const { tokens } = site;
    const times = (tokens.get(height) ?? 0) + by;
    if (times === 0) tokens.delete(height);
    else tokens.set(height, times);
    if (times === 0 || times === by) this.tokens.touch(site);
  }

  private isWellFormed({ tau, oid, r }: Height): boolean {
    if (tau === 0) return oid === null && r === 0;
    return tau > 0 && oid !== null && this.instance.rank(oid[1]) >= 0 && (r === 0 || r === 1);
  }

  private touchAllStamps(): void {
    for (const { ways } of this.sites.values()) for (const way of ways.values()) this.stamps.touch(way);
  }

  /** For the node itself, compares its own height; otherwise the heights that it has sent and recorded. */
  private stampsAreNotAhead({ from, to, row, flights }: Way): boolean {
    const { now, height } = from.fact!;
    if (from === to) return latestOf(height) <= now;
    if (!row) return true;
    if (flights.some((flight) => latestOf(flight.height) > now)) return false;
    if (!row.height) return true;
    const latest = latestOf(row.height);
    return latest <= now && latest <= this.at(row.height.id[1]).fact!.now;
  }

  private at(id: NodeId): Site {
    let site = this.sites.get(id);
    if (!site) this.sites.set(id, (site = { fact: undefined, ways: new Map(), tokens: new Map() }));
    return site;
  }

  private way(from: NodeId, to: NodeId): Way {
    const [one, other] = [this.at(from), this.at(to)];
    const known = one.ways.get(to);
    if (known) return known;
    const way = { from: one, to: other, up: false, row: undefined, flights: [] } as unknown as Way & { back: Way };
    way.back = from === to ? way : ({ from: other, to: one, up: false, row: undefined, flights: [], back: way } satisfies Way);
    one.ways.set(to, way);
    other.ways.set(from, way.back);
    return way;
  }
}

const latestOf = ({ tau, nlts }: Height): number => Math.max(tau, -nlts);

const countsFromLeader = ({ tau, delta, lid, id }: Height): boolean =>
  tau > 0 || (delta >= 0 && (delta === 0) === isSame(lid, id));

/** True if the sender's height, those in flight, newest first, and the receiver's row are each no older than the next. */
function isOrderly({ from, back, flights }: Way): boolean {
  let newer = from.fact!.height;
  for (let i = flights.length - 1; i >= 0; i--) {
    const { height } = flights[i]!;
    if (!isOlder(newer, height, i === flights.length - 1)) return false;
    newer = height;
  }
  const recorded = back.row?.height ?? null;
  return recorded === null || isOlder(newer, recorded, flights.length === 0);
}

/** An older height is not more recent; the newest height of a sender is the last one sent. */
function isOlder(newer: Height, older: Height, isOwn: boolean): boolean {
  if (newer === older) return true;
  if (isOwn) return compareHeights(newer, older) === 0;
  const staler = compareLeaderPairs(newer, older);
  return staler < 0 || (staler === 0 && compareReferenceLevels(newer, older) >= 0);
}

/** Two heights of one node with the same reference level and leader pair have the same delta. */
function deltasAgree({ tokens }: Site): boolean {
  if (tokens.size < 2) return true;
  const known = [...tokens.keys()];
  return known.every((one, i) => known.slice(0, i).every((other) => !isContradiction(one, other)));
}

const isContradiction = (a: Height, b: Height): boolean =>
  a.delta !== b.delta && compareReferenceLevels(a, b) === 0 && compareLeaderPairs(a, b) === 0;
