/**
 * Totally ordered multicast as a system: the charts of `createMulticast` (machines/queue/applications) with their promises, under faults too.
 *
 * Two promises hold at every time, whatever a fault does to the queue: no node delivers a message before its predecessor, and none twice.
 * An exception cannot be avoided: a queue that is not legal may let two messages follow each other. The messages that are placed after the
 * repair form one chain, so they have one order everywhere. The account of a run judges this from the time that the paper bounds;
 * `withoutFaults` are the promises of a run without faults.
 *
 * Ids in arbitrary states belong to the run -1, which no node draws: an arbitrary id equals the one of a later message by chance only. They
 * are not judged.
 */
import type { NodeId } from '../../machines/effects.js';
import type {
  Choose,
  Configuration,
  Instance,
  NodeState,
  NodeView,
  Observer,
  Property,
  PropertyResult,
} from '../../machines/protocol.js';
import {
  AGAIN,
  DELIVERY,
  GAP,
  type Deliver,
  type DeliveryContext,
  type DeliveryInput,
} from '../../machines/queue/applications/delivery.js';
import { multicastCore, patienceTicks, type PlacesOptions } from '../../machines/queue/applications/core.js';
import {
  operationId,
  PATIENCE,
  PLACES,
  type Ask,
  type Follows,
  type Gone,
  type OperationId,
  type PlacesContext,
  type PlacesInput,
} from '../../machines/queue/applications/places.js';
import type { QueueFind } from '../../machines/queue/messages.js';
import { contextsOf, inFlight, onQueue } from './on-queue.js';

type Config = Configuration<any>;
type MulticastInstance = Instance<PlacesOptions>;

const deliveries = (c: Config) => contextsOf<DeliveryContext>(c, DELIVERY);
const placesOf = (node: NodeView) => node[PLACES]!;
const isPlacing = (node: NodeView): boolean => placesOf(node).value === 'placing';
const deliveryOf = (node: NodeView) =>
  node[DELIVERY]! as unknown as { readonly value: { sending: string; receiving: string }; readonly context: DeliveryContext };

/** Messages of this run and their predecessors, as far as any node or message knows them. */
function chainOf(c: Config): Map<OperationId, OperationId | null> {
  const known = deliveries(c).flatMap(({ log, held }) => [...log, ...held.map(({ id, after }) => [id, after] as const)]);
  const coming = inFlight<Deliver>(c, 'deliver').map(({ message: { id, after } }) => [id, after] as const);
  return new Map([...known, ...coming]);
}

/** True if no two messages follow the same one or nothing, and none follows itself through others: only then is there one order. */
function isOneChain(chain: ReadonlyMap<OperationId, OperationId | null>): boolean {
  return new Set(chain.values()).size === chain.size && ![...chain.keys()].some((id) => isOnCircle(chain, id));
}

function isOnCircle(chain: ReadonlyMap<OperationId, OperationId | null>, start: OperationId): boolean {
  const seen = new Set<OperationId>();
  for (let id = chain.get(start); id != null && !seen.has(id); id = chain.get(id)) {
    if (id === start) return true;
    seen.add(id);
  }
  return false;
}

/** Run of the ids in arbitrary states. */
const STALE_RUN = -1;
const stale = (node: NodeId): OperationId => operationId(node, STALE_RUN, 1);
const isStale = (id: OperationId): boolean => id.includes(`#${STALE_RUN}.`);

/** The delivered messages that some node has sent, in their order. */
const logIn = ({ log }: DeliveryContext) => log.filter(([id]) => !isStale(id));
const orderIn = (context: DeliveryContext): readonly OperationId[] => logIn(context).map(([id]) => id);

/** True if both orders contain their common messages in the same order. */
function agree(a: readonly OperationId[], b: readonly OperationId[]): boolean {
  const common = a.filter((id) => b.includes(id));
  return b.filter((id) => a.includes(id)).every((id, i) => common[i] === id);
}

const allAgree = (orders: readonly (readonly OperationId[])[]): boolean =>
  orders.every((a, i) => orders.slice(i + 1).every((b) => agree(a, b)));

export const multicastProperties: readonly Property<PlacesOptions>[] = [
  {
    name: 'no message comes before its predecessor',
    kind: 'always',
    description:
      'A node delivers a message after its predecessor, unless a fault of the queue has made messages follow each other in a circle.',
    holds: (c) => {
      const chain = chainOf(c);
      return deliveries(c)
        .map(logIn)
        .every((log) =>
          log.every(([id, after], i) => !log.slice(i).some((later) => later[0] === after) || isOnCircle(chain, id)),
        );
    },
  },
  {
    name: 'a message is delivered once',
    kind: 'always',
    description: 'No node delivers a message twice.',
    holds: (c) =>
      deliveries(c)
        .map(orderIn)
        .every((order) => new Set(order).size === order.length),
  },
  {
    name: 'one order',
    kind: 'always',
    description: 'As long as the predecessors form one chain, all nodes deliver their common messages in the same order.',
    holds: (c) => !isOneChain(chainOf(c)) || allAgree(deliveries(c).map(orderIn)),
  },
  {
    name: 'every message gets a place',
    kind: 'eventually',
    description: 'A node does not wait forever for the place of its message.',
    when: (c, node) => deliveryOf(c.nodes.get(node)!).value.sending === 'placing',
    holds: (c, node) => deliveryOf(c.nodes.get(node)!).value.sending !== 'placing',
  },
  {
    name: 'no message waits forever',
    kind: 'eventually',
    description: 'A node delivers all messages that it holds.',
    when: (c, node) => deliveryOf(c.nodes.get(node)!).context.held.length > 0,
    holds: (c, node) => deliveryOf(c.nodes.get(node)!).context.held.length === 0,
  },
];

/** True if a node has not delivered everything that some node has delivered. */
function isBehind(c: Config, node: NodeId): boolean {
  const log = orderIn(deliveryOf(c.nodes.get(node)!).context);
  return deliveries(c)
    .flatMap(orderIn)
    .some((id) => !log.includes(id));
}

/** Delivery to all, in every run in which no message in flight is lost. */
export const deliveredEverywhere: Property<PlacesOptions> = {
  name: 'every message is delivered everywhere',
  kind: 'eventually',
  description: 'All nodes deliver every message that one of them delivers.',
  when: isBehind,
  holds: (c, node) => !isBehind(c, node),
};

/** Further promises of a run without faults. */
export const withoutFaults: readonly Property<PlacesOptions>[] = [
  {
    name: 'one chain',
    kind: 'always',
    description: 'No two messages follow the same message or nothing, and none follows itself.',
    holds: (c) => isOneChain(chainOf(c)),
  },
  deliveredEverywhere,
];

/** Judges the messages that are placed after the repair: all nodes deliver each of them once, in one order. */
class MulticastAccount implements Observer {
  private lastFault: number | null = null;
  private promised: { readonly id: OperationId; readonly at: number }[] = [];
  private last: Config | null = null;

  constructor(private readonly instance: MulticastInstance) {}

  record({ kind, node, at }: Parameters<Observer['record']>[0], c: Config): void {
    this.last = c;
    if (kind === 'corrupt' || kind === 'crash' || kind === 'restart' || kind === 'link') this.fault(at);
    else if (kind === 'command' && this.isRepaired(at)) {
      const view = c.nodes.get(node)!;
      const { run, count } = placesOf(view).context as PlacesContext;
      this.promised.push({ id: operationId(node, run, count), at });
    }
  }

  disturbed(at: number): void {
    this.fault(at);
  }

  private fault(at: number): void {
    this.lastFault = at;
    this.promised = [];
  }

  private isRepaired(at: number): boolean {
    return this.lastFault === null || at >= this.lastFault + patienceTicks(this.instance);
  }

  summary(c: Config) {
    return {
      order: deliveries(c)
        .map(orderIn)
        .reduce((a, b) => (b.length > a.length ? b : a)),
      promised: this.promised.length,
    };
  }

  meters() {
    return [];
  }

  properties(): PropertyResult[] {
    const name = 'after the repair, all nodes deliver every message in one order';
    if (!this.last || this.promised.length === 0 || !isSettled(this.last)) return [{ name, kind: 'always', holds: null }];
    const promised = new Set(this.promised.map(({ id }) => id));
    const orders = deliveries(this.last).map((one) => orderIn(one).filter((id) => promised.has(id)));
    return [{ name, kind: 'always', holds: orders.every((order) => order.length === promised.size) && allAgree(orders) }];
  }
}

/** True if no message waits for its place or its predecessor. */
const isSettled = (c: Config): boolean =>
  [...c.nodes.values()].every((node) => !isPlacing(node) && isQuiet(deliveryOf(node))) && inFlight(c, 'deliver').length === 0;
const isQuiet = ({ value: { sending }, context: { held } }: ReturnType<typeof deliveryOf>): boolean =>
  sending === 'idle' && held.length === 0;

/**
 * The meaning of the timers without time. A request is given up when neither it nor its answer is in transit. An answer to a question comes
 * before the next question. A message without a place is placed again only if its node places none.
 */
function mayFire(c: Config, node: NodeId, role: string, timer: string): boolean {
  if (role === PLACES) {
    const isOnItsWay = inFlight<QueueFind>(c, 'find').some(({ message }) => message.origin === node);
    return !isOnItsWay && !inFlight<Follows>(c, 'follows').some(({ to }) => to === node);
  }
  if (timer === AGAIN) return !isPlacing(c.nodes.get(node)!);
  const isAsking = inFlight<Ask>(c, 'ask').some(({ from }) => from === node);
  return !isAsking && !inFlight<Gone>(c, 'gone').some(({ to }) => to === node);
}

const pick = <T>(choose: Choose, of: readonly T[]): T => of[choose(of.length)]!;

/** Any state of the two charts that their invariants allow. The log begins again. */
function arbitraryNode(node: NodeId, instance: MulticastInstance, choose: Choose): NodeState {
  const [places, delivery] = [PLACES, DELIVERY].map((role) =>
    multicastCore.roles(node, instance).find((one) => one.role === role)!,
  );
  const input = places!.input as PlacesInput;
  const run = choose(instance.options.runs);
  const value = pick(choose, ['ready', 'placing']);
  const context: PlacesContext = { ...input, run, count: value === 'placing' ? 1 : choose(2) };
  const arbitrary = arbitraryDelivery(delivery!.input as DeliveryInput, instance, choose);
  const timers = [
    ...(value === 'placing' ? [{ role: PLACES, timer: PATIENCE, delay: choose(2) * input.patience }] : []),
    ...(arbitrary.value.sending === 'placing' ? [{ role: DELIVERY, timer: AGAIN, delay: arbitrary.context.again }] : []),
    ...(arbitrary.value.receiving === 'behind' ? [{ role: DELIVERY, timer: GAP, delay: arbitrary.context.gap }] : []),
  ];
  return { roles: { [PLACES]: { chart: PLACES, value, context }, [DELIVERY]: { chart: DELIVERY, ...arbitrary } }, timers };
}

function arbitraryDelivery(input: DeliveryInput, { topology: { nodes } }: MulticastInstance, choose: Choose) {
  const sending = pick(choose, ['idle', 'placing']);
  const last = pick(choose, [null, ...nodes.map(stale)]);
  const after = pick(choose, [null, ...nodes.map(stale).filter((id) => id !== last)]);
  // A message without a predecessor would have been delivered.
  const held = after === null ? [] : [{ id: stale(input.node), after, message: null, isNext: false }];
  const value = { sending, receiving: held.length > 0 ? 'behind' : 'current' };
  return { value, context: { ...input, own: null, last, held, log: [] } satisfies DeliveryContext };
}

/** At most one message of the application. */
function arbitraryChannel(from: NodeId, to: NodeId, _: MulticastInstance, choose: Choose) {
  return pick<readonly (Follows | Deliver | Ask | Gone)[]>(choose, [
    [],
    [{ type: 'follows', after: stale(from) }],
    [{ type: 'deliver', id: stale(from), after: stale(to), message: null }],
    [{ type: 'ask', ids: [stale(to)] }],
    [{ type: 'gone', ids: [stale(from)] }],
  ]);
}

/** Totally ordered multicast. Command: `multicast`. */
export const multicast = onQueue<PlacesOptions>({
  core: multicastCore,
  properties: () => multicastProperties,
  observe: (instance) => new MulticastAccount(instance),
  corruption: { isSurvived: true, node: arbitraryNode, channel: arbitraryChannel },
  mayFire,
  isAtRest: isSettled,
});
