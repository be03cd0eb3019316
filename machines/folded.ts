/** Properties of incremental totals. For a configuration without a follower, the totals are computed from the start. */
import type { Message, NodeId } from './effects.js';
import type { ChannelState, Configuration, Flight, Instance, NodeView, Property } from './protocol.js';

/**
 * Incremental facts for properties: one fact for each node and for each message in flight, and totals of these facts.
 *
 * A fact is computed once for each state of a node or message of type `M`. Totals follow the changes of a run or a search.
 */
export interface Fold<O = unknown, T extends AnyTotals = any, M extends Message = Message> {
  /** Plain data about a node that depends only on its state. */
  node(view: NodeView, id: NodeId, instance: Instance<O>): FactsOf<T>[0];
  /**
   * Plain data about a message in flight. Read only the fields that you need: a search distinguishes messages by their sender or cost if
   * this function reads them.
   */
  flight(flight: Flight<M>, instance: Instance<O>): FactsOf<T>[1];
  /** Initial totals, without any facts. */
  totals(instance: Instance<O>): T;
  /** Totals need the messages of each channel in order. A search then recomputes all messages of a changed channel. */
  readonly isOrdered?: true;
}

/** Totals of facts about nodes and messages. Each fact is added with 1 and removed with -1. */
export interface Totals<N, F> {
  node(fact: N, by: 1 | -1): void;
  flight(fact: F, by: 1 | -1): void;
  /** Records the status of a channel: first of each existing one, then of each changed one. */
  channel?(state: ChannelState): void;
}

type AnyTotals = Totals<never, never>;

type FactsOf<T> = T extends Totals<infer N, infer F> ? readonly [N, F] : never;

/** A predicate over totals, equivalent to `holds` of the configuration. */
export interface Folded<O = unknown, T extends AnyTotals = any> {
  /** The fold of the totals. Properties with the same fold share its totals. */
  readonly over: Fold<O, T>;
  /** Judges the totals. Calls `c` for the configuration if the totals are not enough. */
  holds(totals: T, c: () => Configuration<O>): boolean;
  /** True if the predicate takes time linear in the number of nodes. In large networks it is then sampled, not evaluated at every step. */
  readonly hasLinearCost?: true;
  /** True if only a step of a node or its neighborhood can violate it; a violation then names the node. */
  readonly isLocal?: true;
}

/** Computes the totals of a configuration from the start. */
export function totalsOf<O, T extends AnyTotals>(over: Fold<O, T>, c: Configuration<O>): T {
  const { instance } = c;
  const totals = over.totals(instance);
  if (totals.channel) for (const channel of channelsOf(c)) totals.channel(channel);
  for (const [id, view] of c.nodes) totals.node(over.node(view, id, instance), 1);
  for (const flight of c.flights) totals.flight(over.flight(flight, instance), 1);
  return totals;
}

/** Status of the channels between neighbors, or with messages in flight, in both directions. */
function* channelsOf({ nodes, flights, links }: Configuration): Iterable<ChannelState> {
  const state = (from: NodeId, to: NodeId): ChannelState => ({ from, to, up: links.up(from, to), port: links.port(from, to) });
  for (const from of nodes.keys())
    for (const to of links.neighbors(from)) {
      yield state(from, to);
      yield state(to, from);
    }
  for (const { from, to } of flights) {
    yield state(from, to);
    yield state(to, from);
  }
}

const propertyOf =
  (kind: 'always' | 'sometimes') =>
  <O, T extends AnyTotals>(over: Fold<O, T>, where?: Pick<Folded, 'isLocal' | 'hasLinearCost'>) =>
  (name: string, description: string, holds: (totals: T, c: () => Configuration<O>) => boolean): Property<O> => ({
    name,
    kind,
    description,
    holds: (c) => holds(totalsOf(over, c), () => c),
    folded: { over, holds, ...where },
  });

/**
 * Defines an `always` property of totals.
 *
 * @param over the fold.
 * @param where as in `Folded`: `isLocal` if only a step near a node can violate it, `hasLinearCost` if judging takes time linear in the
 * number of nodes.
 * @returns a property for a name, a sentence, and a predicate, which may read the configuration if totals are not enough.
 */
export const always = propertyOf('always');

/** Defines a `sometimes` property of totals, with the parameters of `always`. */
export const sometimes = propertyOf('sometimes');
