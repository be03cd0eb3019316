/** Three real processes over a mesh. All are killed with kill -9 and started again. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { freePort } from '../../testing/servers.js';

const IDS = ['a', 'b', 'c'];

interface Taken {
  readonly fence: number;
  readonly name: number;
  readonly ok: boolean;
  readonly turns: number;
}

/** Results of each peer, in order, by lifetime of the whole cluster. */
export async function livesOf(count: number, folderOf: (id: string) => readonly string[]): Promise<Taken[]> {
  const ports = await Promise.all(IDS.map(() => freePort()));
  const taken: Taken[] = [];
  for (let life = 0; life < count; life++) {
    const running = IDS.map((id) => start(id, ports, folderOf(id)));
    await Promise.all(running.map(({ ready }) => ready));
    for (const { child } of running) {
      child.send('take');
      const [reported] = (await once(child, 'message')) as [Taken];
      taken.push(reported);
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
