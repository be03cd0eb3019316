/** Guarantees of a neighborhood for its holder, and exclusion of other peers. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { ClosedError } from './transports/errors.js';
import { InProcessBus } from './transports/in-process.js';
import { Neighborhood } from './neighborhood.js';

async function people(...ids: string[]) {
  const bus = new InProcessBus();
  const transports = Object.fromEntries(ids.map((id) => [id, bus.transport(id)]));
  const all = Object.fromEntries(ids.map((id) => [id, new Neighborhood({ transport: transports[id]!, peers: ids })]));
  onTestFinished(async () => {
    await Promise.all(Object.values(all).map((each) => each.close()));
    bus.close();
  });
  await Promise.all(Object.values(all).map(({ ready }) => ready));
  // All peers have received all greetings after this turn.
  await new Promise((resolve) => setImmediate(resolve));
  return { all, transports };
}

test('holds itself and all connected peers', async () => {
  const { all } = await people('a', 'b', 'c');
  await using held = await all['b']!.lock();
  expect([...held.peers].sort()).toEqual(['a', 'c']);
  expect(held.has('b')).toBe(false);
});

test('peers that share a neighbor exclude each other, and all are served', async () => {
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

test('a peer that leaves is released, and does not delay a request', async () => {
  const { all, transports } = await people('a', 'b', 'c');
  const held = await all['a']!.lock();
  await transports['c']!.close();
  await expect.poll(() => held.peers).toEqual(['b']);
  held.release();
  expect(held.peers).toEqual([]);
  await using again = await all['b']!.lock();
  expect(again.peers).toEqual(['a']);
});

test('an aborted request rejects, and blocks no other peer', async () => {
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

test('a second release has no effect on a later holder', async () => {
  const { all } = await people('a', 'b');
  const first = await all['a']!.lock();
  first.release();
  const second = await all['a']!.lock();
  first.release();
  expect([first.peers, second.peers]).toEqual([[], ['b']]);
  expect(all['a']!.node.view()['exclusion']!.value).toMatchObject({ initiator: 'locked' });
  let isLocked = false;
  const other = all['b']!.lock().then(() => (isLocked = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isLocked).toBe(false);
  second.release();
  await other;
});

test('close rejects waiting requests', async () => {
  const { all } = await people('a', 'b');
  await using _held = await all['a']!.lock();
  const waiting = all['b']!.lock();
  await all['b']!.close();
  await expect(waiting).rejects.toThrow(new ClosedError('neighborhood "neighborhood" is closed'));
});

test('the second request of a peer waits until all of them are locked again', async () => {
  const { all } = await people('a', 'b');
  const notified: string[] = [];
  all['a']!.node.notifications$.subscribe(({ type }) => notified.push(type));
  const [first, second] = [all['a']!.lock(), all['a']!.lock()];
  (await first).release();
  await using _again = await second;
  expect(notified).toEqual(['locked', 'unlocked', 'locked']);
});

test('holders keep the lock without a time limit', async () => {
  const { all } = await people('a');
  expect(all['a']!.node.scenario.options).toEqual({ hold: null, rules: 'deferred' });
});

test('the order of the list of peers does not matter', async () => {
  const { all } = await people('b', 'a');
  expect(all['b']!.node.scenario.topology).toEqual({ nodes: ['a', 'b'], links: [] });
});

test('a request that is aborted before it starts sends no messages', async () => {
  const { all } = await people('a', 'b');
  const asks = vi.spyOn(all['a']!.node, 'command');
  await expect(all['a']!.lock({ signal: AbortSignal.abort(new Error('never mind')) })).rejects.toThrow('never mind');
  expect(asks).not.toHaveBeenCalled();
});

test('a neighborhood ends with its block, and releases all peers', async () => {
  const { all } = await people('a', 'b');
  const held = await all['a']!.lock();
  {
    await using _ending = all['a']!;
  }
  expect(held.peers).toEqual([]);
  await expect(all['a']!.lock()).rejects.toThrow('closed');
});

test('it is an XState actor, that of its node', async () => {
  const { all } = await people('a');
  expect(all['a']!.actor).toBe(all['a']!.node.actor);
});

test('missing options are named', () => {
  expect(() => new Neighborhood({ peers: ['a'] } as never)).toThrow('Neighborhood: transport is missing');
});
