import { expect, test } from 'vitest';
import { createActor, waitFor } from 'xstate';
import { createLocks } from 'xstate-quiver/locks';
import { InProcessBus } from 'xstate-quiver/transports';
import { printer } from './printer.js';

test('three machines print one after another, with growing fencing tokens', async () => {
  const bus = new InProcessBus();
  const peers = ['ann', 'bob', 'cy'];
  const all = peers.map((id) => createLocks({ transport: bus.transport(id), peers }));
  const fences = [];
  const actors = all.map((locks) => createActor(printer, { input: { locks, print: (fence) => fences.push(fence) } }).start());
  const isPrinting = () => actors.filter((actor) => actor.getSnapshot().matches('printing')).length;
  let most = 0;
  for (const actor of actors) actor.subscribe(() => (most = Math.max(most, isPrinting())));
  await Promise.all(actors.map((actor) => waitFor(actor, (snapshot) => snapshot.matches('done'))));
  for (const actor of actors) actor.stop();
  await Promise.all(all.map((locks) => locks.close()));
  expect(most).toBe(1);
  expect(fences).toHaveLength(3);
  expect(fences).toEqual(fences.toSorted((a, b) => a - b));
});
