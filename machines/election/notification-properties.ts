/** Properties of the election's notifications: each one that the application receives names the leader that the node follows. */
import type { NodeId } from '../effects.js';
import { levelOf } from '../hierarchy/view.js';
import type { Configuration, NodeView, PropertyResult, Step } from '../protocol.js';
import type { DistrictChange, LeaderChange } from './messages.js';
import { electionContext } from './view.js';

interface Followed {
  readonly leader: NodeId;
  readonly term: number;
  readonly districts: readonly NodeId[];
}

/** Checks that a step emits a notification for each change of the leader, its term or a district, and no other. */
export class ElectionNotificationProperties {
  private readonly followed = new Map<NodeId, Followed>();
  private areNotified = true;

  constructor(private readonly levels: number) {}

  record({ kind, node, emitted }: Step<LeaderChange | DistrictChange>, c: Configuration): void {
    const before = this.followed.get(node);
    const after = followedBy(c.nodes.get(node)!, this.levels);
    this.followed.set(node, after);
    // A start emits no notification, and a corruption is not a step of the node.
    if (!before || kind === 'start' || kind === 'corrupt') return;
    const notified = emitted.map(textOf).sort();
    if (notified.join() !== changesOf(before, after).toSorted().join()) this.areNotified = false;
  }

  results(): PropertyResult[] {
    return [{ name: 'leaders and districts are notified', kind: 'always', holds: this.areNotified }];
  }
}

function followedBy(node: NodeView, levels: number): Followed {
  const { lid, nlts } = electionContext(node).height;
  const districts = Array.from({ length: levels }, (_, i) => levelOf(node, i + 1).member[1]);
  return { leader: lid[1], term: 0 - nlts, districts };
}

function changesOf(before: Followed, { leader, term, districts }: Followed): readonly string[] {
  const isSame = before.leader === leader && before.term === term;
  const changed = districts.map((leader, i) => textOf({ type: 'district', level: i + 1, leader }));
  return [
    ...(isSame ? [] : [textOf({ type: 'leader', leader, term })]),
    ...changed.filter((_, i) => before.districts[i] !== districts[i]),
  ];
}

function textOf(change: LeaderChange | DistrictChange): string {
  const which = change.type === 'leader' ? `of term ${change.term}` : `of level ${change.level}`;
  return `${change.leader} ${which}`;
}
