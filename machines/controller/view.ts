/**
 * The controller's global state in the paper's terms: bins, requests, permits in flight. Properties and summaries use it, and at the end
 * the inspector's picture: fill levels of a node's bins, whether it waits, and the progress of a change.
 */
import { statePath } from '../checks.js';
import type { NodeId } from '../effects.js';
import type { Configuration, Flight, LinksView, NodeView, Overlay, RoleView } from '../protocol.js';
import { capacity, LOCAL_LEVEL } from './bins.js';
import type { DeliveryContext } from './delivery.js';
import type { DepositsContext } from './applications/deposits.js';
import type { MainContext, Past } from './growth/member.js';
import {
  DEPOSITS,
  deliveryRole,
  MAIN,
  NEWCOMER,
  requestRole,
  type Controller,
  type ControllerMessage,
  type Permit,
} from './messages.js';
import type { ControllerOptions } from './options.js';
import type { PipelinedContext } from './pipelined.js';
import type { RequestContext } from './request.js';
import type { RootContext } from './root.js';

export type Config = Configuration<ControllerOptions>;
export type FlightOf<M extends ControllerMessage = ControllerMessage> = Flight & { readonly message: M };

/** True for a participant: it has joined, and has neither left nor been severed. */
export const isMember = (node: NodeView): boolean => requestRole('R') in node;
export const isSevered = (node: NodeView): boolean => MAIN in node && !isMember(node);

export const mainOf = (node: NodeView): MainContext | undefined => node[MAIN]?.context;
export const mainState = (node: NodeView): string => statePath(node[MAIN]!);
export const requestOf = (node: NodeView, of: Controller): RequestContext | undefined => node[requestRole(of)]?.context;
export const requestState = (node: NodeView, of: Controller): string => statePath(node[requestRole(of)]!);
export const depositsOf = (node: NodeView): DepositsContext | undefined => node[DEPOSITS]?.context;

/** The delivery process below the root, waiting or pipelined. */
export function deliveryOf(node: NodeView, of: Controller): DeliveryContext | PipelinedContext | undefined {
  const role = node[deliveryRole(of)];
  return role && role.chart !== 'root' ? role.context : undefined;
}

/** The delivery process of a node, by its chart. The root has a different chart. */
type DeliveryProcess =
  | (RoleView<DeliveryContext> & { readonly chart: 'delivery' })
  | (RoleView<PipelinedContext> & { readonly chart: 'pipelined' })
  | (RoleView<RootContext> & { readonly chart: 'root' });

export const deliveryProcess = (node: NodeView, of: Controller): DeliveryProcess => node[deliveryRole(of)] as DeliveryProcess;

export const deliveryState = (node: NodeView, of: Controller): string => statePath(node[deliveryRole(of)]!);

export function rootBinOf(c: Config, of: Controller): RootContext {
  return c.nodes.get(c.instance.options.root)![deliveryRole(of)]!.context;
}

export const isWaiting = (node: NodeView, of: Controller): boolean => {
  const state = requestRole(of) in node ? requestState(node, of) : '';
  return state.startsWith('refilling') || state === 'held';
};

export const total = (numbers: Iterable<number>): number => {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
};

/** Permits in a message, valued by the receiver's capacity. A severed node receives none. */
export function borne({ of, level }: Permit, to: NodeView): number {
  const request = requestOf(to, of);
  return request ? capacity(request.scale, level) : 0;
}

/** Account of a node before it left or was cut off. */
export const pastOf = (node: NodeView): Past => (node[MAIN] ?? node[NEWCOMER])!.context.past;

/** True if the node was cut off, has lost a part of its subtree, or was cut off from its parent after it had returned its permits. */
export const isBroken = (node: NodeView): boolean =>
  isSevered(node) || (mainOf(node)?.lost.length ?? 0) > 0 || pastOf(node).isCut;

/** True if a request was ever rejected at this node. */
export const hasRejected = (node: NodeView): boolean =>
  requestOf(node, 'R')?.hasRejected === true || pastOf(node).keptBack !== null;

/** Permits that rejected requests have gathered here. They stay, for smaller requests. */
export function keptBackAt(node: NodeView): number {
  const request = requestOf(node, 'R');
  return request?.hasRejected ? request.permits : 0;
}

/** Permits of R given to its application, minus deposits of leaves that left. */
export const issuedAt = (node: NodeView): number => (requestOf(node, 'R')?.issued ?? 0) + pastOf(node).issued;

/** Names of a participant or severed node, and names taken by its application. */
export const namesAt = (node: NodeView): number[] => {
  const name = mainOf(node)?.name ?? null;
  return [...(name === null ? [] : [name]), ...pastOf(node).names, ...(requestOf(node, 'N')?.names ?? [])];
};

/** The nodes that have not crashed. */
export const live = (c: Config): [NodeId, NodeView][] => [...c.nodes].filter(([id]) => !c.crashed?.includes(id));

/** True if a node or link has failed and a neighbor in the tree is not notified yet, or a crashed node has restarted. */
export function isFailing(c: Config): boolean {
  const isDown = (id: NodeId): boolean => c.everCrashed?.includes(id) ?? false;
  const isCut = (one: NodeId, other: NodeId): boolean => !c.links.up(one, other) || !c.links.up(other, one);
  return live(c).some(([id, node]) => {
    const main = mainOf(node);
    if (!main || !isMember(node)) return false;
    if (isDown(id)) return true;
    const { parent, children } = main;
    const isCutOff = parent !== null && (isDown(parent) || isCut(parent, id));
    return isCutOff || children.some((child) => isDown(child) || isCut(id, child) || isSevered(c.nodes.get(child) ?? {}));
  });
}

/** The same, or a node does not know yet that its parent was cut off: the news were lost with the link, and it is notified of the link. */
export const isUnsettled = (c: Config): boolean =>
  isFailing(c) ||
  live(c).some(([, node]) => {
    const parent = isMember(node) ? mainOf(node)?.parent : null;
    return typeof parent === 'string' && isSevered(c.nodes.get(parent) ?? {});
  });

export function controllerOverlay(node: NodeView, id: NodeId, _: LinksView, c: Config): Overlay {
  const main = mainOf(node);
  if (!main) return { badge: '·', tone: 'plain' };
  if (isSevered(node)) return { badge: '×', tone: 'wrong' };
  return {
    pointers: main.parent === null ? [] : [{ to: main.parent, kind: 'parent' }],
    tone: toneOf(node),
    gauges: id === c.instance.options.root ? [...gaugesOf(node), budgetGauge(c)] : gaugesOf(node),
  };
}

type Gauge = NonNullable<Overlay['gauges']>[number];

const budgetGauge = (c: Config): Gauge => ({ name: 'budget', value: rootBinOf(c, 'R').permits, of: c.instance.options.M });

/** Fill levels of the bin of the node's own requests, and of the bin for the nodes below. */
function gaugesOf(node: NodeView): Gauge[] {
  const request = requestOf(node, 'R');
  const delivery = deliveryOf(node, 'R');
  const local = request ? [{ name: 'local bin', value: request.permits, of: capacity(request.scale, LOCAL_LEVEL) }] : [];
  if (!delivery || delivery.level === null) return local;
  return [...local, { name: 'global bin', value: delivery.permits, of: capacity(delivery.scale, delivery.level) }];
}

/** Exhaustion spreads as a wave of `wrong`; a change as a wave of `held`. */
function toneOf(node: NodeView): NonNullable<Overlay['tone']> {
  if (requestState(node, 'R') === 'exhausted') return 'wrong';
  if (mainState(node) !== 'running') return 'held';
  if (isWaiting(node, 'R') || isWaiting(node, 'N')) return 'waiting';
  return deliveryState(node, 'R').endsWith('idle') || mainOf(node)!.parent === null ? 'plain' : 'active';
}
