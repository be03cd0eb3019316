/** One of three peers works: the leader, while it holds the lock. When it closes, the next leader continues. */
import { createActor, sendTo, setup, waitFor, type EventFromLogic } from 'xstate';
import { createElection, electionLogic, type Election, type ElectionNotice } from 'xstate-quiver/election';
import { createLocks, lockLogic, type LockNotice, type Locks } from 'xstate-quiver/locks';
import { InProcessBus } from 'xstate-quiver/transports';

type LockEvent = EventFromLogic<typeof lockLogic>;

interface Peer {
  readonly election: Election;
  readonly locks: Locks;
}

const scheduler = setup({
  types: { context: {} as Peer, input: {} as Peer, events: {} as ElectionNotice | LockNotice },
  actors: { election: electionLogic, lock: lockLogic },
  guards: { isLeader: ({ event }) => event.type === 'leader' && event.isLeader },
  actions: {
    request: sendTo('lock', { type: 'request' } satisfies LockEvent),
    release: sendTo('lock', { type: 'release' } satisfies LockEvent),
    work: ({ context }) => console.log(`${context.election.node.id} works`),
  },
}).createMachine({
  context: ({ input }) => input,
  invoke: [
    { id: 'election', src: 'election', input: ({ context }) => context },
    { id: 'lock', src: 'lock', input: ({ context }) => ({ locks: context.locks, name: 'schedule' }) },
  ],
  on: { leader: [{ guard: 'isLeader', target: '.leading' }, { target: '.following' }] },
  initial: 'following',
  states: {
    following: {},
    leading: {
      entry: 'request',
      exit: 'release',
      initial: 'waiting',
      on: { granted: '.working', lost: { target: '.waiting', actions: 'request' } },
      states: { waiting: {}, working: { entry: 'work' } },
    },
  },
});

const bus = new InProcessBus();
const ids = ['ann', 'bob', 'cy'];
const peers = ids.map((id) => {
  const place = { transport: bus.transport(id), peers: ids };
  return { election: createElection(place), locks: createLocks({ ...place, name: 'jobs' }) };
});
await Promise.all(peers.map(({ election }) => election.ready));
const actors = peers.map((input) => createActor(scheduler, { input }).start());
const working = (among: typeof actors) =>
  Promise.race(among.map((actor) => waitFor(actor, (snapshot) => snapshot.matches({ leading: 'working' })).then(() => actor)));

const first = await working(actors);
await first.getSnapshot().context.election.close();
await working(actors.filter((actor) => actor !== first));
for (const actor of actors) actor.stop();
await Promise.all(peers.flatMap(({ election, locks }) => [election.close(), locks.close()]));
bus.close();
