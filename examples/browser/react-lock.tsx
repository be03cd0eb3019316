/**
 * Two people and one printer, in React: each component holds the lock as an actor, shows its state and sends clicks to it.
 *
 *
 *     npx vite examples/browser --open react-lock.html
 *
 * @jsxImportSource react
 */
import { useActor } from '@xstate/react';
import { createRoot } from 'react-dom/client';
import { lockLogic, createLocks } from 'xstate-quiver/locks';
import { InProcessBus } from 'xstate-quiver/transports';

const peers = ['ann', 'bob'];
const bus = new InProcessBus();
const all = peers.map((id) => ({ id, locks: createLocks({ transport: bus.transport(id), peers }) }));

function Person({ id, locks }: (typeof all)[number]) {
  const [{ value, context }, send] = useActor(lockLogic, { input: { locks, name: 'printer' } });
  const [label, type] = value === 'free' ? (['print', 'request'] as const) : (['that is all', 'release'] as const);
  return (
    <p>
      <output>{[`${id}:`, value, context.fence].join(' ').trim()}</output>
      <button onClick={() => send({ type })}>{label}</button>
    </p>
  );
}

const people = all.map((person) => <Person key={person.id} {...person} />);
createRoot(document.querySelector('main')!).render(people);
