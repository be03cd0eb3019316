/**
 * Properties of a run and not of a state: leaders stay in office unless there is a reason.
 *
 * S (Theorem 2 as corrected): in a network at rest, leader-oriented and with symmetric neighbors, one link is lost. With perfect clocks, no
 * node that still has a way to the leader elects itself. D5, with any clock: no district leader resigns, and a node becomes one only if no
 * leader in office is within the radius. L3: after the last change no node elects itself twice.
 */
import type { NodeId } from '../effects.js';
import { leadsLevel } from '../hierarchy/view.js';
import type { Configuration, PropertyResult, Instance, Step } from '../protocol.js';
import { hopsNow } from './graph.js';
import { isLeaderChange } from './messages.js';
import type { ElectionProtocolOptions } from './options.js';
import { isOriented, isSymmetric, leaderOf } from './view.js';

/** Maximum number of nodes: the test for rest visits all messages in flight. */
const NODES_MAX = 200;

/** Leaders in office when the network was last at rest. */
interface Rest {
  readonly leaders: ReadonlyMap<NodeId, NodeId>;
  /** Incumbents of each level. */
  readonly incumbents: readonly ReadonlySet<NodeId>[];
}

export class Stability {
  private rest: Rest | null = null;
  /** The single link that was lost since then. */
  private lost: ReadonlySet<NodeId> | null = null;
  private losses = 0;
  private needless = false;
  private unstable = false;
  private electedSinceChange = new Map<NodeId, number>();
  private readonly watches: boolean;

  constructor(private readonly instance: Instance<ElectionProtocolOptions>) {
    this.watches = instance.topology.nodes.length <= NODES_MAX;
    if (this.watches) this.rest = this.atStart();
  }

  record(step: Step, c: Configuration): void {
    const elects = step.emitted.some((notification) => isLeaderChange(notification) && notification.leader === step.node);
    if (step.kind === 'link') {
      this.electedSinceChange.clear();
      if (this.watches) this.change(step);
    }
    if (elects) this.electedSinceChange.set(step.node, (this.electedSinceChange.get(step.node) ?? 0) + 1);
    if (!this.watches) return;
    if (this.rest && this.lost) this.judge(step.node, elects, this.rest, c);
    const isSettled = this.rest !== null && this.lost === null;
    if (!isSettled && step.sent.length === 0 && c.flights.length === 0) this.settle(c);
  }

  private change({ node, event }: Step): void {
    const link = new Set<NodeId>([node, event['peer']]);
    const isOther = this.lost !== null && [...link].some((end) => !this.lost!.has(end));
    if (event.type === 'link.up' || isOther) this.rest = null;
    else if (this.rest && !this.lost) {
      this.lost = link;
      this.losses++;
    }
  }

  private judge(node: NodeId, elects: boolean, { leaders, incumbents }: Rest, c: Configuration): void {
    const leader = leaders.get(node)!;
    // An isolated leader takes a new stamp (erratum 20); it stays the same leader.
    if (elects && leader !== node && reached(node, c).includes(leader)) this.needless = true;
    this.instance.options.levels.forEach(({ radius }, i) => {
      const before = incumbents[i]!;
      const leads = leadsLevel(c.nodes.get(node)!, i + 1);
      if (before.has(node)) this.unstable ||= !leads;
      else this.unstable ||= leads && reached(node, c, radius).some((near) => before.has(near));
    });
  }

  private settle(c: Configuration): void {
    this.lost = null;
    this.rest = isSymmetric(c) && isOriented(c) ? officesOf(c, this.instance) : null;
  }

  private atStart(): Rest {
    const { start, levels } = this.instance.options;
    const all = Object.entries(start);
    return {
      leaders: new Map(all.map(([node, { leader }]) => [node, leader])),
      incumbents: levels.map((_, i) => new Set(all.filter(([id, { levels }]) => levels[i]!.member[1] === id).map(([id]) => id))),
    };
  }

  results(): PropertyResult[] {
    const { clock, levels } = this.instance.options;
    const judged = (holds: boolean) => (this.losses > 0 ? holds : null);
    const once = [...this.electedSinceChange.values()].every((count) => count <= 1);
    const always = 'always' as const;
    return [
      ...(clock === 'perfect'
        ? [
            { name: 'S: no needless election', kind: always, holds: judged(!this.needless) },
            { name: 'L3: no node is elected twice', kind: always, holds: once },
          ]
        : []),
      ...(levels.length > 0 ? [{ name: 'D5: districts are stable', kind: always, holds: judged(!this.unstable) }] : []),
    ];
  }
}

const reached = (node: NodeId, c: Configuration, within?: number): NodeId[] => [...hopsNow(node, c.links, within).keys()];

function officesOf(c: Configuration, { options }: Instance<ElectionProtocolOptions>): Rest {
  return {
    leaders: new Map([...c.nodes].map(([id, node]) => [id, leaderOf(node)])),
    incumbents: options.levels.map(
      (_, i) => new Set([...c.nodes].filter(([, node]) => leadsLevel(node, i + 1)).map(([id]) => id)),
    ),
  };
}
