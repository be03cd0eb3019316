/**
 * Arbitrary but well-typed states of the controller. Bins may hold anything up to their capacity, the root's anything up to M. Requests may
 * be pending without a requester, answers missing, and requests and answers on links. Participants and their parents follow the given tree,
 * without a current change. The paper promises nothing after a corruption: docs/controller.md describes what recovers.
 */
import type { NodeId } from '../effects.js';
import type { Choose, Corruption, Instance, NodeState, RoleView } from '../protocol.js';
import type { DepositsContext, DepositsInput } from './applications/deposits.js';
import { capacity, levelAt, LOCAL_LEVEL } from './bins.js';
import { rolesOf } from './core.js';
import { memberContext } from './growth/member.js';
import type { DeliveryContext, DeliveryInput } from './delivery.js';
import type { ControllerMessage, Reply } from './messages.js';
import type { ControllerOptions } from './options.js';
import type { PipelinedContext } from './pipelined.js';
import type { RequestContext, RequestInput } from './request.js';
import type { RootContext, RootInput } from './root.js';

type ControllerInstance = Instance<ControllerOptions>;

export const controllerCorruption: Corruption<ControllerOptions> = {
  isSurvived: false,
  node: arbitraryNode,
  channel: arbitraryChannel,
};

function arbitraryNode(id: NodeId, instance: ControllerInstance, choose: Choose): NodeState {
  const starts = rolesOf(id, instance);
  const roles = starts.map((start) => [start.role, arbitraryRole(start, id, instance, choose)] as const);
  return { roles: Object.fromEntries(roles), timers: [] };
}

function arbitraryRole(
  start: ReturnType<typeof rolesOf>[number],
  id: NodeId,
  instance: ControllerInstance,
  choose: Choose,
): RoleView {
  const { chart } = start;
  switch (start.chart) {
    case 'request':
      return { chart, ...arbitraryRequest(start.input, choose) };
    case 'delivery':
      return { chart, ...arbitraryDelivery(start.input, instance.options.children[id] ?? [], choose) };
    case 'pipelined':
      return { chart, ...arbitraryPipelined(start.input, choose) };
    case 'root':
      return { chart, ...arbitraryRoot(start.input, instance, choose) };
    case 'deposits':
      return { chart, ...arbitraryDeposits(start.input, choose) };
    case 'main':
      return { chart, value: 'running', context: memberContext(start.input) };
    default:
      return { chart, value: 'outside', context: start.input };
  }
}

type Arbitrary<C> = Pick<RoleView<C>, 'value' | 'context'>;

function arbitraryRequest(input: RequestInput, choose: Choose): Arbitrary<RequestContext> {
  const value = (['ready', { refilling: 'open' }, 'exhausted'] as const)[choose(3)]!;
  const permits = choose(capacity(input.scale, LOCAL_LEVEL) + 1);
  const wanted = typeof value === 'string' ? null : ({ purpose: input.of === 'R' ? 'take' : 'child', amount: 1 } as const);
  return {
    value,
    context: { ...input, permits, first: null, wanted, issued: choose(2), names: [], hasRejected: value === 'exhausted' },
  };
}

function arbitraryDelivery(input: DeliveryInput, children: readonly NodeId[], choose: Choose): Arbitrary<DeliveryContext> {
  const { id, level, scale } = input;
  const states = ['idle', 'relaying', ...(level === null ? [] : ['refilling'])] as const;
  const state = states[choose(states.length)]!;
  const bin = state === 'refilling' ? 'stocked' : (['stocked', 'exhausted', 'dry'] as const)[choose(3)]!;
  const links = [id, ...children];
  const current =
    state === 'idle'
      ? null
      : { level: state === 'refilling' ? level! - 1 : otherThan(level), link: links[choose(links.length)]! };
  const permits = bin === 'stocked' && state !== 'refilling' && level !== null ? choose(capacity(scale, level) + 1) : 0;
  return { value: { [bin]: state }, context: { ...input, permits, first: null, queue: [], current } };
}

/** The level of a bin that a bin of this level does not supervise. */
const otherThan = (level: number | null): number => (level === 0 ? 0 : LOCAL_LEVEL);

function arbitraryPipelined(input: DeliveryInput, choose: Choose): Arbitrary<PipelinedContext> {
  const value = (['stocked', 'exhausted', 'dry'] as const)[choose(3)]!;
  const permits = value === 'stocked' && input.level !== null ? choose(capacity(input.scale, input.level) + 1) : 0;
  return { value, context: { ...input, permits, pending: [], awaiting: {} } };
}

const UNSERVED = { reject: 'rejecting', defer: 'deferring', park: 'parking', end: 'ending' } as const;

function arbitraryRoot(input: RootInput, { options }: ControllerInstance, choose: Choose): Arbitrary<RootContext> {
  const value = input.unserved === 'reject' && choose(2) === 1 ? 'signaled' : UNSERVED[input.unserved];
  return { value, context: { ...input, permits: choose(options.M + 1), parked: [] } };
}

function arbitraryDeposits(input: DepositsInput, choose: Choose): Arbitrary<DepositsContext> {
  const local = choose(capacity(input.scale, LOCAL_LEVEL) + 1);
  const global = input.level === null ? 0 : choose(capacity(input.scale, input.level) + 1);
  return { value: 'open', context: { ...input, local, global, deposited: choose(2) } };
}

/** Requests on the way up, answers on the way down; no messages outside of the tree. */
function arbitraryChannel(from: NodeId, to: NodeId, { options }: ControllerInstance, choose: Choose): ControllerMessage[] {
  const { parents, depths } = options;
  const isUp = parents[from] === to;
  if (!isUp && parents[to] !== from) return [];
  const of = 'R';
  const levels = 'flat' in options.terms.R ? 1 : levelAt(depths[isUp ? from : to]!) + 2;
  if (isUp) return choose(2) === 0 ? [] : [{ type: 'request', of, level: LOCAL_LEVEL + choose(levels) }];
  const kind = choose(3);
  if (kind === 0) return [];
  const level = LOCAL_LEVEL + choose(levels);
  const answer: Reply = kind === 1 ? { type: 'permit', of, level, first: null } : { type: 'reject', of, level };
  return [answer];
}
