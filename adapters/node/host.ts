/** Chooses how a node runs its charts: as pure snapshots with cached steps, or as live XState actors that an inspector can see. */
import type { AnyActor } from 'xstate';
import type { RunningCore } from '../../machines/core.js';
import { createHost, type Host } from '../../network/world/hosts.js';
import { createInspected, type Inspect } from '../../network/world/kernel.js';

let adopting: AnyActor | null = null;

/** Creates the host. Nodes with cached steps share the cache with all nodes of the same charts. */
export function createNodeHost(protocol: RunningCore, name: string, inspect?: Inspect): Host {
  const parent = inspect ? createInspected(name, inspect) : adopting;
  return parent ? createHost('actors', protocol, parent) : createHost('snapshots', protocol);
}

/** Runs the nodes that `make` creates below this actor, so that an inspector of its system sees their charts. */
export function adopted<T>(parent: AnyActor, make: () => T): T {
  const before = adopting;
  adopting = parent;
  try {
    return make();
  } finally {
    adopting = before;
  }
}
