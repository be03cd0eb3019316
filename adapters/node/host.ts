/** Where the charts of an application's nodes run: as bare snapshots, which take known steps from memory, or as live actors under one whose system is inspected. */
import type { AnyActor } from 'xstate';
import type { RunningCore } from '../../machines/core.js';
import { createHost, type Host } from '../../network/world/hosts.js';
import { createInspected, type Inspect } from '../../network/world/kernel.js';

let adopting: AnyActor | null = null;

/** Who takes steps from memory shares the memory with everybody of the same charts. */
export function hostOf(protocol: RunningCore, name: string, inspect?: Inspect): Host {
  const parent = inspect ? createInspected(name, inspect) : adopting;
  return parent ? createHost('actors', protocol, parent) : createHost('snapshots', protocol);
}

/** The nodes that `make` makes run under this actor: whoever inspects its system sees their charts, too. */
export function adopted<T>(parent: AnyActor, make: () => T): T {
  const before = adopting;
  adopting = parent;
  try {
    return make();
  } finally {
    adopting = before;
  }
}
