/**
 * An actor for checks, instead of the application's machine: its state is the list of the events that it has applied.
 *
 * The actor is a role of each member. It receives the notices of the host, and answers as an application does.
 */
import { assign, setup } from 'xstate';
import { coreOf } from '../core.js';
import { effects, tell, withEvent } from '../effects.js';
import type { Core, Instance } from '../protocol.js';
import { clusterCore, type ClusterProtocolOptions } from './core.js';
import { HOST, type ClusterNotice } from './messages.js';

export const LOG = 'log';

interface LogContext {
  readonly applied: readonly string[];
}
type Restore = Extract<ClusterNotice, { readonly type: 'restore' }>;
type Apply = Extract<ClusterNotice, { readonly type: 'apply' }>;

const answer = tell(({ context: { applied } }: { context: LogContext }) => ({
  role: HOST,
  message: { type: 'applied', state: applied, isAwake: false, emitted: null, failures: [] } as { type: string },
}));

/** A chart for tests and checks instead of the user's machine: it appends each event to a list. */
export const logMachine = setup({
  types: {} as { context: LogContext; events: ClusterNotice },
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
export const logCore: Core<ClusterProtocolOptions> = /* @__PURE__ */ coreOf<ClusterProtocolOptions>({
  ...clusterCore,
  charts: { ...clusterCore.charts, [LOG]: logMachine },
  roles: (id, instance) => [...(isMember(id, instance) ? [log] : []), ...roles(id, instance)],
  reload: (id, instance, stored) => [...(isMember(id, instance) ? [log] : []), ...reload!(id, instance, stored)],
  wiring: { listener: (role) => (role === HOST ? LOG : undefined) },
});
