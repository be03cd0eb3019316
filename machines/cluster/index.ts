/**
 * Cluster actors: a machine of the application runs once in the cluster, survives its process, and moves to its users.
 *
 * Fault model: processes stop, or restart with their stored state or without memory. Links lose, repeat and reorder messages, and go up and
 * down. The lock of an actor is granted with growing fences, and two members may hold it for a while.
 *
 * Guarantees, which properties.ts names: acknowledged events are durable; no event is applied twice, and those of one sender in order;
 * subscribers receive durable versions only; a stale activation commits nothing.
 *
 * Limitations: no event is acknowledged without a majority of the members, and no time is guaranteed.
 */
import { defineProtocol } from '../define.js';
import { statePath } from '../checks.js';
import type { Configuration, Protocol } from '../protocol.js';
import { STORAGE } from '../storage.js';
import type { ClusterProtocolOptions } from './core.js';
import { logCore } from './log.js';
import { clusterProperties } from './properties.js';
import { hostOf } from './view.js';

const isStoring = ({ nodes }: Configuration): boolean =>
  [...nodes.values()].some((node) => node[STORAGE] !== undefined && statePath(node[STORAGE]) === 'writing');

/**
 * One actor of a cluster, with a log in the place of the application's machine: what the checker and the simulator run.
 */
export const cluster: Protocol<ClusterProtocolOptions> = /* @__PURE__ */ defineProtocol<ClusterProtocolOptions>(
  logCore,
  {
    properties: clusterProperties,
    // The checker knows no time: what is not answered is repeated once nothing else is under way.
    mayFire: (c, _node, role) => role === STORAGE || (c.flights.length === 0 && !isStoring(c)),
  },
  {
    paper: 'Ours: a replicated register per actor, with the fences of locks',
    overlay: (node) => {
      const host = hostOf(node);
      return { badge: host ? statePath(host) : 'client', tone: host && statePath(host).startsWith('hosting') ? 'held' : 'plain' };
    },
  },
);
