/**
 * Properties of single steps of the controller: notifications of a node to its application, rejected requests, and the results of a change.
 */
import type { NodeId } from '../effects.js';
import type { Configuration, NodeView, PropertyResult, Step } from '../protocol.js';
import { LOCAL_LEVEL } from './bins.js';
import { hasItsRoles } from './fits.js';
import { areNamed } from './fitting.js';
import type { MainNotification } from './growth/member.js';
import { MAIN, NEWCOMER, type Controller, type Reply } from './messages.js';
import type { ControllerOptions } from './options.js';
import type { RequestNotification } from './request.js';
import {
  deliveryOf,
  deliveryState,
  depositsOf,
  isMember,
  isSevered,
  isWaiting,
  mainOf,
  mainState,
  deliveryProcess,
  requestOf,
  requestState,
  total,
} from './view.js';

export type ControllerNotification =
  | RequestNotification
  | MainNotification
  | { readonly type: 'exhausted' }
  | { readonly type: 'deposited'; readonly amount: number };

/** Notifications that answer requests, by controller. */
const ANSWERS: Readonly<Record<Controller, readonly ControllerNotification['type'][]>> = {
  R: ['granted', 'rejected'],
  N: ['permitted', 'named'],
};

/**
 * Properties that depend on the step and not only on the state after it.
 *
 * - Each request is answered once, according to the account (C4).
 * - Each other notification has its cause in the same step.
 * - A rejected bin is not refilled before the next terms, and rejects only requests of the nodes that it supervises.
 * - A change finds the true number of participants, and whether the resource is exhausted.
 *
 * The first step of a run is not judged, because the state before it is unknown. After a restart or a corruption of a node nothing is
 * promised, and checking stops.
 */
export class ControllerStepProperties {
  private readonly before = new Map<NodeId, NodeView>();
  /** Unanswered requests of applications: an amount, or for joins and names the kind of request. */
  private readonly asked = new Map<string, number | string>();
  private areNotified = true;
  private isRefused = true;
  private isFound = true;
  private isPromised = true;

  constructor(private readonly options: ControllerOptions) {}

  record(step: Step<ControllerNotification>, c: Configuration): void {
    const { node, kind, event } = step;
    const view = c.nodes.get(node);
    if (kind === 'corrupt' || kind === 'restart' || kind === 'reload') this.isPromised = false;
    // Another promise covers a node whose roles do not fit its place.
    if (!this.isPromised || !view || !hasItsRoles(view, this.options.settings)) return;
    // Nodes without a step are in their initial state.
    if (this.before.size === 0) for (const [id, other] of c.nodes) if (id !== node) this.before.set(id, other);
    const before = this.before.get(node);
    this.before.set(node, view);
    this.areNotified &&= this.areAnswered(step, view);
    if (!before || kind === 'crash') return;
    this.areNotified &&= this.isAsItCame({ before, after: view, step });
    this.isFound &&= isAsFound({ before, after: view, step }, c);
    this.isRefused &&= areRefusedAsInstructed(event, before, view) && isSupervisor({ before, after: view, step }, this.options);
  }

  /** Each request is answered once, with the fields of the request. A node that has left owes no answer. */
  private areAnswered({ node, kind, event, emitted }: Step<ControllerNotification>, view: NodeView): boolean {
    const wanted = kind === 'command' ? wantedBy(event) : null;
    if (wanted) this.asked.set(keyOf(node, wanted.of), wanted.what);
    return (['R', 'N'] as const).every((of) => {
      const key = keyOf(node, of);
      const answers = emitted.filter(({ type }) => ANSWERS[of].includes(type));
      const asked = this.asked.get(key);
      if (answers.length > 1 || (answers.length === 1 && whatOf(answers[0]!) !== asked)) return false;
      if (answers.length === 1 || !isMember(view)) this.asked.delete(key);
      return !isMember(view) || this.asked.has(key) === isWaiting(view, of);
    });
  }

  private isAsItCame(change: Change): boolean {
    return isAccounted(change) && isFamily(change, areNamed(this.options)) && isPlace(change) && isEnd(change, this.options);
  }

  results(): PropertyResult[] {
    const holds = (kept: boolean) => (kept ? (this.isPromised ? true : null) : false);
    return [
      { name: 'answers are notified', kind: 'always', holds: holds(this.areNotified) },
      { name: 'refusals keep to their bins', kind: 'always', holds: holds(this.isRefused) },
      { name: 'a change finds the true counts', kind: 'always', holds: holds(this.isFound) },
    ];
  }
}

/** A step of a node, with its state before and after. */
interface Change {
  readonly before: NodeView;
  readonly after: NodeView;
  readonly step: Step<ControllerNotification>;
}

const notificationsOf = <T extends ControllerNotification['type']>({ step: { emitted } }: Change, type: T) =>
  emitted.filter((notification): notification is Extract<ControllerNotification, { type: T }> => notification.type === type);

const commanded = ({ step: { kind, event } }: Change, type: string): boolean => kind === 'command' && event.type === type;

/** Grants and deposits are in the node's account. Nodes outside of the tree emit no notifications. */
function isAccounted(change: Change): boolean {
  const sum = (type: 'granted' | 'deposited') => notificationsOf(change, type).reduce((total, { amount }) => total + amount, 0);
  const due = isMember(change.before) && commanded(change, 'deposit') ? change.step.event['amount'] : 0;
  return given(change.after) - given(change.before) === sum('granted') - sum('deposited') && sum('deposited') === due;
}

/** A joining node becomes a new child, and each permitted join adds one child. */
function isFamily(change: Change, areNamed: boolean): boolean {
  const known = mainOf(change.before)?.children;
  const born = (mainOf(change.after)?.children ?? []).filter((child) => !known?.includes(child));
  const joined = notificationsOf(change, 'joined');
  if (notificationsOf(change, 'permitted').length !== joined.length) return false;
  return joined.map(({ child }) => child).join() === born.join() && joined.every(({ name }) => (name !== null) === areNamed);
}

/** A leaf leaves on request, and its last message follows its permits. A node cut off from the root reports the loss of its subtree. */
function isPlace(change: Change): boolean {
  const { before, after, step } = change;
  const isLeaving = commanded(change, 'depart');
  const hasLeft = MAIN in before && NEWCOMER in after;
  const isCut = isSevered(after) && !isSevered(before);
  const lost = notificationsOf(change, 'severed').map(({ permits }) => permits);
  return (
    hasLeft === (isLeaving && mayLeave(before)) &&
    (!hasLeft || step.sent.at(-1)?.message.type === 'leave') &&
    notificationsOf(change, 'left').length === Number(hasLeft) &&
    notificationsOf(change, 'stayed').length === Number(isLeaving && !hasLeft) &&
    isCut === (isMember(before) && cutsOff(step.event, mainOf(before)!.parent)) &&
    lost.join() === (isCut ? `${heldBy(before)}` : '')
  );
}

/** The resource is exhausted once. The printed rule reports it at the end of every phase. */
function isEnd(change: Change, options: ControllerOptions): boolean {
  const { before, after, step } = change;
  const ends = hasSignaled(after, step.node, options) && !hasSignaled(before, step.node, options);
  return options.phase?.rule === 'printed' || notificationsOf(change, 'exhausted').length === Number(ends);
}

/**
 * When a change is complete, all participants have reported to the root and hold their requests. Its count includes them and the names that
 * their applications took. Its terms are exhausted exactly if the root was notified of it (E14). Failed nodes are not counted reliably.
 */
function isAsFound({ before, after, step: { node } }: Change, c: Configuration): boolean {
  const [was, is] = [before, after].map((view) => mainOf(view)?.phase);
  if (!is || is === was || [...c.nodes.values()].some((view) => isSevered(view) || hasLost(view))) return true;
  const members = [...c.nodes].filter(([, view]) => isMember(view));
  // The root continues with held requests within the same step; their results did not exist yet.
  const named = members.map(([id, view]) => requestOf(id === node ? before : view, 'N')!.names.length);
  const hasEnded = deliveryState(is.late ? after : before, 'R') === 'signaled';
  return is.n === members.length + total(named) && is.alive !== hasEnded;
}

const hasLost = (view: NodeView): boolean => (mainOf(view)?.lost.length ?? 0) > 0;

const keyOf = (node: NodeId, of: Controller): string => `${of} ${node}`;

function wantedBy(event: Step['event']): { readonly of: Controller; readonly what: number | string } | null {
  if (event.type === 'take') return { of: 'R', what: event['amount'] };
  return event.type === 'child' || event.type === 'name' ? { of: 'N', what: event.type } : null;
}

/** The request that a notification answers. A malformed name answers none. */
function whatOf(notification: ControllerNotification): number | string | undefined {
  if (notification.type === 'granted' || notification.type === 'rejected') return notification.amount;
  if (notification.type === 'named') return notification.name === null ? undefined : 'name';
  return 'child';
}

/** Permits given to the application, minus its deposits. */
const given = (view: NodeView): number =>
  (requestOf(view, 'R')?.issued ?? 0) + (view[MAIN] ?? view[NEWCOMER])!.context.past.issued - (depositsOf(view)?.deposited ?? 0);

/** Permits of R that the node keeps, including those collected for a change. */
function heldBy(view: NodeView): number {
  const { local = 0, global = 0 } = depositsOf(view) ?? {};
  const bins = requestOf(view, 'R')!.permits + deliveryOf(view, 'R')!.permits;
  return bins + local + global + mainOf(view)!.permits;
}

const hasSignaled = (view: NodeView, id: NodeId, { root }: ControllerOptions): boolean =>
  id === root && deliveryState(view, 'R') === 'signaled';

/** A leaf without a name, outside of a change and without a pending request. */
function mayLeave(view: NodeView): boolean {
  const { parent, children, lost, name } = mainOf(view)!;
  const isFree = mainState(view) === 'running' && !isWaiting(view, 'R') && !isWaiting(view, 'N');
  return isFree && parent !== null && children.length + lost.length === 0 && name === null;
}

/** True if the event cuts the node off from the root. */
const cutsOff = ({ type, peer, from }: Step['event'], parent: NodeId | null): boolean =>
  parent !== null && ((type === 'link.down' && peer === parent) || (type === 'severed' && from === parent));

/**
 * A reject of the node's own refill leaves a bin exhausted and a deferral empty. A forwarded reject changes neither before the next terms.
 */
function areRefusedAsInstructed(event: Step['event'], before: NodeView, after: NodeView): boolean {
  return (['R', 'N'] as const).every((of) => {
    if (!deliveryOf(before, of) || !deliveryOf(after, of) || event.type === 'epoch') return true;
    const refused = event['of'] === of && isOwnAnswer(event as Reply, before, of) ? event.type : '';
    const [was, is] = [before, after].map((view) => deliveryState(view, of).split('.')[0]);
    if (was !== 'stocked') return is === was;
    if (refused === 'reject') return is === 'exhausted';
    return is === (refused === 'defer' ? 'dry' : 'stocked');
  });
}

/** A node rejects requests supervised by its own bin, or forwards a reject. Other requests belong to the bins above. */
function isSupervisor({ before, step }: Change, { root }: ControllerOptions): boolean {
  const { node, event, sent, emitted, kind } = step;
  if (node === root) return true;
  const refusals = sent.map(({ message }) => message as Reply).filter(({ type }) => type === 'reject' || type === 'defer');
  const isOwn = ({ of, level }: Pick<Reply, 'of' | 'level'>) => deliveryOf(before, of)?.level === level + 1;
  const isPassedOn = ({ type, of, level }: Reply) => event.type === type && event['of'] === of && event['level'] === level;
  const rejectsItself = kind === 'command' && emitted.some(({ type }) => type === 'rejected');
  const isSpent = rejectsItself ? requestState(before, 'R') === 'exhausted' || isOwn({ of: 'R', level: LOCAL_LEVEL }) : true;
  return isSpent && refusals.every((refusal) => isOwn(refusal) || isPassedOn(refusal));
}

/** True for an answer to the request of the process's own bin. */
function isOwnAnswer({ level }: Reply, view: NodeView, of: Controller): boolean {
  const { chart, context } = deliveryProcess(view, of);
  if (chart !== 'pipelined') return deliveryState(view, of) === 'stocked.refilling';
  const { awaiting, id, level: own } = context;
  return own !== null && level === own && awaiting[own]?.[0] === id;
}
