/**
 * Judges of what an application has beside locks: objects that several peers use, names, quotas, leaders, messages, and what a process
 * holds on to. They look at what peers tell with `peer.operation` and `peer.note`.
 */
import { Calm } from './calm.js';
import type { RehearsalJudge, RehearsalVerdict } from './judges.js';
import { linearize, type ObjectOperation, type SequentialObject } from './linearizability.js';
import type { RehearsalEvent } from './world.js';

/**
 * What peers did with an object (`peer.operation(object, input, run)`) can have happened one after the other, each between its call and
 * its return. An operation that threw may have happened, or not.
 *
 * @param model the object, as one client would see it: `sequentialRegister(0)` for instance.
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
      hear: ({ type, object: of, operation, at, peer, input, output }) => {
        if (of !== object) return;
        if (type === 'call') operations.set(operation, { who: peer!, input, calledAt: at, returnedAt: null });
        else if (type === 'return') operations.set(operation, { ...operations.get(operation)!, returnedAt: at, output });
      },
      end: () => {
        const found = linearize([...operations.values()], model);
        if (found.isFound) return null;
        if (found.isFound === null)
          return `${operations.size} operations on "${object}" cannot be decided: too many at the same time; let fewer overlap, or rehearse for fewer seconds`;
        const { order, stuck } = found;
        return `no order explains ${told(stuck)} on "${object}"; the longest that was found before it ends with ${order.slice(-5).map(told).join(', ') || 'nothing'}`;
      },
    };
  },
});

const told = ({ who, input, output, calledAt, returnedAt }: ObjectOperation): string =>
  `${who}'s ${JSON.stringify(input)}${returnedAt === null ? ', never answered,' : ` = ${JSON.stringify(output)}`} (${Math.round(calledAt)} to ${returnedAt === null ? '…' : Math.round(returnedAt)} ms)`;

type Note = RehearsalEvent & { readonly what?: string };

const noted = (what: string, hear: (note: Note) => RehearsalVerdict) => (event: RehearsalEvent) =>
  event.type === 'note' && (event as Note).what === what ? hear(event) : null;

/**
 * No value of a field is noted twice: names, numbers of invoices, whatever is given once.
 *
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
      hear: noted(what, ({ peer, [field]: value }) => {
        const key = JSON.stringify(value);
        if (owners.has(key)) return `${field} ${key} was given to ${owners.get(key)}, and then to ${peer}`;
        owners.set(key, peer!);
        return null;
      }),
    };
  },
});

/**
 * What peers note to have taken is never more than the budget in all.
 *
 * @param field of the note: how much was taken.
 * @experimental
 */
export const withinBudget = (what: string, field: string, budget: number): RehearsalJudge => ({
  name: 'within budget',
  begin: () => {
    let taken = 0;
    return {
      hear: noted(what, ({ peer, [field]: amount }) => {
        taken += amount as number;
        return taken > budget ? `${peer} took ${amount as number}, and that makes ${taken} of ${budget}` : null;
      }),
    };
  },
});

/** A leader is found so long after the last change. */
const ELECTED_MS = 10_000;

/**
 * Once nothing has changed for ten seconds, all peers that are up name the same leader, and it is up. Each notes who leads as it hears of
 * it: `peer.note('leader', { leader: election.leader })`. In between there may be none, or several.
 *
 * @param electedMs in place of the ten seconds.
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
      hear: (event) => {
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
        if (other) return `${first} is led by ${leader as string}, and ${other[0]} by ${other[1] as string}`;
        return first === undefined || leaders.has(leader as string)
          ? null
          : `${first} is led by ${leader as string}, who is not up`;
      },
    };
  },
});

/**
 * Messages arrive once, in the order in which they were sent, and only those that were sent; where nothing has failed, all of them do. Peers
 * note `sent` with `to` and `message`, and `got` with `from` and `message`; no two messages of a run are alike.
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
      hear: (event) => {
        calm.hear(event);
        const { type, peer, at, what, to, from, message } = event;
        if (type !== 'note' || (what !== 'sent' && what !== 'got')) return null;
        const key = JSON.stringify(message);
        const way = what === 'sent' ? `${peer} to ${to as string}` : `${from as string} to ${peer}`;
        const all = sent.get(way) ?? [];
        if (what === 'sent') {
          sent.set(way, all);
          all.push({ at, key });
          return null;
        }
        const place = all.findIndex((one) => one.key === key);
        if (place < 0) return `${key} came from ${way}, and was never sent`;
        const before = places.get(way) ?? -1;
        places.set(way, Math.max(place, before));
        if (place === before) return `${key} came twice from ${way}`;
        return place < before ? `${key} came from ${way} after ${all[before]!.key}, which was sent later` : null;
      },
      end: (now) => {
        if (!calm.isWhole) return null;
        for (const [way, all] of sent) {
          const lost = all.slice((places.get(way) ?? -1) + 1).find(({ at }) => at < now - ELECTED_MS);
          if (lost)
            return `${lost.key} was sent from ${way} at ${Math.round(lost.at)} ms and has not come, and nothing has failed`;
        }
        return null;
      },
    };
  },
});

/** Of one process at the end: from there on it is a leak. */
const HELD_MAX = { timers: 1_000, connections: 100, kept: 100_000, listeners: 1_000 };
const HELD_WORDS = {
  timers: 'timers',
  connections: 'connections',
  kept: 'entries in the charts of its nodes',
  listeners: 'listeners to its nodes',
};

/**
 * No process holds on to more and more: no more timers and connections than that wait at the end, no more entries are in lists and objects that the
 * charts of this package's nodes keep, no more listen to these nodes, and Node has warned of no leak of listeners. What the application keeps it
 * tells itself: `bounded`.
 *
 * @experimental
 */
export const noLeaks = (
  bounds: {
    readonly timers?: number;
    readonly connections?: number;
    readonly kept?: number;
    readonly listeners?: number;
  } = {},
): RehearsalJudge => ({
  name: 'no leaks',
  begin: () => ({
    hear: ({ type, peer, warning, ...holds }) => {
      if (type === 'warning') return String(warning).includes('MaxListeners') ? `${peer}: ${warning as string}` : null;
      if (type !== 'holds') return null;
      for (const [what, most] of Object.entries({ ...HELD_MAX, ...bounds })) {
        const held = holds[what] as number;
        if (held > most)
          return `${peer} has ${held} ${HELD_WORDS[what as keyof typeof HELD_WORDS]} at the end; ${most} are the bound`;
      }
      return null;
    },
  }),
});

/**
 * What a peer notes of something is never more than that: entries of a cache, jobs that wait, whatever a process keeps and must give up again.
 *
 * @param what of the note; `field`: how much it is.
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
    hear: noted(what, ({ peer, [field]: amount }) =>
      (amount as number) > most ? `${field} of "${what}" is ${amount as number} at ${peer}; ${most} are the bound` : null,
    ),
  }),
});
