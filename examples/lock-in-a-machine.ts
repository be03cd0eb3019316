/** Three custom machines that print, one at a time: each invokes the lock as actor logic and works while it is granted. */
import { createActor, sendTo, setup, waitFor } from 'xstate';
import { createLocks, lockLogic, type Locks } from 'xstate-quiver/locks';
import { InProcessBus } from 'xstate-quiver/transports';

interface LockInput {
  readonly locks: Locks;
  readonly name: string;
}

const printer = setup({
  types: { input: {} as LockInput, context: {} as { lock: LockInput } },
  actors: { lock: lockLogic },
  actions: {
    wantLock: sendTo('lock', { type: 'request' }),
    giveLockBack: sendTo('lock', { type: 'release' }),
    print: ({ context, event }) => console.log(`${context.lock.locks.node.id} prints, fence ${event['fence']}`),
  },
}).createMachine({
  context: ({ input }) => ({ lock: input }),
  invoke: { id: 'lock', src: 'lock', input: ({ context }) => context.lock },
  initial: 'waiting',
  states: {
    waiting: { entry: 'wantLock', on: { granted: { target: 'printing', actions: 'print' } } },
    printing: { after: { 100: 'done' }, exit: 'giveLockBack' },
    done: {},
  },
});

const bus = new InProcessBus();
const peers = ['ann', 'bob', 'cy'];
const all = peers.map((id) => createLocks({ transport: bus.transport(id), peers }));
const actors = all.map((locks) => createActor(printer, { input: { locks, name: 'printer' } }).start());
await Promise.all(actors.map((actor) => waitFor(actor, (snapshot) => snapshot.matches('done'))));
for (const actor of actors) actor.stop();
bus.close();
