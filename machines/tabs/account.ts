/** Compares each notification of a tab with the tabs that it knows and with whether it participates. */
import { statePath } from '../checks.js';
import type { NodeId } from '../effects.js';
import type { Configuration, NodeView, Observer, PropertyResult, Step } from '../protocol.js';
import type { TabsOptions } from './core.js';
import type { TabNotification } from './messages.js';
import { tabOf } from './view.js';

interface Known {
  readonly state: string;
  readonly peers: readonly NodeId[];
}

/** The progress of an arriving tab. */
interface Arrival {
  /** The time of its arrival or of the last reply. */
  readonly since: number;
  /** The tabs that present tabs have named, or the browser has listed; `null` before either. */
  readonly named: readonly NodeId[] | null;
  /** The tabs that exist, as the browser reports. */
  readonly listed: readonly NodeId[];
  /** The time of the list. */
  readonly listedAt: number | null;
}

/** Judges notifications, endings and arrivals of tabs. */
export class TabsAccount implements Observer {
  private readonly known = new Map<NodeId, Known>();
  private readonly arrivals = new Map<NodeId, Arrival>();
  private isAnnounced = true;
  private isFinal = true;
  private isAwaited = true;
  /** The time of each report that a peer has ended, until the peer replies or is gone. */
  private readonly reports = new Map<NodeId, Map<NodeId, number>>();
  private isNoticed = true;

  constructor(private readonly options: TabsOptions) {}

  record(step: Step<TabNotification>, c: Configuration): void {
    const { kind, node, event, emitted, sent } = step;
    const before = this.known.get(node) ?? AWAY;
    const after = knownBy(c.nodes.get(node)!);
    this.known.set(node, after);
    // A restarted process knows no tabs and has not sent notifications; a tab that has left no longer counts others.
    if (!isOwn.has(kind)) this.reports.delete(node);
    if (!isOwn.has(kind) || before.state === 'left' || before.state === 'missed') return;
    if (!this.arrives(step, before, after)) this.isAwaited = false;
    if (!this.notices(step, before, after)) this.isNoticed = false;
    if (
      !isFinal(
        before.state,
        after.state,
        event.type,
        sent.map(({ message }) => message.type),
      )
    )
      this.isFinal = false;
    const announced = emitted.map(textOf).sort();
    if (announced.join() !== changesOf(before, after).sort().join()) this.isAnnounced = false;
  }

  /** True if an arriving tab participates exactly when it has met all named tabs, or has waited long enough for replies. */
  private arrives({ node, at, event }: Step, before: Known, after: Known): boolean {
    if (before.state === 'there.present') return true;
    const earlier = this.arrivals.get(node) ?? { since: at, named: null, listed: [], listedAt: null };
    const arrival = without(
      gonePeers(before, after, event),
      continued(before.state === 'away', earlier, at, event, this.options.reply),
    );
    this.arrivals.set(node, arrival);
    const hasMetAll = arrival.named?.every((peer) => peer === node || after.peers.includes(peer)) === true;
    const hasWaited = event.type === 'timer' && at - arrival.since >= this.options.answer * this.options.beat;
    if (after.state === 'there.present') return hasMetAll || hasWaited;
    return !after.state.startsWith('there.arriving') || !hasMetAll;
  }

  /**
   * True if the step asks a peer that was reported, and counts peers as gone only after `bye`, after a report without a reply in time, or
   * after too many beats without a report.
   */
  private notices({ node, at, event, sent }: Step, before: Known, after: Known): boolean {
    const reports = this.reports.get(node) ?? new Map<NodeId, number>();
    this.reports.set(node, reports);
    const gone = before.peers.filter((peer) => !after.peers.includes(peer));
    const late = [...reports].flatMap(([peer, since]) => (at - since >= this.options.reply ? [peer] : []));
    const { type, from, peer, timer } = event;
    for (const each of [from, ...gone]) reports.delete(each);
    if (type === 'bye') return gone.length === (before.peers.includes(from) ? 1 : 0);
    if (timer === 'reply') return gone.join() === late.join();
    if (timer === 'beat') return !gone.some((each) => late.includes(each));
    if (type !== 'ended' || !before.peers.includes(peer)) return gone.length === 0;
    reports.set(peer, at);
    return sent.some(({ to, message }) => to === peer && message.type === 'ping');
  }

  summary(c: Configuration): Readonly<Record<string, unknown>> {
    const states = [...c.nodes].map(([id, node]) => [id, statePath(tabOf(node))]);
    return { states: Object.fromEntries(states) };
  }

  meters(): readonly [] {
    return [];
  }

  properties(): PropertyResult[] {
    return [
      { name: 'arrivals and departures are notified', kind: 'always', holds: this.isAnnounced },
      { name: 'a peer that leaves or was missed announces it and stops', kind: 'always', holds: this.isFinal },
      { name: 'an arriving peer participates after meeting all, or if none answers', kind: 'always', holds: this.isAwaited },
      {
        name: 'a peer is gone after it leaves, or is reported or silent and does not reply',
        kind: 'always',
        holds: this.isNoticed,
      },
    ];
  }
}

/** The state before the first step. */
const AWAY: Known = { state: 'away', peers: [] };

const isOwn: ReadonlySet<Step['kind']> = new Set(['deliver', 'timer', 'command'] as const);

const knownBy = (node: NodeView): Known => ({ state: statePath(tabOf(node)), peers: tabOf(node).context.peers });

function continued(isAway: boolean, arrival: Arrival, at: number, event: Step['event'], reply: number): Arrival {
  const { named, listed, listedAt } = arrival;
  if (isAway) {
    if (event.type === 'exists') return { ...arrival, listed: [...listed, event['peer']] };
    return { ...arrival, since: at, listedAt: event.type === 'arriveListed' ? at : null };
  }
  if (event.type === 'timer' && listedAt !== null && at - listedAt >= reply)
    return { ...arrival, since: at, named: [...(named ?? []), ...listed], listedAt: null };
  if (event.type !== 'here') return arrival;
  const { peers, isPresent } = event;
  return { ...arrival, since: at, named: isPresent ? [...(named ?? []), ...peers] : named };
}

/** A tab does not wait for those that have gone. */
const without = (gone: readonly NodeId[], { named, listed, ...arrival }: Arrival): Arrival => {
  const others = (tabs: readonly NodeId[]) => tabs.filter((tab) => !gone.includes(tab));
  return { ...arrival, named: named && others(named), listed: others(listed) };
};

/** The tabs that it has met and that have gone, and one that has ended before it was met. */
const gonePeers = (before: Known, after: Known, event: Step['event']): readonly NodeId[] => [
  ...before.peers.filter((peer) => !after.peers.includes(peer)),
  ...(event.type === 'ended' && !before.peers.includes(event['peer']) ? [event['peer']] : []),
];

/** True if a participating tab ends only on request or after `missed`, and then sends `bye`. */
function isFinal(before: string, after: string, event: string, messages: readonly string[]): boolean {
  if (!before.startsWith('there')) return true;
  const end = event === 'leave' ? 'left' : event === 'missed' ? 'missed' : null;
  return end === null ? after.startsWith('there') : after === end && messages.includes('bye');
}

function changesOf(before: Known, after: Known): string[] {
  const has = (state: string) => before.state !== state && after.state === state;
  const met = after.peers.filter((peer) => !before.peers.includes(peer));
  const gone = before.peers.filter((peer) => !after.peers.includes(peer));
  return [
    ...(has('there.present') ? ['present '] : []),
    ...(has('missed') ? ['missed '] : []),
    ...met.map((peer) => `link.up ${peer}`),
    ...gone.map((peer) => `link.down ${peer}`),
  ];
}

const textOf = (notification: TabNotification): string =>
  `${notification.type} ${'peer' in notification ? notification.peer : ''}`;
