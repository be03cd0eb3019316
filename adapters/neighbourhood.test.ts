import { expect, onTestFinished, test } from 'vitest';
import { ClosedError } from './transports/errors.js';
import { InProcessBus } from './transports/in-process.js';
import { Neighbourhood } from './neighbourhood.js';

async function people(...ids: string[]) {
  const bus = new InProcessBus();
  const transports = Object.fromEntries(ids.map((id) => [id, bus.transport(id)]));
  const all = Object.fromEntries(ids.map((id) => [id, new Neighbourhood({ transport: transports[id]!, peers: ids })]));
  onTestFinished(async () => {
    await Promise.all(Object.values(all).map((each) => each.close()));
    bus.close();
  });
  await Promise.all(Object.values(all).map(({ ready }) => ready));
  // Everybody has heard of everybody once this turn is over.
  await new Promise((resolve) => setImmediate(resolve));
  return { all, transports };
}

test('holds itself and everybody who is there', async () => {
  const { all } = await people('a', 'b', 'c');
  await using held = await all['b']!.lock();
  expect([...held.peers].sort()).toEqual(['a', 'c']);
  expect(held.has('b')).toBe(false);
});

test('those who share a neighbour exclude each other, and everybody is served', async () => {
  const { all } = await people('a', 'b', 'c', 'd');
  let inside = 0;
  const served: string[] = [];
  const work = async (id: string) => {
    await using _held = await all[id]!.lock();
    expect(++inside).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    served.push(id);
    inside--;
  };
  await Promise.all(['a', 'b', 'c', 'd', 'a', 'b'].map(work));
  expect(served.sort()).toEqual(['a', 'a', 'b', 'b', 'c', 'd']);
});

test('a peer that goes is held no longer, and does not keep a request waiting', async () => {
  const { all, transports } = await people('a', 'b', 'c');
  const held = await all['a']!.lock();
  await transports['c']!.close();
  await expect.poll(() => held.peers).toEqual(['b']);
  held.release();
  expect(held.peers).toEqual([]);
  await using again = await all['b']!.lock();
  expect(again.peers).toEqual(['a']);
});

test('a request that is given up rejects, and keeps nobody else from the lock', async () => {
  const { all } = await people('a', 'b');
  const held = await all['a']!.lock();
  const impatience = new AbortController();
  const given = all['b']!.lock({ signal: impatience.signal });
  impatience.abort(new Error('too long'));
  await expect(given).rejects.toThrow('too long');
  held.release();
  await using again = await all['a']!.lock();
  expect(again.peers).toEqual(['b']);
});

test('releasing twice is harmless: who has locked it since keeps it', async () => {
  const { all } = await people('a', 'b');
  const first = await all['a']!.lock();
  first.release();
  const second = await all['a']!.lock();
  first.release();
  expect([first.peers, second.peers]).toEqual([[], ['b']]);
  let isLocked = false;
  const other = all['b']!.lock().then(() => (isLocked = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isLocked).toBe(false);
  second.release();
  await other;
});

test('closing rejects who waits', async () => {
  const { all } = await people('a', 'b');
  await using _held = await all['a']!.lock();
  const waiting = all['b']!.lock();
  await all['b']!.close();
  await expect(waiting).rejects.toThrow(ClosedError);
});
