/**
 * Rehearsal of locks whose members change while locks are held. Peers start with `join: true`, are added, removed, and replaced
 * (docs/operating-locks.md, "Change the voters"), with their persistent state on their disks, as the page requires.
 *
 * An operator orders one change after the other through the shared store: one member is to request it, the next one if it has not done so
 * within a second, until one has. The operator is a process like the others, fails like them, and continues where it was. It records the
 * current lists of voters, both while a change is decided, so that the judges of locks know the majority. A removed peer ends by itself.
 */
import type { MembershipChange } from '../../machines/locks/membership.js';
import { lockJudges, type RehearsalJudge } from '../../test/rehearsal/judges.js';
import { diskStorage } from '../../test/rehearsal/disk-storage.js';
import { below, endOfFullDisk, HELD_MAX, servicesOf, sleep, wireOf, workWith, type Shipped } from './locks.js';
import { noLeaks } from '../../test/rehearsal/object-judges.js';
import type { Main, RehearsedPeer } from '../../test/rehearsal/peer.js';
import type { RehearseOptions } from '../../test/rehearsal/options.js';
import type { RehearsalEvent } from '../../test/rehearsal/world.js';

const PLANS = [
  'add',
  'remove',
  'replace',
  'add remove',
  'remove add',
  'replace remove',
  'replace replace',
  'add add',
  'add replace remove',
];

/** Interval between two polls of the store, and time limit of a member. */
const CHECK_MS = 100;
const CALL_MS = 1_000;
/** A call resolves after this time, even if stored data could not move to the new members. */
const UNMOVED_MS = 10_000;
/** Time limit of a change after all faults have healed and all peers are up. */
const DECIDED_MS = 8_000;

/** The initial members: all but two, and at least three. */
export const foundersOf = (peers: readonly string[]): readonly string[] => peers.slice(0, Math.max(3, peers.length - 2));

/** The changes that the operator orders. An addition without a remaining candidate is omitted. */
export function changesOf(peers: readonly string[], { plan, first }: RehearsedPeer['knobs']): readonly MembershipChange[] {
  const founders = foundersOf(peers);
  const leaving = founders.map((_, i) => founders[(i + (first as number)) % founders.length]!);
  const coming = peers.slice(founders.length);
  return (plan as string).split(' ').flatMap((what) => {
    if (what !== 'remove' && coming.length === 0) return [];
    return [{ add: what === 'remove' ? null : coming.shift()!, remove: what === 'add' ? null : leaving.shift()! }];
  });
}

export const membersAfter = (founders: readonly string[], changes: readonly MembershipChange[]): readonly string[] =>
  changes.reduce(
    (members, { add, remove }) => [...members.filter((member) => member !== remove), ...(add === null ? [] : [add])],
    founders,
  );

interface Order extends MembershipChange {
  readonly number: number;
  readonly caller: string;
}

/** The key of a completed order. Each order has its own key, because a caller may be notified of the previous one late. */
const doneAs = (number: number): string => `done ${number}`;

const operate: Main = async ({ peers, knobs, store, note }) => {
  const [founders, changes] = [foundersOf(peers), changesOf(peers, knobs)];
  const read = async (key: string) => ((await store.read(key)) as number | undefined) ?? 0;
  let decided = await read('decided');
  if (decided > 0) note('members', { lists: [membersAfter(founders, changes.slice(0, decided))] });
  while (decided < changes.length) {
    await sleep(below(2 * knobs['think']));
    const [before, after] = [decided, decided + 1].map((count) => membersAfter(founders, changes.slice(0, count))) as [
      string[],
      string[],
    ];
    const { add, remove } = changes[decided]!;
    const number = decided + 1;
    const callers = before.filter((member) => member !== remove);
    note('members', { lists: [before, after] });
    const isDone = async () => (await store.read(doneAs(number))) === true;
    for (let turn = 0; !(await isDone()); turn++) {
      await store.write('order', { number, add, remove, caller: callers[turn % callers.length]! } satisfies Order);
      for (let waited = 0; waited < CALL_MS && !(await isDone()); waited += CHECK_MS) await sleep(CHECK_MS);
    }
    await store.write('decided', number);
    note('members', { lists: [after] });
    decided = number;
  }
};

type Locks = ReturnType<Shipped['createLocks']>;

async function call(locks: Locks, { add, remove }: Order): Promise<unknown> {
  if (add === null) return locks.removeMember(remove!);
  return remove === null ? locks.addMember(add) : locks.replaceMember(remove, add);
}

/** Makes the changes that the operator requests from it; resolves when it has been removed. Calls `join` once it is a member. */
async function follow({ id, peers, knobs, store }: RehearsedPeer, locks: Locks, join: () => void): Promise<void> {
  const [founders, changes] = [foundersOf(peers), changesOf(peers, knobs)];
  let called = 0;
  for (;;) {
    const decided = changes.slice(0, ((await store.read('decided')) as number | undefined) ?? 0);
    if (decided.some(({ remove }) => remove === id)) return;
    if (membersAfter(founders, decided).includes(id)) join();
    const order = (await store.read('order')) as Order | undefined;
    if (order?.caller === id && order.number > decided.length && order.number !== called) {
      called = order.number;
      const begun = performance.now();
      call(locks, order).then(
        () => {
          if (performance.now() - begun < UNMOVED_MS) return store.write(doneAs(order.number), true);
          // A register that is kept here may not have moved, so no peer may leave for good yet.
          called = 0;
        },
        (error: Error) => {
          // A new member may not be connected yet, or this peer's disk not read: retry.
          if (error.name !== 'UsageError' || !/is not connected|is not a member|was removed/.test(error.message))
            endOfFullDisk(error);
          called = 0;
        },
      );
    }
    await sleep(CHECK_MS);
  }
}

/** The additional work of a member: created at its start, and run once it is a member. */
export type MembersWork = (peer: RehearsedPeer, locks: Locks) => () => Promise<unknown>;

async function work(shipped: Shipped, peer: RehearsedPeer, make: MembersWork): Promise<void> {
  const { id, peers, knobs, disk, store } = peer;
  const founders = foundersOf(peers);
  const decided = ((await store.read('decided')) as number | undefined) ?? 0;
  if (
    changesOf(peers, knobs)
      .slice(0, decided)
      .some(({ remove }) => remove === id)
  )
    return;
  const transport = shipped.linked(wireOf(shipped, peer), { peers });
  const list = founders.includes(id) ? { peers: founders } : { join: true as const };
  const locks = peer.watch(shipped.createLocks({ transport, storage: diskStorage(disk), ...list }));
  let join!: () => void;
  const joined = new Promise<void>((resolve) => (join = resolve));
  const working = joined.then(make(peer, locks));
  const removed = follow(peer, locks, join).then(() => process.exit(0));
  await Promise.all([working, removed]).catch(endOfFullDisk);
}

/** Adds the current membership to a judge. */
const amongMembers = ({ name, begin }: RehearsalJudge): RehearsalJudge => ({
  name,
  begin: (setting) => {
    const observer = begin(setting);
    observer.observe?.({ at: 0, type: 'members', lists: [foundersOf(setting.scenario.peers)] });
    return {
      observe: (happening) => observer.observe?.(happening.what === 'members' ? { ...happening, type: 'members' } : happening),
      end: (now) => observer.end?.(now),
    };
  },
});

/** The orders of the operator are done once all faults are healed. */
export const changesSettle = (): RehearsalJudge => ({
  name: 'changes settle',
  begin: () => {
    let asked: RehearsalEvent | undefined;
    let disturbedMs = 0;
    return {
      observe: (happening) => {
        const { type, what, at } = happening;
        if (type === 'healed' || type === 'start' || type === 'end') disturbedMs = at;
        if (what === 'members') asked = happening;
        return null;
      },
      end: (now) => {
        const [before, after] = (asked?.['lists'] ?? []) as readonly (readonly string[])[];
        if (!after || Math.max(asked!.at, disturbedMs) + DECIDED_MS > now) return null;
        return `the members ${before!.join(', ')} are to be ${after.join(', ')} since ${Math.round(asked!.at)} ms, and the change has not been made`;
      },
    };
  },
});

export const membersUnder = (
  shipped: Shipped,
  over: readonly string[] = ['hub', 'sealed'],
  make: MembersWork = ({ knobs }, locks) =>
    () =>
      workWith(locks, knobs),
): { options: RehearseOptions; main: Main } => ({
  options: {
    peers: [4, 5, 7],
    services: servicesOf(shipped, over),
    clients: { operator: operate },
    seconds: 28,
    limits: ['shipped', 'small'],
    judges: [...lockJudges().map(amongMembers), changesSettle(), noLeaks(HELD_MAX)],
    knobs: {
      over,
      workers: [1, 2],
      names: [1, 3, 20],
      think: [20, 100, 500, 2_000],
      hold: [1, 50, 400, 3_000, 60_000],
      plan: PLANS,
      first: [0, 1, 2],
    },
  },
  main: (peer) => work(shipped, peer, make),
});
