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
import type { Configuration, Protocol, Core, Instance } from '../protocol.js';
import { STORAGE } from '../storage.js';
import { type ClusterProtocolOptions, clusterCore } from './core.js';
import { clusterProperties } from './properties.fixtures.js';
import { hostOf } from './view.js';
import { assign, setup } from 'xstate';
import { coreOf } from '../core.js';
import { chartTypes, effects, tell, withEvent } from '../effects.js';
import { TURN } from './host.js';
import { HOST, type ClusterNotice } from './messages.js';

/**
 * An actor for checks, instead of the application's machine: its state is the list of the events that it has applied.
 *
 * The actor is a role of each member. It receives the notices of the host, and answers as an application does.
 */
const LOG = 'log';

interface LogContext {
  readonly applied: readonly string[];
}
type Restore = Extract<ClusterNotice, { readonly type: 'restore' }>;
type Apply = Extract<ClusterNotice, { readonly type: 'apply' }>;

const answer = tell(({ context: { applied }, event }: { context: LogContext; event: Restore | Apply }) => ({
  role: HOST,
  message: {
    type: 'applied',
    state: applied,
    isAwake: false,
    emitted: null,
    failures: [],
    turn: event.type === 'apply' ? event.entries.length : 0,
  },
}));

/** A chart for tests and checks instead of the user's machine: it appends each event to a list. */
const logMachine = setup({
  types: chartTypes<{ context: LogContext; events: ClusterNotice }>(),
  actions: {
    ...effects(),
    restore: assign({ applied: (_, { copy }: Restore) => (copy?.state ?? []) as readonly string[] }),
    apply: assign({
      applied: ({ context }, { entries }: Apply) => [
        ...context.applied,
        ...entries.flatMap(({ from, sender, number }) => (from === null ? [] : [`${sender} ${number}`])),
      ],
    }),
  },
}).createMachine({
  id: 'log',
  context: { applied: [] },
  on: {
    restore: { actions: [withEvent('restore'), answer] },
    apply: { actions: [withEvent('apply'), answer] },
  },
});

const { roles, reload } = clusterCore;
const log = { role: LOG, chart: LOG, input: undefined };
const isMember = (id: string, { options }: Instance<ClusterProtocolOptions>) => options.members.includes(id);

/** The cluster protocol with the log as its actor. */
const logCore: Core<ClusterProtocolOptions> = /* @__PURE__ */ coreOf<ClusterProtocolOptions>({
  ...clusterCore,
  charts: { ...clusterCore.charts, [LOG]: logMachine },
  roles: (id, instance) => [...(isMember(id, instance) ? [log] : []), ...roles(id, instance)],
  reload: (id, instance, stored) => [...(isMember(id, instance) ? [log] : []), ...reload!(id, instance, stored)],
  wiring: { listener: (role) => (role === HOST ? LOG : undefined) },
});

const isStoring = ({ nodes }: Configuration): boolean =>
  [...nodes.values()].some((node) => node[STORAGE] !== undefined && statePath(node[STORAGE]) === 'writing');

/**
 * One actor of a cluster, with a log in the place of the application's machine: what the checker and the simulator run.
 */
export const cluster: Protocol<ClusterProtocolOptions> = /* @__PURE__ */ defineProtocol<ClusterProtocolOptions>(
  logCore,
  {
    properties: clusterProperties,
    // The checker knows no time: what is not answered is repeated once nothing else is under way. A turn may begin at any moment.
    mayFire: (c, _node, role, timer) => role === STORAGE || timer === TURN || (c.flights.length === 0 && !isStoring(c)),
  },
  {
    paper: 'Ours: a replicated register per actor, with the fences of locks',
    overlay: (node) => {
      const host = hostOf(node);
      return { badge: host ? statePath(host) : 'client', tone: host && statePath(host).startsWith('hosting') ? 'held' : 'plain' };
    },
  },
);
