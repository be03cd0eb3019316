/** Costs and result of an election run: the summary and meters of its report. */
import type { NodeId } from '../effects.js';
import { levelMeters } from '../hierarchy/properties.js';
import { levelOf } from '../hierarchy/view.js';
import type { Configuration, Meter, Observer, PropertyResult, Instance, Step, NodeView } from '../protocol.js';
import { componentsOf, diameterOf } from './graph.js';
import { isLeaderChange, type DistrictChange, type LeaderChange } from './messages.js';
import type { ElectionProtocolOptions } from './options.js';
import { Stability } from './stability.js';
import { ElectionStepProperties } from './step-properties.js';
import { adjacency, electionContext, isOriented, leaderOf } from './view.js';

/** Maximum number of nodes for diameter and dominating set, which consider every pair of nodes. */
const PAIRS_MAX = 500;

export class ElectionAccount implements Observer {
  private updates = 0;
  private elections = 0;
  /** Time of the last link change, and of the last change of a leader. */
  private lastChangeAt = 0;
  private lastLeaderAt = 0;
  private readonly stability: Stability;
  private readonly notifications: ElectionNotificationProperties;
  private readonly steps: ElectionStepProperties;

  constructor(private readonly instance: Instance<ElectionProtocolOptions>) {
    this.stability = new Stability(instance);
    this.notifications = new ElectionNotificationProperties(instance.options.levels.length);
    this.steps = new ElectionStepProperties(instance.options);
  }

  record(step: Step<LeaderChange | DistrictChange>, c: Configuration): void {
    this.updates += step.sent.length;
    if (step.kind === 'link') this.lastChangeAt = step.at;
    for (const notification of step.emitted) {
      if (!isLeaderChange(notification)) continue;
      this.lastLeaderAt = step.at;
      if (notification.leader === step.node) this.elections++;
    }
    this.stability.record(step, c);
    this.notifications.record(step, c);
    this.steps.record(step, c);
  }

  summary(c: Configuration) {
    const { levels } = this.instance.options;
    const perNode = <T>(of: (id: NodeId) => T) => Object.fromEntries([...c.nodes.keys()].map((id) => [id, of(id)]));
    return {
      leaders: perNode((id) => leaderOf(c.nodes.get(id)!)),
      heights: perNode((id) => {
        const { tau, oid, r, delta, nlts, lid } = electionContext(c.nodes.get(id)!).height;
        return [tau, oid ? oid[1] : 0, r, delta, nlts, lid[1], id];
      }),
      oriented: isOriented(c),
      elections: this.elections,
      updates: this.updates,
      districts: levels.map((_, i) => perNode((id) => levelOf(c.nodes.get(id)!, i + 1).member[1])),
    };
  }

  meters(c: Configuration): Meter[] {
    const nodes = c.nodes.size;
    const meters = [plain('updates', this.updates), plain('updates per node', this.updates / nodes)];
    const ticks = Math.max(0, this.lastLeaderAt - this.lastChangeAt);
    meters.push(plain('ticks from the last change to the last change of a leader', ticks));
    if (nodes > PAIRS_MAX) return meters;
    const graph = adjacency(c);
    const components = componentsOf(graph);
    const diameter = Math.max(...components.map((component) => diameterOf(component, graph)));
    if (diameter > 0) meters.push(plain('the same, in diameters', ticks / diameter));
    return [...meters, ...this.instance.options.levels.flatMap((rule, i) => levelMeters(i + 1, rule, components, graph, c))];
  }

  properties(): PropertyResult[] {
    return [...this.stability.results(), ...this.notifications.results(), ...this.steps.results()];
  }
}

const plain = (name: string, measured: number): Meter => ({ name, measured, bound: null, ratio: null });

interface Followed {
  readonly leader: NodeId;
  readonly term: number;
  readonly districts: readonly NodeId[];
}

/** Checks that a step emits a notification for each change of the leader, its term or a district, and no other. */
class ElectionNotificationProperties {
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
