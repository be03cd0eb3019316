/** Promises about totals, each written once: of a configuration that nobody has followed the facts are added up again. */
import type { NodeId } from './effects.js';
import type { ChannelState, Configuration, Fold, Folded, Property, Totals } from './protocol.js';

/** The totals of a configuration. */
export function totalsOf<O, T extends Totals<any, any>>(over: Fold<O, T>, c: Configuration<O>): T {
  const { instance } = c;
  const totals = over.totals(instance);
  if (totals.channel) for (const channel of channelsOf(c)) totals.channel(channel);
  for (const [id, view] of c.nodes) totals.node(over.node(view, id, instance), 1);
  for (const flight of c.flights) totals.flight(over.flight(flight, instance), 1);
  return totals;
}

/** How the channels stand over which nodes are neighbors or something is on its way, in both directions. */
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

const saying =
  (kind: 'always' | 'sometimes') =>
  <O, T extends Totals<any, any>>(over: Fold<O, T>, where?: Pick<Folded, 'isLocal' | 'hasLinearCost'>) =>
  (name: string, description: string, holds: (totals: T, c: () => Configuration<O>) => boolean): Property<O> => ({
    name,
    kind,
    description,
    holds: (c) => holds(totalsOf(over, c), () => c),
    folded: { over, holds, ...where },
  });

/**
 * Says `always` of totals.
 *
 * @param over what is added up.
 * @param where as in `Folded`: `isLocal` where only a step around a node can break it, `hasLinearCost` where judging takes as long as the
 * network is large.
 * @returns a property for a name, a sentence, and a judgment, which may look at the configuration where totals do not tell.
 */
export const always = saying('always');

/** Says `sometimes` of totals, as `always` does. */
export const sometimes = saying('sometimes');
