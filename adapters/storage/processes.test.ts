/** Three real processes over a mesh, all ended by kill -9 at once and started again: what is built, on folders of a real disk. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../bench/servers.js';

const IDS = ['a', 'b', 'c'];

interface Taken {
  readonly fence: number;
  readonly name: number;
  readonly ok: boolean;
  readonly turns: number;
}

/** What each of the peers is given, one after the other, in lives of the whole cluster. */
async function livesOf(count: number, folderOf: (id: string) => readonly string[]): Promise<Taken[]> {
  const ports = await Promise.all(IDS.map(() => freePort()));
  const taken: Taken[] = [];
  for (let life = 0; life < count; life++) {
    const running = IDS.map((id) => start(id, ports, folderOf(id)));
    await Promise.all(running.map(({ ready }) => ready));
    for (const { child } of running) {
      child.send('take');
      const [said] = (await once(child, 'message')) as [Taken];
      taken.push(said);
    }
    await Promise.all(running.map(({ child }) => ended(child)));
  }
  return taken;
}

function start(id: string, ports: readonly number[], folder: readonly string[]) {
  const child = fork(fileURLToPath(new URL('peer.fixture.mjs', import.meta.url)), [id, ports.join(), ...folder]);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ready: once(child, 'message') };
}

async function ended(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

test('with storage fences go on growing, names stay unique, quotas exact, registers as they were', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-processes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const taken = await livesOf(2, (id) => [join(folder, id)]);
  const fences = taken.map(({ fence }) => fence);
  expect(fences).toEqual([...new Set(fences)].sort((p, q) => p - q));
  expect(new Set(taken.map(({ name }) => name)).size).toBe(6);
  expect(taken.filter(({ ok }) => ok)).toHaveLength(5);
  expect(taken.map(({ turns }) => turns)).toEqual([1, 2, 3, 4, 5, 6]);
}, 120_000);

test('without storage names, quotas and registers begin anew', async () => {
  const taken = await livesOf(2, () => []);
  expect(taken.map(({ turns }) => turns)).toEqual([1, 2, 3, 1, 2, 3]);
  expect(new Set(taken.map(({ name }) => name)).size).toBe(3);
}, 120_000);
