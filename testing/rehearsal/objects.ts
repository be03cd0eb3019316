/**
 * Rehearsal of the objects built on locks: registers, lasting names and quotas, an election, and messages of the application. Every peer
 * uses all of them at once over one linked transport, with the persistent state of locks on the peer's disk.
 */
import { diskStorage } from '../../test/rehearsal/disk-storage.js';
import { HELD_MAX, servicesOf, sleep, below, endOfFullDisk, wireOf, type Shipped } from './locks.js';
import { lockJudges, type RehearsalJudge } from '../../test/rehearsal/judges.js';
import { sequentialRegister } from '../../test/rehearsal/linearizability.js';
import { delivery, linearizable, noLeaks, oneLeader, unique, withinBudget } from '../../test/rehearsal/object-judges.js';
import { membersUnder } from './members.js';
import type { Main, RehearsedPeer } from '../../test/rehearsal/peer.js';
import type { RehearseOptions } from '../../test/rehearsal/options.js';
import type { RehearsalEvent } from '../../test/rehearsal/world.js';

/** The functions for objects in addition to those of locks. */
export interface ShippedObjects extends Shipped {
  readonly Register: typeof import('../../adapters/locks/register.js').Register;
  readonly createNames: typeof import('../../adapters/names.js').createNames;
  readonly createQuota: typeof import('../../adapters/quota.js').createQuota;
  readonly createElection: typeof import('../../adapters/election.js').createElection;
}

export const OBJECTS = ['locks/register', 'names', 'quota', 'election'];

const BUDGET = 20;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value);

type Task = () => Promise<unknown>;

/** Creates a register, names and a quota at once. Returns tasks on them, which record each request and answer. */
function keptTasks(shipped: ShippedObjects, peer: RehearsedPeer, locks: ReturnType<Shipped['createLocks']>): readonly Task[] {
  const { peers, note, operation } = peer;
  const register = new shipped.Register<number>(locks, 'count', 0, isCount);
  const names = shipped.createNames({ locks });
  const quota = shipped.createQuota({ locks, budget: BUDGET, waste: peers.length });
  const tasks: readonly (readonly [of: string, task: Task])[] = [
    ['the count', () => operation('count', { add: 1 }, () => register.change((count) => count + 1))],
    ['a name', async () => note('named', { name: await names.next() })],
    [
      'a permit',
      async () => {
        const { ok } = await quota.take();
        if (ok) note('took', { n: 1 });
      },
    ],
  ];
  let asked = 0;
  return tasks.map(([of, task]) => async () => {
    const asking = { number: ++asked, of };
    note('asks', asking);
    await task().finally(() => note('answered', asking));
  });
}

/** Runs the tasks repeatedly, two at a time; ends with the first unexpected error. */
async function workOn(tasks: readonly Task[], { think }: RehearsedPeer['knobs']): Promise<void> {
  const worker = async () => {
    for (;;) {
      await sleep(1 + below(2 * think));
      await tasks[below(tasks.length)]!().catch((error: Error) => {
        // The result is unknown: an operation without a reply.
        if (error.name !== 'LostError') throw error;
      });
    }
  };
  await Promise.all([worker(), worker()]);
}

async function work(shipped: ShippedObjects, peer: RehearsedPeer): Promise<void> {
  const { id, peers, knobs, disk, note } = peer;
  const transport = shipped.linked(wireOf(shipped, peer), { peers });
  const locks = peer.watch(shipped.createLocks({ transport, peers, ...(knobs['stored'] && { storage: diskStorage(disk) }) }));
  const election = shipped.createElection({ transport, peers });
  election.addEventListener('change', () => note('leader', { leader: election.leader }));
  transport.events.subscribe((event) => {
    if (event.type === 'message' && typeof event.message === 'string') note('got', { from: event.from, message: event.message });
  });
  let sent = 0;
  const tasks: readonly Task[] = [
    ...keptTasks(shipped, peer, locks),
    async () => {
      for (let i = below(knobs['burst']); i >= 0; i--) {
        const to = peers[below(peers.length)]!;
        const message = `${id} ${peer.life} ${++sent} ${'x'.repeat(below(knobs['size']))}`;
        if (to === id || !transport.peers.has(to)) continue;
        try {
          transport.send(to, message);
          note('sent', { to, message });
        } catch (error) {
          if ((error as Error).name !== 'BackpressureError') throw error;
        }
      }
    },
  ];
  await workOn(tasks, knobs).catch(endOfFullDisk);
}

const keptJudges = () => [
  linearizable('count', sequentialRegister(0)),
  unique('named', 'name'),
  withinBudget('took', 'n', BUDGET),
];

/** Options of rehearsals over some transports with the same services. */
export const objectsUnder = (
  shipped: ShippedObjects,
  over: readonly string[] = ['hub', 'hub', 'sealed'],
): { options: RehearseOptions; main: Main } => ({
  options: {
    peers: [3, 3, 5],
    services: servicesOf(shipped, over),
    seconds: 24,
    limits: ['shipped', 'small'],
    knobs: { over, stored: [true], think: [50, 200, 800], burst: [1, 5, 40], size: [10, 3_000, 30_000] },
    judges: [...lockJudges(), ...keptJudges(), answered(), oneLeader(), delivery(), noLeaks(HELD_MAX)],
  },
  main: (peer) => work(shipped, peer),
});

/** Faults that end no process, because a process that restarts without a disk has lost its state. */
const NONE_ENDS: NonNullable<RehearseOptions['faults']> = [
  'pause',
  'cut',
  'mute',
  'deaf',
  'part',
  'oneway',
  'split',
  'slow',
  'reset',
];

/** The same workload without disks. */
export function unstoredObjectsUnder(
  shipped: ShippedObjects,
  over?: readonly string[],
): { options: RehearseOptions; main: Main } {
  const { options, main } = objectsUnder(shipped, over);
  return { options: { ...options, faults: NONE_ENDS, knobs: { ...options.knobs, stored: [false] } }, main };
}

/** If nothing has changed, each used object must have completed a request within this time before the end. */
const STILL_MS = 12_000;

/**
 * Each object completes requests, with a value or an error, while peers wait, once all faults are healed and the membership is
 * stable.
 */
export const answered = (): RehearsalJudge => ({
  name: 'answered',
  begin: () => {
    const open = new Map<string, RehearsalEvent>();
    const moved = new Map<unknown, number>();
    let changedMs = 0;
    return {
      observe: (event) => {
        const { type, what, at, peer, of } = event;
        const key = `${peer} ${event['number'] as number}`;
        if (['start', 'end', 'healed'].includes(type) || what === 'members') changedMs = at;
        if (type === 'end') for (const [key, asked] of open) if (asked.peer === peer) open.delete(key);
        if (what === 'asks') open.set(key, event);
        if (what === 'answered') {
          open.delete(key);
          moved.set(of, at);
        }
        return null;
      },
      end: (now) => {
        for (const { peer, of, at } of open.values())
          if (Math.max(at, changedMs, moved.get(of) ?? 0) + STILL_MS < now)
            return `${peer} has asked for ${of as string} at ${Math.round(at)} ms and waits, and no request is answered`;
        return null;
      },
    };
  },
});

/** The register, the names and the quota, stored by members that change as in `membersUnder`. */
export function movingObjectsUnder(shipped: ShippedObjects, over?: readonly string[]): { options: RehearseOptions; main: Main } {
  const { options, main } = membersUnder(shipped, over, (peer, locks) => {
    const tasks = keptTasks(shipped, peer, locks);
    return () => workOn(tasks, peer.knobs);
  });
  return { options: { ...options, judges: [...options.judges!, ...keptJudges(), answered()] }, main };
}
