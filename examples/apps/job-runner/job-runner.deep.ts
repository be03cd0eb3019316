/** The workers as processes next to a real NATS server: one stalls and continues late, one is killed, one is stopped by a signal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { jetStreamServer } from '../../../adapters/transports/servers.fixture.js';
import { freePort, hasCommand } from '../../../testing/servers.js';
import { JobStore, type Job } from './store.js';

const PEERS = ['w-0', 'w-1', 'w-2'];
const soon = { timeout: 120_000, interval: 50 };

async function startServer(): Promise<string> {
  const data = mkdtempSync(join(tmpdir(), 'quiver-job-runner-'));
  const nats = await jetStreamServer(data);
  onTestFinished(async () => {
    await nats.kill();
    rmSync(data, { recursive: true, force: true });
  });
  return `nats://127.0.0.1:${nats.port}`;
}

/** A worker as a process, its address, and all its output when it ends. */
async function startWorker(ID: string, NATS_URL: string, peers = PEERS) {
  const PORT = String(await freePort());
  const env = { ...process.env, ID, NATS_URL, PORT, PEERS: peers.join(), JOBS: 'jobs.fixture.js', PATIENCE_MS: '1000' };
  const child = spawn(process.execPath, ['main.js'], { cwd: import.meta.dirname, env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const reported = Promise.all([text(child.stdout), text(child.stderr)]).then((all) => all.join(''));
  return { process: child, url: `http://127.0.0.1:${PORT}`, reported };
}

test.skipIf(!hasCommand('nats-server'))(
  'every job is finished, and once, whatever becomes of the workers',
  async () => {
    const servers = await startServer();
    const workers = new Map(await Promise.all(PEERS.map(async (id) => [id, await startWorker(id, servers)] as const)));
    const { url } = workers.get('w-0')!;
    const ready = () =>
      Promise.all([...workers.values()].map(({ url }) => fetch(`${url}/readyz`).then(({ status }) => status, String)));
    await expect.poll(ready, soon).toEqual([200, 200, 200]);

    // By HTTP.
    const put = async (id: string, job: unknown) =>
      (await fetch(`${url}/jobs/${id}`, { method: 'PUT', body: JSON.stringify(job) })).status;
    expect(await put('one', { kind: 'slow', input: { ms: 1 } })).toBe(201);
    expect(await put('one', { kind: 'bad' })).toBe(200);
    expect(await put('two', { input: 1 })).toBe(400);
    expect((await fetch(`${url}/jobs/none`)).status).toBe(404);
    await expect.poll(async () => (await fetch(`${url}/jobs/one`)).json(), soon).toMatchObject({ state: 'done', begun: 1 });

    const connection = await connect({ servers });
    onTestFinished(() => connection.close());
    const bucket = await new Kvm(connection).open('jobs');
    const store = new JobStore(bucket);
    const add = (id: string, ms: number) => store.add(id, { kind: 'slow', input: { ms } });
    const jobIs = async (id: string, what: Partial<Job>) => {
      await expect.poll(() => store.get(id), soon).toMatchObject(what);
    };
    /** The worker that is at it. */
    const begun = async (id: string) => {
      await add(id, 2_500);
      await jobIs(id, { begun: 1 });
      return workers.get((await store.get(id))!.by!)!.process;
    };
    await store.add('fails', { kind: 'bad', input: null });
    for (let i = 0; i < 30; i++) await add(`job-${i}`, 50);

    const stopped = await begun('stands-still');
    stopped.kill('SIGSTOP');
    await jobIs('stands-still', { begun: 2 });
    stopped.kill('SIGCONT');
    await jobIs('stands-still', { state: 'done', begun: 2 });

    await expect.poll(ready, soon).toEqual([200, 200, 200]);
    (await begun('killed')).kill('SIGKILL');
    await jobIs('killed', { state: 'done', begun: 2 });

    const notified = await begun('told-to-go');
    notified.kill('SIGTERM');
    expect(await once(notified, 'exit')).toEqual([0, null]);
    await jobIs('told-to-go', { state: 'done', begun: 1 });
    await jobIs('fails', { state: 'failed', begun: 3, error: 'Error: as always' });

    // The bucket has kept every step.
    const steps = new Map<string, Job[]>();
    for await (const entry of await bucket.history()) steps.set(entry.key, [...(steps.get(entry.key) ?? []), entry.json<Job>()]);
    const endings = [...steps].flatMap(([id, jobs]) => jobs.slice(0, -1).flatMap(({ state }) => (state === 'open' ? [] : [id])));
    // Nothing is changed after its end, and nothing by an older fence.
    expect(endings).toEqual([]);
    const fallen = [...steps].filter(([, jobs]) => jobs.some(({ fence }, i) => fence < (jobs[i - 1]?.fence ?? 0)));
    expect(fallen).toEqual([]);
    const unfinished = [...steps].filter(([id, jobs]) => !/tick|fails/.test(id) && jobs.at(-1)!.state !== 'done');
    expect(unfinished).toEqual([]);
    const slots = [...steps.keys()].flatMap((id) => (id.startsWith('tick-') ? [Number(id.slice(5))] : []));
    expect(slots.length).toBeGreaterThan(3);
  },
  600_000,
);

describe.skipIf(!hasCommand('nats-server'))('a worker that is not served', () => {
  test('ends on a signal while it waits for a majority', async () => {
    const { process, url, reported } = await startWorker('w-0', await startServer());
    await expect.poll(() => fetch(`${url}/readyz`).then(({ status }) => status, String), soon).toBe(503);
    process.kill('SIGTERM');
    expect(await once(process, 'exit')).toEqual([0, null]);
    expect(await reported).toMatch(/^w-0: SIGTERM: starts no more jobs\nw-0: has stopped\n$/m);
  }, 600_000);

  test('ends with the reason when the others have another list', async () => {
    const servers = await startServer();
    const others = await Promise.all(['w-1', 'w-2'].map((id) => startWorker(id, servers)));
    const { process, reported } = await startWorker('w-0', servers, ['w-0', 'w-1', 'w-3']);
    expect(await once(process, 'exit')).toEqual([1, null]);
    expect(await reported).toContain('w-0: the locks have ended: peer "w-1" was started with the peers w-0, w-1, w-2');
    for (const { process } of others) expect(process.exitCode).toBeNull();
  }, 600_000);
});

test('a worker without peers does not start, and prints what to set', async () => {
  const { process, reported } = await startWorker('w-0', 'nats://127.0.0.1:1', []);
  expect(await once(process, 'exit')).toEqual([1, null]);
  expect(await reported).toBe(
    'PEERS is missing. Set the same list of ids for all workers: PEERS=worker-0,worker-1,worker-2. ' +
      'PEERS=w-0 starts a cluster of one worker, permanently.\n',
  );
}, 600_000);
