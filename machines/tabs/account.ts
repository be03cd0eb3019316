/** Compares each notification of a tab with the tabs that it knows and with whether it participates. */
import { statePath } from '../checks.js';
import type { NodeId } from '../effects.js';
import type { Configuration, NodeView, Observer, PropertyResult, Step } from '../protocol.js';
import type { TabsOptions } from './core.js';
import type { Here, TabNotification } from './messages.js';
import { tabOf } from './view.js';

interface Known {
  readonly state: string;
  readonly peers: readonly NodeId[];
}

/** The progress of an arriving tab. */
interface Arrival {
  /** The time of its arrival or of the last reply. */
  readonly since: number;
  /** The tabs that present tabs have named; `null` before the first present tab has replied. */
  readonly named: readonly NodeId[] | null;
}

/** Judges notifications, endings and arrivals of tabs. */
export class TabsAccount implements Observer {
  private readonly known = new Map<NodeId, Known>();
  private readonly arrivals = new Map<NodeId, Arrival>();
  private isAnnounced = true;
  private isFinal = true;
  private isAwaited = true;

  constructor(private readonly options: TabsOptions) {}

  record(step: Step<TabNotification>, c: Configuration): void {
    const { kind, node, event, emitted, sent } = step;
    const before = this.known.get(node) ?? AWAY;
    const after = knownBy(c.nodes.get(node)!);
    this.known.set(node, after);
    // A restarted process knows no tabs and has not sent notifications; a tab that has left no longer counts others.
    if (!isOwn.has(kind) || before.state === 'left' || before.state === 'missed') return;
    if (!this.arrives(step, before, after)) this.isAwaited = false;
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
    const arrival = answered(before.state === 'away' ? undefined : this.arrivals.get(node), at, event);
    this.arrivals.set(node, arrival);
    const hasMetAll = arrival.named?.every((peer) => peer === node || after.peers.includes(peer)) === true;
    const hasWaited = event.type === 'timer' && at - arrival.since >= this.options.answer * this.options.beat;
    if (after.state === 'there.present') return hasMetAll || hasWaited;
    return after.state !== 'there.arriving' || !hasMetAll;
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
    ];
  }
}

/** The state before the first step. */
const AWAY: Known = { state: 'away', peers: [] };

const isOwn: ReadonlySet<Step['kind']> = new Set(['deliver', 'timer', 'command'] as const);

const knownBy = (node: NodeView): Known => ({ state: statePath(tabOf(node)), peers: tabOf(node).context.peers });

function answered(arrival: Arrival | undefined, at: number, event: Step['event']): Arrival {
  if (!arrival) return { since: at, named: null };
  if (event.type !== 'here') return arrival;
  const { peers, isPresent } = event as Here;
  return { since: at, named: isPresent ? [...(arrival.named ?? []), ...peers] : arrival.named };
}

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
