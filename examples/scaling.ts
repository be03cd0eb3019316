/**
 * A StatefulSet that scales from three voters to five and back, without an operator. The first three are always voters. A process with a
 * larger number asks to be added when it starts, and the leader adds it. It removes itself when it is stopped.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { createLocks } from 'xstate-quiver/locks';
import { folderStorage } from 'xstate-quiver/storage/node';
import { linked, webSocket } from 'xstate-quiver/transports';
import { webSocketHub } from 'xstate-quiver/transports/node';

const FIRST = ['printer-0', 'printer-1', 'printer-2'];
/** Every peer that may ever join. */
const ALL = Array.from({ length: 9 }, (_, number) => `printer-${number}`);

interface Report {
  readonly voters: number;
  readonly fence: number;
}

async function serve(id: string, url: string, folder: string): Promise<void> {
  const isFirst = FIRST.includes(id);
  const transport = linked(webSocket({ id, url, WebSocket }), { peers: ALL });
  const storage = folderStorage(join(folder, id));
  const locks = createLocks({ transport, storage, ...(isFirst ? { peers: FIRST } : { join: true }) });

  transport.events.subscribe((event) => {
    if (event.type !== 'message' || event.message !== 'add me' || locks.status().leader !== id) return;
    locks.addMember(event.from).catch((error) => console.error(`${event.from} is not added yet: ${error.message}`));
  });
  const asking = setInterval(() => {
    if (!locks.members.includes(id)) for (const peer of transport.peers) transport.send(peer, 'add me');
  }, 200);

  process.once('SIGTERM', async () => {
    clearInterval(asking);
    if (!isFirst && locks.members.includes(id)) await locks.removeMember(id, { signal: AbortSignal.timeout(20_000) });
    await locks.close();
    await transport.close();
    process.exit();
  });
  process.once('disconnect', () => process.exit());
  while (locks.status().state !== 'closed') {
    // The request rejects when the process is stopped.
    await locks.request('printer', ({ fence }) => void process.send!({ voters: locks.members.length, fence })).catch(() => {});
    await pause(5);
  }
}

async function scale(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'scaling-'));
  const hub = await webSocketHub({ port: 0 });
  const pods: ChildProcess[] = [];
  const fences: number[] = [];
  /** Resolves when each running process sees this many voters. */
  const voters = (count: number) =>
    Promise.all(
      pods.map(async (pod) => {
        for (;;) if (((await once(pod, 'message')) as [Report])[0].voters === count) return;
      }),
    );
  const start = () => {
    const pod = fork(fileURLToPath(import.meta.url), [ALL[pods.length]!, `ws://127.0.0.1:${hub.port}`, folder]);
    pod.on('message', ({ fence }: Report) => fences.push(fence));
    pods.push(pod);
  };
  const stop = async () => {
    const pod = pods.pop()!;
    pod.kill('SIGTERM');
    const [status] = await once(pod, 'exit');
    if (status !== 0) throw new Error(`a process ended with status ${status}`);
  };
  for (const _ of FIRST) start();
  await voters(3);
  for (const _ of [3, 4]) start();
  await voters(5);
  for (const _ of [4, 3]) await stop();
  await voters(3);
  for (const pod of pods) pod.kill('SIGKILL');
  await hub.close();
  rmSync(folder, { recursive: true });
  console.log(
    `3, 5 and 3 voters; ${new Set(fences).size === fences.length ? 'each grant had its fence' : 'a fence was granted twice'}`,
  );
}

await (process.send ? serve(process.argv[2]!, process.argv[3]!, process.argv[4]!) : scale());
