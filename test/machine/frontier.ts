/**
 * The states that the search has found and not yet expanded, and their priorities.
 *
 * New behavior comes first: a transition, a guard result, a configuration of the charts, or a context value that a guard compares with.
 * Then three of four turns take a state with a new minimum or maximum of a context value that an undecided guard reads. A guard is
 * undecided until it has returned both true and false. The remaining turns, and those without such a state, alternate between three states:
 * - one with a new minimum or maximum of any context value,
 * - the one with the most active services, because the order in which services settle often breaks programs,
 * - the oldest, so that states near the start are covered completely.
 */
import type { MachineVertex } from './graph.js';
import { Extent, measuresOf } from './measures.js';

export class MachineFrontier {
  private readonly fresh: MachineVertex[] = [];
  private readonly further: MachineVertex[] = [];
  private readonly towards: MachineVertex[] = [];
  /** Keys of the context that undecided guards read. */
  wanted: ReadonlySet<string> = new Set();
  private readonly rest = new Set<MachineVertex>();
  private readonly places = new Map<string, Extent>();
  private readonly compared = new Set<string>();
  private turn = 0;

  /** @param constants the numbers and texts that guards name. */
  constructor(private readonly constants: ReadonlySet<number | string>) {}

  /** @param isNew whether the step to this state showed something that was not covered before. */
  add(vertex: MachineVertex, context: unknown, isNew: boolean): void {
    const place = JSON.stringify([vertex.value, Object.values(vertex.children).map(({ chart, value }) => [chart, value])]);
    const further = this.goesFurther(place, context);
    if (isNew || further === 'fresh') {
      this.fresh.push(vertex);
      return;
    }
    this.rest.add(vertex);
    if (further.some((path) => this.wanted.has(path.split('.')[0]!))) this.towards.push(vertex);
    else if (further.length > 0) this.further.push(vertex);
  }

  next(): MachineVertex | undefined {
    const fresh = this.fresh.shift();
    if (fresh) return fresh;
    this.turn++;
    const isFar = this.turn % 4 !== 0 ? this.open(this.towards) : undefined;
    const found =
      isFar ?? ((this.turn % 3 === 1 && this.open(this.further)) || (this.turn % 3 === 2 && this.busiest()) || this.oldest());
    if (found) this.rest.delete(found);
    return found;
  }

  private goesFurther(place: string, context: unknown): 'fresh' | readonly string[] {
    const extent = this.places.get(place);
    const measures = measuresOf(context);
    if (!extent) {
      const first = new Extent();
      first.add(measures);
      this.places.set(place, first);
      return 'fresh';
    }
    const further = extent.add(measures);
    return this.meetsConstant(place, context) ? 'fresh' : further;
  }

  /** True if a context value is for the first time, in this place, one that guards compare with. */
  private meetsConstant(place: string, context: unknown): boolean {
    if (this.constants.size === 0 || typeof context !== 'object' || context === null) return false;
    let isMet = false;
    for (const [key, value] of [...Object.entries(context), ...measuresOf(context)]) {
      if (!this.constants.has(value)) continue;
      const met = JSON.stringify([place, key, value]);
      isMet ||= !this.compared.has(met);
      this.compared.add(met);
    }
    return isMet;
  }

  /** The first of these states that the search has not expanded. */
  private open(queue: MachineVertex[]): MachineVertex | undefined {
    for (let vertex; (vertex = queue.shift());) if (this.rest.has(vertex)) return vertex;
    return undefined;
  }

  private busiest(): MachineVertex | undefined {
    let found: MachineVertex | undefined;
    for (const vertex of this.rest) if (vertex.pending >= 2 && vertex.pending > (found?.pending ?? 0)) found = vertex;
    return found;
  }

  private oldest(): MachineVertex | undefined {
    const [first] = this.rest;
    return first;
  }
}
