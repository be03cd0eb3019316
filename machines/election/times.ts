/** Lists the times in the election's states and messages, so that the model checker keeps only their order and finds fewer states. */
import type { Message } from '../effects.js';
import type { NodeView, Times } from '../protocol.js';
import type { Height } from './height.js';
import type { LevelContext } from '../hierarchy/level.js';
import type { ElectionContext } from './machine.js';
import { ELECTION, type PresenceTable, type Update } from './messages.js';
import type { ElectionProtocolOptions } from './options.js';

type Replace = Parameters<Times['node']>[1];

/** Searches are compared with searches, elections with elections, births with births. */
const SEARCH = 0;
const ELECTED = 1;
const BORN = 2;

/** The time of a perfect clock is not a part of a state: it is later than all others. */
const LATER = Number.MAX_SAFE_INTEGER;

const height = (old: Height, replace: Replace): Height => ({
  ...old,
  tau: replace(old.tau, SEARCH),
  nlts: 0 - replace(0 - old.nlts, ELECTED),
});

const table = (old: PresenceTable, replace: Replace): PresenceTable =>
  old.map((entry) => ({ ...entry, birth: replace(entry.birth, BORN) }));

const election = (context: ElectionContext, replace: Replace): ElectionContext => ({
  ...context,
  now: LATER,
  height: height(context.height, replace),
  links: context.links.map((link) => ({ ...link, height: link.height && height(link.height, replace) })),
});

const level = (context: LevelContext, replace: Replace): LevelContext => ({
  ...context,
  birth: context.birth === null ? null : replace(context.birth, BORN),
  near: table(context.near, replace),
  table: table(context.table, replace),
  received: context.received.map((received) => ({ ...received, table: table(received.table, replace) })),
});

const perfect: Times = {
  kinds: 3,
  node: (view, replace): NodeView =>
    Object.fromEntries(
      Object.entries(view).map(([name, role]) => {
        const context = name === ELECTION ? election(role.context, replace) : level(role.context, replace);
        return [name, { ...role, context }];
      }),
    ),
  message: (message, replace): Message => {
    const update = message as Update;
    const { tables } = update;
    const replaced: Update = {
      ...update,
      height: height(update.height, replace),
      tables: tables.map((old) => table(old, replace)),
    };
    return replaced;
  },
};

/** The times in states, for perfect clocks. The values of logical clocks are counters, so they are part of the state. */
export const times = ({ clock }: ElectionProtocolOptions): Times | null => (clock === 'perfect' ? perfect : null);
