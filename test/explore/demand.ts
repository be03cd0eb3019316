/** A scenario's workload without its times: who may ask next, given who has been served. */
import type { NodeId } from '../../machines/effects.js';
import type { Workload } from '../../network/scenario/types.js';
import type { LocalEvents } from './events.js';
import { commandEntry, type Entry } from './script.js';
import type { System } from './system.js';

export class Demand {
  readonly total: number;
  /** The notifications that say that a command is done. */
  readonly completedBy: readonly string[];

  constructor(
    private readonly workload: Workload,
    private readonly system: System,
    private readonly events: LocalEvents,
  ) {
    this.total = 'sequential' in workload ? workload.sequential.length : workload.requests;
    this.completedBy = system.protocol.commands[workload.command]!.completedBy;
  }

  /** Whether who asks next is fixed. */
  get takesTurns(): boolean {
    return 'sequential' in this.workload;
  }

  /** Who may ask when so many have asked and these have not been served. */
  next(issued: number, underWay: readonly number[]): readonly (Entry & { readonly kind: 'command' })[] {
    const { workload, system } = this;
    if (issued === this.total) return [];
    if ('sequential' in workload) return underWay.length > 0 ? [] : [this.entry(workload.sequential[issued]!)];
    if (underWay.length >= workload.concurrent) return [];
    return system.nodes.filter((_, node) => !underWay.includes(node)).map((node) => this.entry(node));
  }

  private entry(node: NodeId): Entry & { readonly kind: 'command' } {
    return commandEntry({ name: this.workload.command, node, fields: {} }, -1, this.system, this.events);
  }
}
