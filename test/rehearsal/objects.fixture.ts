/**
 * What stands on locks, as it ships: registers, lasting names and quotas, an election, and messages of the application's own, used by every
 * peer at once over one linked transport, with what locks promise kept on the peer's disk.
 */
import { servicesOf, sleep, below, endOfFullDisk, storageOn, wireOf, type Shipped } from './locks.fixture.js';
import { lockJudges } from './judges.js';
import { sequentialRegister } from './linearizability.js';
import { delivery, linearizable, noLeaks, oneLeader, unique, withinBudget } from './object-judges.js';
import type { Main, RehearsedPeer } from './peer.js';
import type { RehearseOptions } from './rehearse.js';

/** Beside what an application of locks uses. */
export interface ShippedObjects extends Shipped {
  readonly Register: typeof import('../../adapters/locks/register.js').Register;
  readonly createLastingNames: typeof import('../../adapters/locks/lasting-names.js').createLastingNames;
  readonly createLastingQuota: typeof import('../../adapters/locks/lasting-quota.js').createLastingQuota;
  readonly createElection: typeof import('../../adapters/election.js').createElection;
}

export const OBJECTS = ['locks/register', 'locks/lasting-names', 'locks/lasting-quota', 'election'];

const BUDGET = 20;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value);

async function work(shipped: ShippedObjects, peer: RehearsedPeer): Promise<void> {
  const { id, peers, knobs, disk, note, operation } = peer;
  const transport = shipped.linked(wireOf(shipped, peer), { peers });
  const locks = peer.watch(shipped.createLocks({ transport, peers, storage: storageOn(disk) }));
  const election = shipped.createElection({ transport, peers });
  election.addEventListener('change', () => note('leader', { leader: election.leader }));
  const register = new shipped.Register<number>(locks, 'count', 0, isCount);
  const names = shipped.createLastingNames({ locks });
  const quota = shipped.createLastingQuota({ locks, budget: BUDGET, waste: peers.length });
  transport.events.subscribe((event) => {
    if (event.type === 'message' && typeof event.message === 'string') note('got', { from: event.from, message: event.message });
  });
  let sent = 0;
  const tasks: readonly (() => Promise<unknown>)[] = [
    () => operation('count', { add: 1 }, () => register.change((count) => count + 1)),
    async () => note('named', { name: await names.next() }),
    async () => {
      const { ok } = await quota.take();
      if (ok) note('took', { n: 1 });
    },
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
  const worker = async () => {
    for (;;) {
      await sleep(1 + below(2 * knobs['think']));
      await tasks[below(tasks.length)]!().catch((error: Error) => {
        // Whether it counts is not known: an operation without an answer.
        if (error.name !== 'LostError') throw error;
      });
    }
  };
  await Promise.all([worker(), worker()]).catch(endOfFullDisk);
}

/** `over`: which transports the runs draw from; those that need the same services. */
export const objectsUnder = (
  shipped: ShippedObjects,
  over: readonly string[] = ['hub', 'hub', 'sealed'],
): { options: RehearseOptions; main: Main } => ({
  options: {
    peers: [3, 3, 5],
    services: servicesOf(shipped, over),
    seconds: 24,
    limits: ['shipped', 'small'],
    knobs: { over, think: [50, 200, 800], burst: [1, 5, 40], size: [10, 3_000, 30_000] },
    judges: [
      ...lockJudges(),
      linearizable('count', sequentialRegister(0)),
      unique('named', 'name'),
      withinBudget('took', 'n', BUDGET),
      oneLeader(),
      delivery(),
      noLeaks(),
    ],
  },
  main: (peer) => work(shipped, peer),
});
