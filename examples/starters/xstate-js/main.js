import { createActor, waitFor } from 'xstate';
import { createLocks } from 'xstate-quiver/locks';
import { InProcessBus } from 'xstate-quiver/transports';
import { printer } from './printer.js';

// Three peers in one program. In production each is a tab, a worker or a process with its own transport.
const bus = new InProcessBus();
const peers = ['ann', 'bob', 'cy'];
const all = peers.map((id) => createLocks({ transport: bus.transport(id), peers }));

const actors = all.map((locks, i) => {
  const print = (fence) => console.log(`${peers[i]} prints, with fencing token ${fence}`);
  return createActor(printer, { input: { locks, print } }).start();
});
await Promise.all(actors.map((actor) => waitFor(actor, (snapshot) => snapshot.matches('done'))));
for (const actor of actors) actor.stop();
await Promise.all(all.map((locks) => locks.close()));
