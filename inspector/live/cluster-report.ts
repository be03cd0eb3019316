/**
 * Reports of one process's part of a cluster: the member as a node, and each actor that it hosts as a node with the chart of the user's
 * machine. Steps appear once they are durable.
 *
 * An actor has one name, whichever member reports it. Its reports contain host and fence, from which the merger finds moves (hosts.ts).
 */
import type { AnyMachineSnapshot } from 'xstate';
import { isObject } from '../../machines/checks.js';
import type { NodeId } from '../../machines/effects.js';
import type { ActorStep, ClusterObservation, ClusterObserver, HostedActor } from '../../network/cluster-observation.js';
import { selectedIn } from '../../network/world/selected-in.js';
import type { Selected } from '../../network/world/selections.js';
import { plainChart, viewOf } from './actors.js';
import { harmless } from './harmless.js';
import { plainEvent } from './plain.js';
import { now, type PeerReport, type StepReport } from './report.js';

/** The part of a cluster from `createCluster` that an inspector needs. */
export interface InspectableCluster {
  readonly hosted: readonly string[];
  readonly ready: Promise<unknown>;
  observe(observer: ClusterObserver): () => void;
}

export const isCluster = (what: unknown): what is InspectableCluster =>
  isObject(what) && typeof what['observe'] === 'function' && 'hosted' in what;

type Report = StepReport | PeerReport;

/** Reports a cluster from now on, until the returned function is called. `isNamed`: other nodes on the page may have the same ids. */
export function reportCluster(cluster: InspectableCluster, report: (report: Report) => void, isNamed = false): () => void {
  const reporter = new ClusterReporter(report, isNamed);
  return cluster.observe(harmless((observation) => reporter.hear(observation)));
}

/** Milliseconds. Reports of one turn keep their order. */
const INSTANT = 0.001;

class ClusterReporter {
  private member: Extract<ClusterObservation, { type: 'member' }> | null = null;
  /** For each actor that is hosted here: the fence and the last reported state. */
  private readonly hosted = new Map<NodeId, { readonly fence: number; snapshot: AnyMachineSnapshot }>();
  private readonly charts = new Set<string>();
  private last = 0;

  constructor(
    private readonly report: (report: Report) => void,
    private readonly isNamed: boolean,
  ) {}

  hear(observation: ClusterObservation): void {
    switch (observation.type) {
      case 'member':
        this.begin(observation);
        break;
      case 'link': {
        const { change, peer } = observation;
        this.report({ at: this.instant(), node: this.self, kind: 'peer', observation: { type: change, peer: this.peer(peer) } });
        break;
      }
      case 'version':
        this.version(observation);
        break;
      case 'stopped':
        this.stopped(observation.actor);
        break;
      case 'closed':
        this.say({ node: this.self, kind: 'crash', event: { type: 'closed' }, roles: {} });
        break;
    }
  }

  private begin(member: Extract<ClusterObservation, { type: 'member' }>): void {
    this.member = member;
    const { id, members } = member;
    const value = members.includes(id) ? 'member' : 'client';
    this.say({
      node: this.self,
      kind: 'start',
      event: { type: 'start' },
      roles: { cluster: { chart: 'cluster', value, context: {} } },
      links: members.filter((other) => other !== id).map((other) => this.peer(other)),
      logic: value,
    });
  }

  private version({ actor, steps, snapshot }: Extract<ClusterObservation, { type: 'version' }>): void {
    const name = this.nameOf(actor);
    const known = this.hosted.get(name);
    const isNew = known?.fence !== actor.fence;
    // The restored or initial state comes first.
    const [first, ...rest] = isNew && steps[0]?.event.type === 'xstate.init' ? steps : [null, ...steps];
    const hosted = isNew ? { fence: actor.fence, snapshot: first?.snapshot ?? snapshot } : known;
    this.hosted.set(name, hosted);
    if (isNew) this.activated(actor, hosted.snapshot);
    for (const step of rest) {
      this.step(actor, hosted.snapshot, step!);
      hosted.snapshot = step!.snapshot;
    }
  }

  private activated(actor: HostedActor, snapshot: AnyMachineSnapshot): void {
    const { kind, machine } = actor;
    const isKnown = this.charts.has(kind);
    this.charts.add(kind);
    this.say({
      ...this.placeOf(actor),
      kind: 'start',
      event: { type: 'start' },
      roles: { [kind]: viewOf(kind, snapshot) },
      logic: 'machine',
      group: kind,
      ...(!isKnown && { charts: { [kind]: plainChart(machine) } }),
    });
  }

  private step(actor: HostedActor, before: AnyMachineSnapshot, { event, from, microsteps, snapshot }: ActorStep): void {
    const { kind } = actor;
    const message = plainEvent(event);
    this.say({
      ...this.placeOf(actor),
      ...(from === null
        ? { kind: event.type.startsWith('xstate.after.') ? 'timer' : 'command', event: message }
        : { kind: 'deliver', event: message, from: this.peer(from), message, isUnprompted: true }),
      role: kind,
      roles: { [kind]: viewOf(kind, snapshot) },
      selected: selectedBy(microsteps, kind, before),
    });
  }

  private stopped(actor: HostedActor): void {
    if (!this.hosted.delete(this.nameOf(actor))) return;
    const { node, hosting } = this.placeOf(actor);
    this.say({ node, kind: 'note', event: { type: 'stopped' }, roles: {}, hosting: { ...hosting, host: null } });
  }

  private say(report: Omit<StepReport, 'at' | 'sent' | 'emitted'>): void {
    this.report({ at: this.instant(), sent: [], emitted: [], ...report });
  }

  private placeOf(actor: HostedActor) {
    return { node: this.nameOf(actor), hosting: { host: this.self, fence: actor.fence } };
  }

  private get self(): NodeId {
    return this.peer(this.member!.id);
  }

  private peer(id: NodeId): NodeId {
    return this.isNamed ? `${id} ${this.member!.name}` : id;
  }

  private nameOf({ kind, id }: HostedActor): NodeId {
    return this.isNamed ? `${this.member!.name}/${kind}/${id}` : `${kind}/${id}`;
  }

  private instant(): number {
    return (this.last = Math.max(now(), this.last + INSTANT));
  }
}

function selectedBy(microsteps: ActorStep['microsteps'], role: string, start: AnyMachineSnapshot): Selected {
  let before = start;
  const all = microsteps.map((microstep) => {
    const selected = selectedIn(microstep, role, before);
    before = microstep.snapshot as AnyMachineSnapshot;
    return selected;
  });
  return { taken: all.flatMap(({ taken }) => taken), refused: all.flatMap(({ refused }) => refused) };
}
