/** Promises about totals, each written once: of a configuration that nobody has followed the facts are added up anew. */
import type { Configuration, Fold, Property, Totals } from './protocol.js';

/** The totals of a configuration. */
export function totalsOf<O, T extends Totals<any, any>>(over: Fold<O, T>, c: Configuration<O>): T {
  const { instance } = c;
  const totals = over.totals(instance);
  for (const [id, view] of c.nodes) totals.node(over.node(view, id, instance), 1);
  for (const flight of c.flights) totals.flight(over.flight(flight, instance), 1);
  return totals;
}

/**
 * Says `always` of totals.
 *
 * @param over what is added up.
 * @returns a property for a name, a sentence, and a judgement, which may look at the configuration where totals do not tell.
 */
export const always =
  <O, T extends Totals<any, any>>(over: Fold<O, T>) =>
  (name: string, says: string, holds: (totals: T, c: () => Configuration<O>) => boolean): Property<O> => ({
    name,
    kind: 'always',
    says,
    holds: (c) => holds(totalsOf(over, c), () => c),
    folded: { over, holds },
  });
