/**
 * Properties of single steps of the election (section 4 of the specification): when a node searches, to whom it sends its height, and its
 * clock.
 */
import type { NodeId } from '../effects.js';
import type { Configuration, PropertyResult, Step } from '../protocol.js';
import {
  compareHeights,
  compareLeaderPairs,
  electSelf,
  isReferenceLevelOf,
  isSame,
  propagateLargestRefLevel,
  reflectRefLevel,
  startNewRefLevel,
  type Height,
} from './height.js';
import { allPeers, heightsOf, isLinked, neighbors } from './links.js';
import { isSink, type ElectionContext } from './machine.js';
import type { Update } from './messages.js';
import type { ElectionProtocolOptions } from './options.js';
import { electionContext } from './view.js';

type Event = Step['event'];

/** Observes the heights, links and clocks of all nodes. */
export class ElectionStepProperties {
  private readonly known = new Map<NodeId, ElectionContext>();
  private isForRecipients = true;
  private isCausal = true;
  private staysInOffice = true;
  private searches = true;

  constructor(private readonly options: ElectionProtocolOptions) {}

  record({ kind, node, at, event, sent }: Step, c: Configuration): void {
    // Records the state of the other nodes before their first steps; a start is not a step.
    if (this.known.size === 0) for (const [id, view] of c.nodes) if (id !== node) this.known.set(id, electionContext(view));
    const before = this.known.get(node);
    const after = electionContext(c.nodes.get(node)!);
    this.known.set(node, after);
    if (!before || (kind !== 'deliver' && kind !== 'link')) return;
    const notified = sent.map(({ to }) => to);
    const areNotified = areSame(notified, recipients(before, after, event));
    // A level with news sends it to all neighbors.
    if (!areNotified && !(after.levels > 0 && areSame(notified, allPeers(after.links)))) this.isForRecipients = false;
    if (!isLater(before, after, event, at)) this.isCausal = false;
    const searched = searchedBy(before, after, event);
    if (searched && compareHeights(searched, after.height) !== 0) this.searches = false;
    if (isAloneInOffice(before, after) && compareHeights(before.height, after.height) !== 0) this.staysInOffice = false;
  }

  results(): PropertyResult[] {
    return [
      { name: 'heights are sent to the right neighbors', kind: 'always', holds: this.isForRecipients },
      { name: 'clocks are causal', kind: 'always', holds: this.isCausal },
      { name: 'searches follow the heights of the neighbors', kind: 'always', holds: this.searches },
      ...(this.options.skipIfLeader
        ? [{ name: 'a leader without neighbors stays in office', kind: 'always' as const, holds: this.staysInOffice }]
        : []),
    ];
  }
}

const areSame = (one: readonly NodeId[], other: readonly NodeId[]): boolean => one.toSorted().join() === other.toSorted().join();

/**
 * Receivers of a height: all neighbors if it is new or requested, otherwise only a neighbor that is new, has an older leader, or greets.
 */
function recipients(before: ElectionContext, after: ElectionContext, event: Event): readonly NodeId[] {
  if (event.type === 'link.up') return [event['peer']];
  if (event.type === 'update' && !isLinked(before.links, event['from'])) return [];
  if (isAloneInOffice(before, after)) return [];
  const { height } = before;
  if (compareHeights(height, after.height) !== 0) return allPeers(after.links);
  if (event.type !== 'update') return isSink({ ...after, height }) ? allPeers(after.links) : [];
  const { from, height: received, hello } = event as Update & { readonly from: NodeId };
  if (compareLeaderPairs(received, height) > 0) return [from];
  if (isSink({ ...after, height })) return allPeers(after.links);
  return hello && after.hello ? [from] : [];
}

/** A logical clock is ahead of all earlier times of the node and the sender. A perfect clock equals the tick, and one half at tick 0. */
function isLater(before: ElectionContext, { clock, now }: ElectionContext, event: Event, at: number): boolean {
  if (clock === 'perfect') return now === (at || 0.5);
  return now > before.now && now > (event['stamp'] ?? 0);
}

const isAloneInOffice = ({ height, skipIfLeader }: ElectionContext, { links }: ElectionContext): boolean =>
  skipIfLeader && isSame(height.lid, height.id) && neighbors(links).length === 0;

/** Height of a node without a way down; `null` if it has one, or does not decide at this event. */
function searchedBy(before: ElectionContext, after: ElectionContext, event: Event): Height | null {
  const { height } = before;
  if (event.type === 'link.up' || !isSink({ ...after, height })) return null;
  if (event.type === 'link.down') return startNewRefLevel(height, after.now);
  if (event.type !== 'update' || !isLinked(before.links, event['from'])) return null;
  const around = heightsOf(after.links);
  const { tau, oid, r } = around[0]!;
  if (!around.every(isReferenceLevelOf({ tau, oid, r }))) return propagateLargestRefLevel(height, around);
  if (tau > 0 && r === 0) return reflectRefLevel(height, around);
  return r === 1 && isSame(oid, height.id) ? electSelf(height, after.now) : startNewRefLevel(height, after.now);
}
