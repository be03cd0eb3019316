/**
 * Local states as interned ids. A local state consists of the node's charts, its armed timers, and its reactions that have yet to
 * happen.
 */
import type { NodeId } from '../../machines/effects.js';
import type { NodeView } from '../../machines/protocol.js';
import { Interner } from './interner.js';
import { jsonKey } from './json.js';
import type { Numbering } from './numbering.js';

export interface Local {
  /** The node's position in the topology. */
  readonly node: number;
  readonly view: NodeView;
  /** Armed timers, by role and name. The search has no clock, so any of them may fire next. */
  readonly timers: readonly (readonly [role: string, timer: string])[];
  /** Reactions that have yet to happen, as positions in the protocol's list, smallest first. */
  readonly reactions: readonly number[];
}

export class Locals {
  readonly interned: Interner<Local>;

  constructor(
    private readonly nodes: readonly NodeId[],
    numbering: Numbering,
  ) {
    this.interned = new Interner(numbering);
  }

  intern(local: Local): number {
    const { node, view, timers, reactions } = local;
    let key = `${node} ${reactions.join(' ')}`;
    for (const role of Object.keys(view).sort()) {
      const { chart, value, context } = view[role]!;
      const where = `node ${this.nodes[node]}, role "${role}": context`;
      key += `|${role}=${chart}${jsonKey(value, where)}${jsonKey(context, where)}`;
    }
    for (const [role, timer] of timers) key += `|${role}!${timer}`;
    return this.interned.intern(key, () => local);
  }

  get(id: number): Local {
    return this.interned.all[id]!;
  }

  get size(): number {
    return this.interned.size;
  }
}
