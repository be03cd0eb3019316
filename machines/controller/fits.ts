/**
 * Invariants of a single node of the controller, true at every point of a run: its roles, bins and requests are consistent with each other.
 */
import { statePath } from '../checks.js';
import type { NodeId } from '../effects.js';
import type { NodeView } from '../protocol.js';
import { capacity, LOCAL_LEVEL, type Scale } from './bins.js';
import { deliveryRole, DEPOSITS, MAIN, NEWCOMER, requestRole, type Controller, type Settings, type Terms } from './messages.js';
import {
  deliveryOf,
  deliveryProcess,
  deliveryState,
  depositsOf,
  isMember,
  isWaiting,
  mainOf,
  mainState,
  requestOf,
  requestState,
} from './view.js';

const controllers = ['R', 'N'] as const;

const controllersOf = ({ parts }: Settings): readonly Controller[] => controllers.filter((of) => parts.includes(of));

/** States in which a node takes part in a change. */
const CHANGING: readonly string[] = ['collecting', 'settling', 'echoed'];

export const isChanging = (view: NodeView): boolean => CHANGING.includes(mainState(view));

/** A participant has all its roles, a newcomer has only those of a newcomer, and a severed node only its main role. */
export function hasItsRoles(view: NodeView, { parts }: Settings): boolean {
  const roles = Object.keys(view);
  if (!(MAIN in view)) return roles.length === 1 && roles[0] === NEWCOMER;
  if (!isMember(view)) return roles.length === 1 && mainState(view) === 'severed';
  const due = parts.flatMap((part) => (part === DEPOSITS ? [DEPOSITS] : [requestRole(part), deliveryRole(part)]));
  const isThere = mainState(view) === 'running' || isChanging(view);
  return isThere && roles.length === due.length + 1 && due.every((role) => role in view);
}

/** All bins that may be refilled have the sizes of the node's terms. If the terms are exhausted, no bin may be refilled. */
export function followsItsTerms(view: NodeView, settings: Settings): boolean {
  if (!isMember(view)) return true;
  const { terms } = mainOf(view)!;
  const deposits = depositsOf(view);
  if (deposits && !isSameScale(deposits.scale, terms.R)) return false;
  if (!controllersOf(settings).every((of) => scalesOf(view, of).every((scale) => isSameScale(scale, terms[of])))) return false;
  const bin = deliveryState(view, 'R');
  return terms.alive || (requestState(view, 'R') === 'exhausted' && (bin.startsWith('exhausted') || bin === 'signaled'));
}

/** A rejected process makes no further request: its local bin keeps its size. */
function scalesOf(view: NodeView, of: Controller): readonly Scale[] {
  const bin: { readonly scale: Scale } = view[deliveryRole(of)]!.context;
  return requestState(view, of) === 'exhausted' ? [bin.scale] : [bin.scale, requestOf(view, of)!.scale];
}

/** During a change, requests of applications are held; after it, none is. A node that has echoed has no pending request. */
export function holdsWhatIsAsked(view: NodeView, settings: Settings): boolean {
  if (!isMember(view)) return true;
  const isFrozen = isChanging(view);
  const deposits = !settings.parts.includes(DEPOSITS) || (statePath(view[DEPOSITS]!) === 'frozen') === isFrozen;
  const bins = !isFrozen || deliveryState(view, 'R') !== 'parking';
  if (!deposits || !bins || !controllersOf(settings).every((of) => isHeld(requestState(view, of), isFrozen))) return false;
  return (
    mainState(view) !== 'echoed' || settings.echo === 'premature' || controllersOf(settings).every((of) => isQuiet(view, of))
  );
}

/** No request at this node is pending, so given permits have arrived (E16). */
const isQuiet = (view: NodeView, of: Controller): boolean => isIdle(view, of) && !requestState(view, of).startsWith('refilling');

function isHeld(state: string, isFrozen: boolean): boolean {
  if (state === 'exhausted' || state === 'held') return true;
  return (state === 'frozen' || state === 'refilling.frozen') === isFrozen;
}

/** No bin of either controller has a negative number of permits. */
export function isNotOverdrawn(view: NodeView): boolean {
  const { local = 0, global = 0 } = depositsOf(view) ?? {};
  const bins = controllers.flatMap((of) => [requestOf(view, of)?.permits ?? 0, view[deliveryRole(of)]?.context.permits ?? 0]);
  return [...bins, local, global].every((permits) => permits >= 0);
}

/** A full deposit bin has emptied itself, except during a change. */
export function hasPassedOn(view: NodeView): boolean {
  const deposits = depositsOf(view);
  if (!deposits || statePath(view[DEPOSITS]!) === 'frozen') return true;
  const { local, global, level, scale } = deposits;
  return local < capacity(scale, LOCAL_LEVEL) && (level === null || global < capacity(scale, level));
}

/**
 * While the node waits for an answer, its own request is exactly once in its delivery process, and its bin holds too little; otherwise the
 * request is not there.
 */
export function isServedOnce(view: NodeView, id: NodeId, settings: Settings): boolean {
  if (!isMember(view)) return true;
  return controllersOf(settings).every((of) => {
    const isAsking = isWaiting(view, of) && requestState(view, of) !== 'held';
    const isServed = linksServed(view, of).filter((link) => link === id).length === Number(isAsking);
    const { permits, wanted } = requestOf(view, of)!;
    return isServed && (!isAsking || permits < (wanted?.amount ?? 0));
  });
}

/** Nodes whose requests a process keeps; the node itself for its local bin. */
function linksServed(view: NodeView, of: Controller): readonly NodeId[] {
  const { chart, context } = deliveryProcess(view, of);
  if (chart === 'root') return context.parked.map(({ link }) => link);
  if (chart === 'pipelined') return [...context.pending, ...(context.awaiting[LOCAL_LEVEL] ?? [])];
  const { queue, current } = context;
  return [...queue.map(({ link }) => link), ...(isIdle(view, of) || !current ? [] : [current.link])];
}

/** True if a delivery process is idle: no request waits for an answer to its own request. */
export function isIdle(view: NodeView, of: Controller): boolean {
  const { chart, context } = deliveryProcess(view, of);
  if (chart === 'root') return context.parked.length === 0;
  if (chart === 'delivery') return deliveryState(view, of).endsWith('idle') && context.queue.length === 0;
  return context.pending.length === 0 && Object.values(context.awaiting).every((links) => links.length === 0);
}

/** True if an event without a command is pending: an answer to a forwarded request, or the progress of a change. */
export const isBusy = (view: NodeView, settings: Settings, isBank: boolean): boolean =>
  isMember(view) && (isChanging(view) || controllersOf(settings).some((of) => !(isBank && of === 'R') && !isIdle(view, of)));

/** Requests of a delivery process on the way up. */
export interface Demand {
  /** Level of its global bin; `null` without one. */
  readonly level: number | null;
  /** The level of its pending requests; `any` for several, `none` without requests. */
  readonly asks: number | 'any' | 'none';
}

/** A process that waits for one answer requests its own refill, or forwards a request; other processes may have sent requests earlier. */
export function demandOf(view: NodeView, of: Controller): Demand {
  const delivery = deliveryOf(view, of);
  if (!delivery) return { level: null, asks: isMember(view) ? 'none' : 'any' };
  const { level } = delivery;
  if (!('current' in delivery)) return { level, asks: 'any' };
  const state = deliveryState(view, of);
  if (state.endsWith('refilling')) return { level, asks: level ?? 'none' };
  return { level, asks: state.endsWith('relaying') ? (delivery.current?.level ?? 'none') : 'none' };
}

/** True if a node sends a request or a deposit of this level up: a bin of the next level would have kept it. */
export function sendsUp({ level, asks }: Demand, sent: number, isDeposit: boolean): boolean {
  if (level !== null && level === sent + 1) return false;
  return isDeposit || asks === 'any' || asks === sent;
}

const isSameScale = (one: Scale, other: Scale): boolean =>
  'flat' in one ? 'flat' in other && one.flat === other.flat : !('flat' in other) && one.exponent === other.exponent;

/** True if the node has a name exactly if participants are named. */
export const isNamed = (view: NodeView, areNamed: boolean): boolean =>
  !isMember(view) || (mainOf(view)!.name !== null) === areNamed;

export const areSameTerms = (one: Terms, other: Terms): boolean =>
  isSameScale(one.R, other.R) && isSameScale(one.N, other.N) && one.alive === other.alive;
