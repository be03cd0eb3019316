/** Where the charts of an application's nodes run: as live actors that nobody sees, or under an actor whose system is inspected. */
import type { AnyActor } from 'xstate';
import type { Core } from '../../machines/protocol.js';
import { createHost, type Host } from '../../network/world/hosts.js';
import { createInspected, type Inspect } from '../../network/world/kernel.js';

const hosts = new WeakMap<Core, Host>();
let adopting: AnyActor | null = null;

/** Nodes of one protocol share a host, unless somebody inspects them. */
export function hostOf(protocol: Core, name: string, inspect?: Inspect): Host {
  const parent = inspect ? createInspected(name, inspect) : adopting;
  if (parent) return createHost('actors', protocol, parent);
  let host = hosts.get(protocol);
  if (!host) hosts.set(protocol, (host = createHost('actors', protocol)));
  return host;
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
