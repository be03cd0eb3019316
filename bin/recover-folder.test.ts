/** `quiver cluster recover`: one voter of three is left with its folder, and continues; the others come back later. */
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createLocks, type Locks } from '../adapters/locks/locks.js';
import { createRegister } from '../adapters/locks/register.js';
import { folderStorage } from '../adapters/storage/folder.js';
import { InProcessBus } from '../adapters/transports/in-process.js';
import { called } from './called.fixture.js';
import { quiver } from './program.js';

const { printed, inFolder } = called();
const voters = ['a', 'b', 'c'];
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}));

/** Starts voters on one bus, each with its folder and a register. They end with the test, or with `stop`. */
function program(name: string) {
  const bus = new InProcessBus();
  const folderOf = (id: string) => inFolder(`${name}-${id}`);
  const start = (id: string, options: { join: true } | { peers: readonly string[] } = { peers: voters }) => {
    const transport = bus.transport(id);
    const locks = createLocks({ transport, storage: folderStorage(folderOf(id)), ...options });
    const register = createRegister({ locks, name: 'orders', initial: 0, isValue: isInteger });
    const stop = async () => {
      await locks.close({ withinMs: 0 });
      await transport.close();
    };
    onTestFinished(stop);
    return { locks, register, stop };
  };
  const startClient = (id: string) => createLocks({ transport: bus.transport(id), peers: voters, client: true });
  onTestFinished(() => bus.close());
  return { start, startClient, folderOf };
}

type Started = ReturnType<ReturnType<typeof program>['start']>;

const contents = (folder: string) => readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]);
const isServing = (locks: Locks) => vi.waitFor(() => expect(locks.status().state).toBe('serving'), 10_000);

test('a voter whose majority is gone continues with larger fences and its values', async () => {
  const { start, startClient, folderOf } = program('gone');
  const [a, b, c] = voters.map((id) => start(id)) as [Started, Started, Started];
  await Promise.all([a, b, c].map(({ locks }) => locks.ready));
  await a.register.change((n) => n + 41);
  const client = startClient('web');
  await client.acquire('z');
  await c.stop();
  const c2 = start('c');
  await isServing(c2.locks);
  await Promise.all([a.stop(), client.close({ withinMs: 0 })]);
  // The others go on for some epochs, of which `a` knows nothing.
  let other = c2;
  for (let i = 0; i < 3; i++) {
    await other.stop();
    other = start('c');
    await other.locks.ready;
  }
  const last = await b.locks.request('x', ({ fence }) => fence);
  const held = await b.locks.acquire('y');
  await Promise.all([b.stop(), other.stop()]);

  const before = contents(folderOf('a'));
  expect(await quiver(['cluster', 'recover', folderOf('a')])).toBe(1);
  expect(printed[0]).toMatch(/^"locks" of peer "a" in .*: the voters are a, b, c, the largest known epoch is \d+$/);
  expect(printed).toContainEqual(expect.stringMatching(/^ {2}value "locks\/orders", written with fence \d+$/));
  expect(printed).toContain('Nothing has changed. A recovery makes "a" the only voter:');
  expect(contents(folderOf('a'))).toEqual(before);

  expect(await quiver(['cluster', 'recover', folderOf('a'), '--force'])).toBe(0);
  const again = start('a');
  await isServing(again.locks);
  expect(again.locks.members).toEqual(['a']);
  expect(await again.locks.request('x', ({ fence }) => fence)).toBeGreaterThan(last);
  // Locks of other peers and of their clients are free at once.
  const signal = AbortSignal.timeout(2_000);
  for (const name of ['y', 'z'])
    expect(await again.locks.request(name, { signal }, ({ fence }) => fence)).toBeGreaterThan(held.fence);
  expect(await again.register.change((n) => n + 1)).toBe(42);

  // Another voter comes back, with an old list and an old value. It votes only after it was added.
  const back = start('b');
  await vi.waitFor(() => expect(back.locks.members).toEqual(['a']), 10_000);
  expect(back.locks.status().state).toBe('apart');
  expect(await again.locks.addMember('b')).toEqual(['a', 'b']);
  await isServing(back.locks);
  expect(await back.register.change((n) => n + 1)).toBe(43);
  expect(await back.locks.request('x', ({ fence }) => fence)).toBeGreaterThan(last);
}, 30_000);

test('a voter that others have left out, and a repeated recovery', async () => {
  const { start, folderOf } = program('twice');
  const all = voters.map((id) => start(id));
  await Promise.all(all.map(({ locks }) => locks.ready));
  const [a, b] = all as [Started, Started];
  await b.locks.removeMember('a');
  await Promise.all(all.map(({ stop }) => stop()));
  // A register's last answer may still be saved for a moment.
  const recovered = async () => expect(await quiver(['cluster', 'recover', folderOf('a'), '--force'])).toBe(0);
  for (let i = 0; i < 2; i++) await vi.waitFor(recovered, 10_000);
  const again = start('a');
  await isServing(again.locks);
  const last = await again.locks.request('x', ({ fence }) => fence);
  await again.stop();
  const third = start('a');
  await isServing(third.locks);
  expect(await third.locks.request('x', ({ fence }) => fence)).toBeGreaterThan(last);
  expect(a.locks.status().state).toBe('closed');
}, 30_000);

test('a folder that cannot be recovered is left as it is, with an error', async () => {
  const { start, folderOf } = program('wrong');
  const a = start('a', { peers: ['a'] });
  await a.locks.ready;
  await a.stop();
  const folder = folderOf('a');
  const recover = (at: string) => quiver(['cluster', 'recover', at, '--force']);
  await expect(recover(join(folder, 'nowhere'))).rejects.toThrow('nowhere cannot be read (ENOENT');
  const other = inFolder('wrong-other');
  cpSync(folder, other, { recursive: true });
  writeFileSync(join(other, 'locks.json'), 'torn');
  const before = contents(other);
  await expect(recover(other)).rejects.toThrow('"locks" in');
  expect(contents(other)).toEqual(before);
  rmSync(join(other, 'locks.json'));
  await expect(recover(other)).rejects.toThrow('contains no locks that have been served');
  cpSync(join(folder, 'locks.json'), join(folder, 'more.json'));
  await expect(recover(folder)).rejects.toThrow('contains the locks "locks" and "more"');
});
