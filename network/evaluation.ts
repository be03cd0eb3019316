/**
 * Evaluates properties during a run: checks that their predicates return true or false, and updates the totals that some of them use
 * (`Fold`).
 */
import type { NodeId } from '../machines/effects.js';
import type { Fold, Totals } from '../machines/folded.js';
import type { Configuration } from '../machines/protocol.js';
import { ProtocolError } from '../machines/errors.js';

interface Sum {
  readonly fold: Fold;
  readonly totals: Totals<unknown, unknown>;
  readonly nodes: Map<NodeId, unknown>;
  readonly flights: Map<number, unknown>;
}

export class Sums {
  private readonly sums: readonly Sum[];
  private changes: ReturnType<NonNullable<Configuration['follow']>> | undefined;

  /** Follows a configuration for these folds, from the first call of `update`. */
  constructor(
    folds: Iterable<Fold>,
    private readonly configuration: Configuration,
  ) {
    this.sums = [...new Set(folds)].map((fold) => ({
      fold,
      totals: fold.totals(configuration.instance),
      nodes: new Map(),
      flights: new Map(),
    }));
  }

  /** The totals of a fold at the last call of `update`. */
  of(fold: Fold): Totals<unknown, unknown> {
    return this.sums.find((sum) => sum.fold === fold)!.totals;
  }

  update(): void {
    if (this.sums.length === 0) return;
    const { configuration } = this;
    const { instance } = configuration;
    this.changes ??= configuration.follow!();
    const changes = this.changes();
    const moved = changes.nodes.map((id) => [id, configuration.nodes.get(id)!] as const);
    for (const { fold, totals, nodes, flights } of this.sums) {
      if (totals.channel) for (const channel of changes.channels) totals.channel(channel);
      for (const [id, view] of moved) {
        const before = nodes.get(id);
        const after = fold.node(view, id, instance);
        nodes.set(id, after);
        if (before !== undefined) totals.node(before, -1);
        totals.node(after, 1);
      }
      for (const [flight, by] of changes.flights) {
        const fact = by === 1 ? fold.flight(flight, instance) : flights.get(flight.id);
        if (by === 1) flights.set(flight.id, fact);
        else flights.delete(flight.id);
        totals.flight(fact, by);
      }
    }
  }
}

/** Rejects a result that is not a boolean, such as a promise or `undefined`, because it would count as true or false. */
export function truth(answer: unknown, of: 'holds' | 'holdsAround' | 'when'): boolean {
  if (typeof answer === 'boolean') return answer;
  throw new TypeError(`"${of}" returned ${answer instanceof Promise ? 'a promise' : String(answer)}. Return true or false.`);
}

/** Throws the error of a predicate, with the property that it belongs to. */
export function failed({ name }: { readonly name: string }, error: unknown): never {
  throw new ProtocolError(`property "${name}" failed: ${error instanceof Error ? error.message : String(error)}`, {
    cause: error,
  });
}
