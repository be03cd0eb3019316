/** Counts the nodes and messages of a network that violate the invariants of `fits.ts` and `places.ts`, updated with each step of a run. */
import type { NodeId } from '../effects.js';
import type { Fold, Totals } from '../folded.js';
import type { NodeView } from '../protocol.js';
import {
  followsItsTerms,
  hasPassedOn,
  hasItsRoles,
  holdsWhatIsAsked,
  isBusy,
  isNamed,
  isNotOverdrawn,
  isServedOnce,
  demandOf,
  type Demand,
  sendsUp,
} from './fits.js';
import type { Controller, ControllerMessage } from './messages.js';
import type { ControllerOptions } from './options.js';
import { placeOf, TreePlaces, type Place, PLACING, type Word } from './places.js';
import { isBroken } from './view.js';

/** Rules that a node can break by itself. */
const OWN = ['terms', 'freeze', 'bins', 'deposits', 'served', 'name'] as const;
type Own = (typeof OWN)[number];

interface NodeFact {
  readonly id: NodeId;
  readonly broken: readonly (Own | 'roles')[];
  readonly isBusy: boolean;
  /** True if the node was cut off, or has lost a part of its subtree. */
  readonly isCut: boolean;
  readonly process: Readonly<Record<Controller, Demand>>;
  readonly place: Place | null;
}

/** A request or a deposit on its way up to a bin. */
interface Up {
  readonly of: Controller;
  readonly level: number;
  readonly from: NodeId;
  readonly isDeposit: boolean;
}

interface FlightFact {
  readonly up: Up | null;
  readonly word: Word | null;
  /** True if the node welcomes a child without a name although names are used, or with a name although they are not. */
  readonly isMisnamed: boolean;
}

/** True if joining nodes receive names. */
export const areNamed = ({ phase }: ControllerOptions): boolean => phase !== null && phase.base !== null;

function brokenBy(view: NodeView, id: NodeId, options: ControllerOptions): Own[] {
  const { settings } = options;
  const kept: Readonly<Record<Own, boolean>> = {
    terms: followsItsTerms(view, settings),
    freeze: holdsWhatIsAsked(view, settings),
    bins: isNotOverdrawn(view),
    deposits: hasPassedOn(view),
    served: isServedOnce(view, id, settings),
    name: isNamed(view, areNamed(options)),
  };
  return OWN.filter((one) => !kept[one]);
}

const ANYTHING: Demand = { level: null, asks: 'any' };
const STRANGE = { broken: ['roles'], isBusy: false, isCut: false, process: { R: ANYTHING, N: ANYTHING }, place: null } as const;

export const fittingFold: Fold<ControllerOptions, Fitting, ControllerMessage> = {
  node: (view, id, { options }) => {
    // A node whose roles do not fit its place is not judged further.
    if (!hasItsRoles(view, options.settings)) return { ...STRANGE, id };
    return {
      id,
      broken: brokenBy(view, id, options),
      isBusy: isBusy(view, options.settings, options.kind === 'bank'),
      isCut: isBroken(view),
      process: { R: demandOf(view, 'R'), N: demandOf(view, 'N') },
      place: placeOf(view, id),
    };
  },
  flight: ({ from, to, message: sent }, { options }): FlightFact => {
    const type = PLACING.find((one) => one === sent.type);
    return {
      up: upOf(sent, from),
      word: type ? { type, from, to } : null,
      isMisnamed: sent.type === 'welcome' && (sent.name !== null) !== areNamed(options),
    };
  },
  totals: () => new Fitting(),
};

function upOf(message: ControllerMessage, from: NodeId): Up | null {
  if (message.type === 'request') return { of: message.of, level: message.level, from, isDeposit: false };
  return message.type === 'deposits' ? { of: 'R', level: message.level, from, isDeposit: true } : null;
}

/** Messages of a node on the way up. */
interface Traffic {
  readonly up: Up[];
  process: NodeFact['process'] | null;
  misfits: number;
}

export class Fitting implements Totals<NodeFact, FlightFact> {
  /** Number of nodes that break each rule about a single node. */
  readonly own: Record<Own | 'roles', number> = { roles: 0, terms: 0, freeze: 0, bins: 0, deposits: 0, served: 0, name: 0 };
  /** Nodes with a pending event other than a command. */
  busy = 0;
  /** Nodes that are cut off, or that have lost a part of the tree. */
  broken = 0;
  /** Messages on the way up that belong to another bin, or that no bin has requested. */
  astray = 0;
  /** Welcomes without a name although nodes are named, or with one although they are not. */
  misnamed = 0;
  readonly places = new TreePlaces();
  private flights = 0;
  private readonly traffic = new Map<NodeId, Traffic>();

  get isQuiet(): boolean {
    return this.flights === 0;
  }

  node(fact: NodeFact, by: 1 | -1): void {
    for (const one of fact.broken) this.own[one] += by;
    if (fact.isBusy) this.busy += by;
    if (fact.isCut) this.broken += by;
    this.places.node(fact.id, fact.place, by);
    if (by === -1) return;
    const traffic = this.trafficOf(fact.id);
    traffic.process = fact.process;
    this.recount(traffic);
  }

  flight({ up, word, isMisnamed }: FlightFact, by: 1 | -1): void {
    this.flights += by;
    if (word) this.places.word(word, by);
    if (isMisnamed) this.misnamed += by;
    if (!up) return;
    const traffic = this.trafficOf(up.from);
    const at = traffic.up.findIndex((one) => isSame(one, up));
    if (by === 1) traffic.up.push(up);
    else traffic.up.splice(at, 1);
    this.recount(traffic);
  }

  private trafficOf(id: NodeId): Traffic {
    const known = this.traffic.get(id);
    if (known) return known;
    const fresh: Traffic = { up: [], process: null, misfits: 0 };
    this.traffic.set(id, fresh);
    return fresh;
  }

  private recount(traffic: Traffic): void {
    const { up, process } = traffic;
    const misfits = process ? up.filter(({ of, level, isDeposit }) => !sendsUp(process[of], level, isDeposit)).length : 0;
    this.astray += misfits - traffic.misfits;
    traffic.misfits = misfits;
  }
}

const isSame = (one: Up, other: Up): boolean =>
  one.of === other.of && one.level === other.level && one.isDeposit === other.isDeposit;
