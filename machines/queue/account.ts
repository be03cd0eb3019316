/**
 * Reports a run of the queue: the order of requests, the time to stabilize compared with 3R + tau, and properties that need history (spec
 * 2.5).
 */
import type { NodeId } from '../effects.js';
import type { Configuration, Flight, Meter, Observer, PropertyResult, Instance, Step } from '../protocol.js';
import { isSilent } from '../tree/silent.js';
import { stabilizationRoundTrips } from './bounds.js';
import { EdgeLedger, isFaultStep, type EdgeChange } from './ledger.js';
import { TREE, type Dropped, type Queued } from './messages.js';
import type { QueueOptions } from './options.js';
import { Requests } from './requests.js';
import { edgeAbove, edgesOf, isFind, look, edgeName, pointerIn } from './view.js';

export class QueueAccount implements Observer {
  private readonly ledger = new EdgeLedger();
  private readonly requests = new Requests();
  private lastFault = 0;
  private lastTreeChange = 0;
  /** Time since which every edge has been fully legal. */
  private legalSince: number | null = null;
  private phiChangedWrongly = false;
  private repairedLegal = false;
  private heededOutside = false;
  /** Number of edges of a tree that spans all components; computed again after a change of links. */
  private spanning: number | null = null;

  private last: Configuration | null = null;

  constructor(private readonly instance: Instance<QueueOptions>) {}

  record(step: Step<Queued | Dropped>, c: Configuration<QueueOptions>): void {
    this.last = c;
    const pointerBefore = this.ledger.pointerBefore(step.node);
    if (this.ledger.isFromOutside(step) && isHeeded(step)) this.heededOutside = true;
    const changes = this.ledger.record(step, c);
    if (isFaultStep(step.kind)) {
      this.fault(step.at);
      if (step.kind === 'link') this.spanning = null;
    } else {
      const turned = pointerBefore !== undefined && pointerBefore !== pointerIn(c.nodes.get(step.node)!)?.pointer;
      this.watch(step, changes, turned);
    }
    if (step.kind === 'command' && step.event.type === 'request') this.requests.request(step.node);
    for (const emitted of step.emitted) {
      if (emitted.type === 'queued') this.requests.queued(emitted, step.kind === 'command');
      if (emitted.type === 'dropped') this.requests.dropped(emitted.requester);
    }
    this.followLegality(step, c);
  }

  disturbed(at: number, flight: Flight | null): void {
    this.fault(at);
    if (flight) this.ledger.disturb(flight);
  }

  /** Restarts all promises, also if each part after a cut is legal at once. */
  private fault(at: number): void {
    this.lastFault = at;
    this.setLegalSince(null);
  }

  /** φ changes only at the parent, by a returning observer or a dropped find (Lemmas 6.1 to 6.3), and never on a legal edge. */
  private watch({ at, node, event, emitted, sent, kind }: Step, changes: readonly EdgeChange[], turned: boolean): void {
    for (const { before, after, disturbed } of changes) {
      if (disturbed) continue;
      if (before === null || after === null || before.edge[0] !== after.edge[0]) {
        if (kind !== 'start') this.lastTreeChange = at;
      } else if (before.phi !== after.phi) {
        const [parent, child] = after.edge;
        const isParents = parent === node && event['from'] === child;
        const by = after.phi - before.phi;
        const isDrop = event.type === 'find' && by === -1 && emitted.some(({ type }) => type === 'dropped');
        const isCorrection = event.type === 'obsr' && Math.abs(by) === 1;
        if (!isParents || !(isDrop || isCorrection)) this.phiChangedWrongly = true;
      }
    }
    if (this.legalSince === null || kind !== 'deliver') return;
    const sentFind = sent.some(({ to, message }) => message.type === 'find' && to === event['from']);
    const corrects = event.type === 'obsr' && (turned || sentFind);
    if (corrects || (event.type === 'find' && sentFind)) this.repairedLegal = true;
  }

  private followLegality({ at }: Step, c: Configuration<QueueOptions>): void {
    const legal = this.ledger.allFullyLegal && this.spans(this.ledger.size, c);
    if (legal !== (this.legalSince !== null)) this.setLegalSince(legal ? at : null);
    if (legal && !this.requests.isWindowOpen && hasSettled(c)) this.requests.openWindow(c);
  }

  private setLegalSince(at: number | null): void {
    this.legalSince = at;
    if (at === null) this.requests.closeWindow();
  }

  /** True if the tree has this number of edges. A fixed tree cannot change. */
  private spans(edges: number, c: Configuration): boolean {
    return this.instance.options.tree === 'fixed' || edges === (this.spanning ??= c.nodes.size - components(c));
  }

  summary(c: Configuration) {
    const edges = edgesOf(c);
    return {
      order: this.requests.order,
      phi: Object.fromEntries(edges.map((edge) => [edgeName(edge), look(c, edge).phi])),
      legal: this.spans(edges.length, c) && edges.every((edge) => look(c, edge).phi === 1),
      stabilizedAtRoundTrips: this.roundTripsSince(this.lastFault),
    };
  }

  /** `null` if some edge is not fully legal at the end. */
  private roundTripsSince(start: number): number | null {
    return this.legalSince === null ? null : Math.max(0, this.legalSince - start) / this.instance.options.roundTrip;
  }

  meters(): Meter[] {
    const measured = this.roundTripsSince(Math.max(this.lastFault, this.lastTreeChange));
    const bound = stabilizationRoundTrips(this.instance.options);
    return measured === null ? [] : [{ name: 'stabilizationRoundTrips', measured, bound, ratio: measured / bound }];
  }

  properties(): PropertyResult[] {
    const isOneOnItsWay = this.last?.flights.some(isFind) ?? false;
    return [
      { name: 'phi changes only at the parent', kind: 'always', holds: !this.phiChangedWrongly },
      { name: 'nothing is repaired once all is fully legal', kind: 'always', holds: !this.repairedLegal },
      { name: 'messages from outside of the tree are dropped', kind: 'always', holds: !this.heededOutside },
      {
        name: 'each request is queued once, behind its own predecessor',
        kind: 'always',
        holds: this.requests.queuedOnce(isOneOnItsWay),
      },
    ];
  }
}

/** True if a request was queued, forwarded or answered. */
const isHeeded = ({ sent, emitted }: Step): boolean => sent.length > 0 || emitted.some(({ type }) => type === 'queued');

/** True if nothing of an earlier tree is left: all nodes know the current one, and all finds are on it. */
function hasSettled(c: Configuration<QueueOptions>): boolean {
  const isOnTree = ({ from, to }: Flight): boolean => edgeAbove(c, to)?.[0] === from || edgeAbove(c, from)?.[0] === to;
  return (c.instance.options.tree === 'fixed' || isSilent(c, TREE)) && c.flights.filter(isFind).every(isOnTree);
}

/** Number of components of the links that are up in both directions. */
function components(c: Configuration): number {
  const seen = new Set<NodeId>();
  let parts = 0;
  for (const start of c.nodes.keys()) {
    if (seen.has(start)) continue;
    parts++;
    const stack = [start];
    seen.add(start);
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      for (const peer of c.links.neighbors(node)) {
        if (seen.has(peer) || !c.links.up(peer, node)) continue;
        seen.add(peer);
        stack.push(peer);
      }
    }
  }
  return parts;
}
