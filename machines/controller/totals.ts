/**
 * Totals for the controller's properties, updated with each step: where all permits are, waiting requests, messages on links, and issued
 * names.
 */
import type { NodeId } from '../effects.js';
import { Multiset } from '../multiset.js';
import type { Fold, Totals } from '../folded.js';
import type { Configuration, NodeView } from '../protocol.js';
import { capacity, LOCAL_LEVEL, type Scale } from './bins.js';
import { deliveryRole, type Controller, type ControllerMessage } from './messages.js';
import type { ControllerOptions } from './options.js';
import {
  deliveryOf,
  deliveryState,
  depositsOf,
  hasRejected,
  isBroken,
  isMember,
  isWaiting,
  issuedAt,
  keptBackAt,
  mainOf,
  namesAt,
  pastOf,
  requestOf,
  requestState,
} from './view.js';

interface NodeFact {
  readonly id: NodeId;
  /** Permits of R in its bins, and collected for a current change. */
  readonly kept: number;
  /** Permits of R given to its application, minus deposits of leaves that left; and its own deposits. */
  readonly issued: number;
  readonly deposited: number;
  /** Permits gathered by a rejected request for several permits, and by a waiting one. */
  readonly keptBack: number;
  readonly gathered: number;
  /** Permits that rejected requests had gathered and the node returned when it left. */
  readonly givenBack: number;
  /** Permits of R in the root's bin, and collected for a change. */
  readonly free: number;
  readonly hasRejected: boolean;
  readonly hasSignaled: boolean;
  readonly isBroken: boolean;
  /** True if the node waits for a permit of R; and whether an event without a command is pending. */
  readonly isWaiting: boolean;
  readonly hasPending: boolean;
  /** True if a bin is neither empty nor half full. */
  readonly isMisfilled: boolean;
  /** True if the last change for lack of joins came too early or too late. */
  readonly isMisgrown: boolean;
  /** Sizes of its bins, which define the value of a permit at this node; `null` after it was severed. */
  readonly scale: Scale | null;
  /** Maximum number of its requests on the way up. */
  readonly requests: Readonly<Record<Controller, number>>;
  readonly names: readonly number[];
}

type FlightFact =
  /** Permits of R: the number in the message or, for a level, its value at the receiver. */
  | { readonly kind: 'permits'; readonly permits: number }
  | { readonly kind: 'permit'; readonly to: NodeId; readonly level: number }
  | { readonly kind: 'request'; readonly of: Controller; readonly from: NodeId }
  | { readonly kind: 'reject' }
  | { readonly kind: 'welcome'; readonly name: number }
  | { readonly kind: 'other' };

export const controllerFold: Fold<ControllerOptions, ControllerTotals, ControllerMessage> = {
  node: (view, id, { options }) => ({
    id,
    ...permitsAt(view, id === options.root),
    hasRejected: hasRejected(view),
    hasSignaled: id === options.root && deliveryState(view, 'R') === 'signaled',
    isBroken: isBroken(view),
    isWaiting: isWaiting(view, 'R'),
    hasPending: hasPending(view, options),
    isMisfilled: !binsFit(view, 'R') || !binsFit(view, 'N'),
    isMisgrown: id === options.root && !hasGrownWell(view),
    scale: requestOf(view, 'R')?.scale ?? null,
    requests: { R: requestsOf(view, 'R'), N: requestsOf(view, 'N') },
    names: namesAt(view),
  }),
  flight: ({ from, to, message: sent }): FlightFact => {
    switch (sent.type) {
      case 'permit':
        return sent.of === 'R' ? { kind: 'permit', to, level: sent.level } : { kind: 'other' };
      case 'return':
        return sent.of === 'R' ? { kind: 'permits', permits: sent.permits } : { kind: 'other' };
      case 'echo':
      case 'deposits':
        return { kind: 'permits', permits: sent.permits };
      case 'request':
        return { kind: 'request', of: sent.of, from };
      case 'reject':
        return sent.of === 'R' ? { kind: 'reject' } : { kind: 'other' };
      case 'welcome':
        return sent.name === null ? { kind: 'other' } : { kind: 'welcome', name: sent.name };
      default:
        return { kind: 'other' };
    }
  },
  totals: ({ options }) => new ControllerTotals(options),
};

function permitsAt(view: NodeView, isRoot: boolean) {
  const [request, deposits, main] = [requestOf(view, 'R'), depositsOf(view), mainOf(view)];
  const delivery = isRoot ? view[deliveryRole('R')]!.context : deliveryOf(view, 'R');
  const permits = request?.permits ?? 0;
  const inBins = permits + (delivery?.permits ?? 0) + (deposits?.local ?? 0) + (deposits?.global ?? 0);
  const collected = main?.permits ?? 0;
  return {
    kept: inBins + collected,
    issued: issuedAt(view),
    deposited: deposits?.deposited ?? 0,
    keptBack: keptBackAt(view),
    gathered: isWaiting(view, 'R') ? permits : 0,
    givenBack: pastOf(view).keptBack ?? 0,
    free: collected + (isRoot ? delivery!.permits : 0),
  };
}

/** True if the node waits for an event other than a deposit. */
export const hasPending = (view: NodeView, { kind }: ControllerOptions): boolean =>
  isWaiting(view, 'N') || (kind !== 'bank' && isWaiting(view, 'R'));

/** True if nothing has failed: no node has crashed, and no part of the tree was cut off. */
export const isWhole = ({ broken }: Pick<ControllerTotals, 'broken'>, c: () => Configuration): boolean =>
  broken === 0 && (c().everCrashed ?? []).length === 0;

/** A global bin is empty or exactly half full, a local bin of a ready node is not full. */
function binsFit(view: NodeView, of: Controller): boolean {
  const request = requestOf(view, of);
  if (!request) return true;
  if (requestState(view, of) === 'ready' && request.permits >= capacity(request.scale, LOCAL_LEVEL)) return false;
  const delivery = deliveryOf(view, of);
  if (!delivery || delivery.permits === 0) return true;
  const size = capacity(delivery.scale, delivery.level!);
  return size !== 1 && delivery.permits === size / 2;
}

function hasGrownWell(view: NodeView): boolean {
  const phase = mainOf(view)?.phase;
  if (phase?.cause !== 'N') return true;
  const grown = phase.n + phase.departed;
  return grown >= 2 * phase.previous! && grown <= 3 * phase.previous!;
}

/** One pending request, and none while the delivery process is idle. Messages of a severed node do not count. */
function requestsOf(view: NodeView, of: Controller): number {
  if (!isMember(view)) return Infinity;
  return deliveryRole(of) in view && !deliveryState(view, of).endsWith('idle') ? 1 : 0;
}

/** Messages between a node and the rest of the network. */
interface Traffic {
  scale: Scale | null;
  /** Levels of the permits on their way to it. */
  readonly levels: number[];
  readonly allowed: Record<Controller, number>;
  readonly requests: Record<Controller, number>;
}

export class ControllerTotals implements Totals<NodeFact, FlightFact> {
  issued = 0;
  keptBack = 0;
  /** Permits gathered by rejected requests at nodes that have left, and permits that are or become free for any request. */
  givenBack = 0;
  free = 0;
  /** Nodes that are cut off, or that have lost a part of the tree. */
  broken = 0;
  /** Nodes that wait for a permit of R, and the permits that they have gathered. */
  waiting = 0;
  gathered = 0;
  /** Nodes with a pending event other than a command. */
  pending = 0;
  /** Nodes with a bin that is neither empty nor half full. */
  misfilled = 0;
  /** True if the last change for lack of joins came too early or too late. */
  isMisgrown = false;
  /** Nodes with too many requests on the way up. */
  crowded = 0;
  hasSignaled = false;
  /** Nodes with a rejected request, including those that have left, and rejects in flight. */
  rejections = 0;
  readonly names = new Names();
  private elsewhere = 0;
  private flights = 0;
  private deposited = 0;
  private readonly traffic = new Map<NodeId, Traffic>();

  constructor(readonly options: ControllerOptions) {}

  /** All permits of R so far: the budget and all deposits. */
  get supply(): number {
    return this.options.M + this.deposited;
  }

  /** All permits of R that exist or were given to applications. */
  get accounted(): number {
    return this.elsewhere + this.issued;
  }

  /** Permits that were not given, except those kept for smaller requests at a node or, after it has left, at the root. */
  get waste(): number {
    return this.options.M - this.issued - this.keptBack - Math.min(this.givenBack, this.free);
  }

  get isQuiet(): boolean {
    return this.flights === 0;
  }

  node(fact: NodeFact, by: 1 | -1): void {
    this.elsewhere += by * fact.kept;
    this.issued += by * fact.issued;
    this.deposited += by * fact.deposited;
    this.keptBack += by * fact.keptBack;
    this.givenBack += by * fact.givenBack;
    this.free += by * fact.free;
    this.gathered += by * fact.gathered;
    if (fact.hasRejected) this.rejections += by;
    if (fact.hasSignaled) this.hasSignaled = by === 1;
    if (fact.isBroken) this.broken += by;
    if (fact.isWaiting) this.waiting += by;
    if (fact.hasPending) this.pending += by;
    if (fact.isMisfilled) this.misfilled += by;
    if (fact.isMisgrown) this.isMisgrown = by === 1;
    for (const name of fact.names) this.names.change(name, by);
    if (by === 1) this.meet(this.trafficOf(fact.id), fact);
  }

  flight(fact: FlightFact, by: 1 | -1): void {
    this.flights += by;
    switch (fact.kind) {
      case 'permits':
        this.elsewhere += by * fact.permits;
        this.free += by * fact.permits;
        return;
      case 'permit':
        return this.bear(this.trafficOf(fact.to), fact.level, by);
      case 'request': {
        const { requests, allowed } = this.trafficOf(fact.from);
        const before = requests[fact.of];
        requests[fact.of] += by;
        this.crowded += Number(requests[fact.of] > allowed[fact.of]) - Number(before > allowed[fact.of]);
        return;
      }
      case 'reject':
        this.rejections += by;
        return;
      case 'welcome':
        return this.names.change(fact.name, by);
      case 'other':
    }
  }

  private trafficOf(id: NodeId): Traffic {
    const known = this.traffic.get(id);
    if (known) return known;
    const fresh: Traffic = { scale: null, levels: [], allowed: { R: Infinity, N: Infinity }, requests: { R: 0, N: 0 } };
    this.traffic.set(id, fresh);
    return fresh;
  }

  private bear({ scale, levels }: Traffic, level: number, by: 1 | -1): void {
    if (by === 1) levels.push(level);
    else levels.splice(levels.indexOf(level), 1);
    this.elsewhere += by * worth(scale, level);
  }

  /** Compares the node's state with its messages in flight. */
  private meet(traffic: Traffic, { scale, requests: allowed }: NodeFact): void {
    for (const of of ['R', 'N'] as const) {
      const flying = traffic.requests[of];
      this.crowded += Number(flying > allowed[of]) - Number(flying > traffic.allowed[of]);
      traffic.allowed[of] = allowed[of];
    }
    for (const level of traffic.levels) this.elsewhere += worth(scale, level) - worth(traffic.scale, level);
    traffic.scale = scale;
  }
}

/** The receiver of a permit credits its own capacity. A severed node receives none. */
const worth = (scale: Scale | null, level: number): number => (scale === null ? 0 : capacity(scale, level));

/** Issued names, with duplicates. */
class Names {
  count = 0;
  private readonly given = new Multiset<number>();
  private top: number | undefined;

  change(name: number, by: 1 | -1): void {
    this.count += by;
    this.given.add(name, by);
    if (by === 1) this.top = this.top === undefined ? undefined : Math.max(this.top, name);
    else if (name === this.top) this.top = undefined;
  }

  /** Number of names that were issued more than once. */
  get repeated(): number {
    return this.given.repeated;
  }

  get largest(): number {
    if (this.top !== undefined) return this.top;
    let top = -Infinity;
    for (const name of this.given.keys()) top = Math.max(top, name);
    return (this.top = top);
  }
}
