/**
 * A cron that runs once among four processes: the holder of the lock runs the job at every tick, and when it crashes another one takes
 * over.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { createLocks } from 'xstate-quiver/locks';
import { linked, webSocket } from 'xstate-quiver/transports';
import { webSocketHub } from 'xstate-quiver/transports/node';

const [PEERS, TICK_MS] = [['p1', 'p2', 'p3', 'p4'], 100];

async function serve(id: string, url: string): Promise<void> {
  process.on('disconnect', () => process.exit());
  const transport = linked(webSocket({ id, url, WebSocket }), { peers: PEERS, patience: 20 });
  const locks = createLocks({ transport, peers: PEERS });
  for (;;) {
    await using lock = await locks.acquire('cron');
    for (let tick = Math.ceil(Date.now() / TICK_MS); !lock.signal.aborted; tick++) {
      await pause(tick * TICK_MS - Date.now());
      if (!lock.signal.aborted) process.send!(tick);
    }
  }
}

const hub = await (process.send ? serve(process.argv[2]!, process.argv[3]!) : webSocketHub({ port: 0 }));
const children = PEERS.map((id) => fork(fileURLToPath(import.meta.url), [id, `ws://127.0.0.1:${hub!.port}`]));
const runs: [ChildProcess, number][] = [];
for (const child of children) {
  child.on('message', (tick: number) => {
    runs.push([child, tick]);
    if (runs.length === 5) child.kill('SIGKILL');
    if (runs.length !== 10) return;
    for (const other of children) other.kill('SIGKILL');
    const different = (column: 0 | 1) => new Set(runs.map((run) => run[column])).size;
    console.log(`10 runs by ${different(0)} processes, at ${different(1)} different ticks`);
    void hub!.close();
  });
}
