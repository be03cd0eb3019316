/**
 * Judges for objects other than locks: shared objects, names, quotas, leaders, messages, and resources of a process. They check what peers
 * report with `peer.operation` and `peer.note`.
 */
import { Calm } from './calm.js';
import type { RehearsalJudge, RehearsalVerdict } from './judges.js';
import { linearize, type ObjectOperation, type SequentialObject } from './linearizability.js';
import type { RehearsalEvent } from './world.js';
import { entriesOf } from '../../machines/checks.js';

/**
 * Checks that an object is linearizable: the operations that peers reported with `peer.operation(object, input, run)` can have happened one
 * after the other, each between its call and its return. An operation that threw may have happened or not.
 *
 * @param object the name of the object in `peer.operation`.
 * @param model the sequential model of the object, for example `sequentialRegister(0)`.
 * @example
 * ```ts
 * import { judges } from 'xstate-quiver/rehearsal';
 *
 * // peer.operation('visits', { add: 1 }, () => visits.change((count) => count + 1));
 * const judge = judges.linearizable('visits', judges.sequentialRegister(0));
 * ```
 * @experimental
 */
export const linearizable = <S>(object: string, model: SequentialObject<S>): RehearsalJudge => ({
  name: `linearizable ${object}`,
  begin: () => {
    const operations = new Map<unknown, ObjectOperation>();
    return {
      observe: ({ type, object: of, operation, at, peer, input, output }) => {
        if (of !== object) return;
        if (type === 'call') operations.set(operation, { who: peer!, input, calledAt: at, returnedAt: null });
        else if (type === 'return') operations.set(operation, { ...operations.get(operation)!, returnedAt: at, output });
      },
      end: () => {
        const found = linearize([...operations.values()], model);
        if (found.isFound) return null;
        if (found.isFound === null)
          return `${operations.size} operations on "${object}" are too many to decide. Let fewer of them overlap, or rehearse for fewer seconds.`;
        const { order, stuck } = found;
        return `no order explains ${describe(stuck)} on "${object}"; the longest order found before it ends with ${order.slice(-5).map(describe).join(', ') || 'nothing'}`;
      },
    };
  },
});

const describe = ({ who, input, output, calledAt, returnedAt }: ObjectOperation): string =>
  `${who}'s ${JSON.stringify(input)}${returnedAt === null ? ', which never returned,' : ` = ${JSON.stringify(output)}`} (${Math.round(calledAt)} to ${returnedAt === null ? '…' : Math.round(returnedAt)} ms)`;

type Note = RehearsalEvent & { readonly what?: string };

const noted = (what: string, check: (note: Note) => RehearsalVerdict) => (event: RehearsalEvent) =>
  event.type === 'note' && event.what === what ? check(event) : null;

/**
 * Checks that no value of a field is noted twice, for example names or invoice numbers.
 *
 * @param what the `what` of the notes.
 * @param field the field of the notes.
 * @example
 * @example
 * ```ts
 * import { judges } from 'xstate-quiver/rehearsal';
 *
 * const judge = judges.unique('named', 'name'); // peer.note('named', { name: await names.next() });
 * ```
 * @experimental
 */
export const unique = (what: string, field: string): RehearsalJudge => ({
  name: `unique ${field}`,
  begin: () => {
    const owners = new Map<string, string>();
    return {
      observe: noted(what, ({ peer, [field]: value }) => {
        const key = JSON.stringify(value);
        if (owners.has(key)) return `${field} ${key} was given to ${owners.get(key)}, and then to ${peer}`;
        owners.set(key, peer!);
        return null;
      }),
    };
  },
});

/**
 * Checks that the total amount that peers note is at most the budget.
 *
 * @param what the `what` of the notes.
 * @param field the field of the notes that contains the amount.
 * @param budget the limit of the total.
 * @experimental
 */
export const withinBudget = (what: string, field: string, budget: number): RehearsalJudge => ({
  name: 'within budget',
  begin: () => {
    let taken = 0;
    return {
      observe: noted(what, ({ peer, [field]: amount }) => {
        taken += Number(amount);
        return taken > budget ? `${peer} took ${amount}, for a total of ${taken} of ${budget}` : null;
      }),
    };
  },
});

/** Time after the last change within which a leader is elected. */
const ELECTED_MS = 10_000;

/**
 * Checks that all peers that are up name the same leader, and that the leader is up, once nothing has changed for ten seconds. Each peer notes
 * the leader when it changes: `peer.note('leader', { leader: election.leader })`. Before, there may be no leader or several.
 *
 * @param what the `what` of the notes. Default: `'leader'`.
 * @param electedMs milliseconds without changes after which there must be one leader. Default: 10,000.
 * @example
 * ```ts
 * import { judges } from 'xstate-quiver/rehearsal';
 *
 * const judge = judges.oneLeader('chief', 5_000); // peer.note('chief', { leader: election.leader });
 * ```
 * @experimental
 */
export const oneLeader = (what = 'leader', electedMs = ELECTED_MS): RehearsalJudge => ({
  name: 'one leader',
  begin: ({ scenario }) => {
    const leaders = new Map<string, unknown>();
    let changedAt = 0;
    return {
      observe: (event) => {
        const { type, peer, at } = event;
        if (['start', 'end', 'fault', 'healed'].includes(type)) changedAt = at;
        if (type === 'start' && scenario.peers.includes(peer!)) leaders.set(peer!, null);
        else if (type === 'end') leaders.delete(peer!);
        else noted(what, ({ peer, leader }) => void leaders.set(peer!, leader))(event);
      },
      end: (now) => {
        if (now < changedAt + electedMs) return null;
        const [[first, leader] = [], ...others] = leaders;
        const other = others.find(([, its]) => its !== leader);
        if (other) return `the leader of ${first} is ${leader}, but that of ${other[0]} is ${other[1]}`;
        return first === undefined || leaders.has(String(leader)) ? null : `the leader of ${first} is ${leader}, which is not up`;
      },
    };
  },
});

/**
 * Checks that messages arrive once, in the order of sending, and only if they were sent; and that all of them arrive if nothing has failed.
 * Peers note `sent` with `to` and `message`, and `got` with `from` and `message`. No two messages of a run are equal.
 *
 * @example
 * ```ts
 * import { judges } from 'xstate-quiver/rehearsal';
 *
 * const judge = judges.delivery(); // peer.note('sent', { to: 'p1', message: 'p0-7' }); and at p1: peer.note('got', { from: 'p0', message: 'p0-7' });
 * ```
 * @experimental
 */
export const delivery = (): RehearsalJudge => ({
  name: 'delivery',
  begin: (setting) => {
    const calm = new Calm(setting);
    const sent = new Map<string, { readonly at: number; readonly key: string }[]>();
    const places = new Map<string, number>();
    return {
      observe: (event) => {
        calm.observe(event);
        const { type, peer, at, what, to, from, message } = event;
        if (type !== 'note' || (what !== 'sent' && what !== 'got')) return null;
        const key = JSON.stringify(message);
        const way = what === 'sent' ? `${peer} to ${to}` : `${from} to ${peer}`;
        const all = sent.get(way) ?? [];
        if (what === 'sent') {
          sent.set(way, all);
          all.push({ at, key });
          return null;
        }
        const place = all.findIndex((one) => one.key === key);
        if (place < 0) return `${key} arrived from ${way}, but was never sent`;
        const before = places.get(way) ?? -1;
        places.set(way, Math.max(place, before));
        if (place === before) return `${key} arrived twice from ${way}`;
        return place < before ? `${key} arrived from ${way} after ${all[before]!.key}, which was sent later` : null;
      },
      end: (now) => {
        if (!calm.isWhole) return null;
        for (const [way, all] of sent) {
          const lost = all.slice((places.get(way) ?? -1) + 1).find(({ at }) => at < now - ELECTED_MS);
          if (lost)
            return `${lost.key} was sent from ${way} at ${Math.round(lost.at)} ms and has not arrived, although nothing has failed`;
        }
        return null;
      },
    };
  },
});

/** Limits for one process at the end of a run; more is a leak. */
const HELD_MAX = { timers: 1_000, connections: 100, kept: 100_000, listeners: 1_000 };
const HELD_WORDS = {
  timers: 'timers',
  connections: 'connections',
  kept: 'entries in the charts of its nodes',
  listeners: 'listeners to its nodes',
};

/**
 * Checks that no process leaks. At the end of a run, the numbers of timers, connections, entries in the charts of Quiver's nodes, and
 * listeners to these nodes are within their bounds, and Node has not warned of leaking listeners. For data of the application, use
 * `bounded`.
 *
 * @param bounds the limits. Default: 1,000 timers, 100 connections, 100,000 entries, 1,000 listeners.
 * @experimental
 */
export const noLeaks = (
  bounds: { readonly timers?: number; readonly connections?: number; readonly kept?: number; readonly listeners?: number } = {},
): RehearsalJudge => ({
  name: 'no leaks',
  begin: () => ({
    observe: ({ type, peer, warning, ...holds }) => {
      if (type === 'warning') return String(warning).includes('MaxListeners') ? `${peer}: ${warning}` : null;
      if (type !== 'holds') return null;
      for (const [what, most] of entriesOf({ ...HELD_MAX, ...bounds })) {
        const held = Number(holds[what]);
        if (held > most) return `${peer} has ${held} ${HELD_WORDS[what]} at the end; the limit is ${most}`;
      }
      return null;
    },
  }),
});

/**
 * Checks that an amount that peers note never exceeds a limit, for example the size of a cache or of a queue.
 *
 * @param what the `what` of the notes.
 * @param field the field of the notes that contains the amount.
 * @param most the limit.
 * @example
 * ```ts
 * import { judges } from 'xstate-quiver/rehearsal';
 *
 * const judge = judges.bounded('cache', 'size', 1_000); // peer.note('cache', { size: cache.size });
 * ```
 * @experimental
 */
export const bounded = (what: string, field: string, most: number): RehearsalJudge => ({
  name: `bounded ${what}`,
  begin: () => ({
    observe: noted(what, ({ peer, [field]: amount }) =>
      Number(amount) > most ? `${field} of "${what}" is ${String(amount)} at ${peer}; the limit is ${most}` : null,
    ),
  }),
});
