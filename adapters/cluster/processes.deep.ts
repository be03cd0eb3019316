/** Three processes on a mesh, of which the host is killed under load: acknowledged events are counted, and none twice. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../testing/servers.js';

interface Report {
  readonly acknowledged: number;
  readonly counted: number;
  readonly host: string;
}

const program = fileURLToPath(new URL('peer.fixture.mjs', import.meta.url));
const next = (child: ChildProcess) => new Promise<unknown>((resolve) => child.once('message', resolve));

test('the host is killed by SIGKILL while all processes send', { timeout: 600_000 }, async () => {
  const ports = { a: await freePort(), b: await freePort(), c: await freePort() };
  const started = Object.keys(ports).map((id) => {
    const child = fork(program, [id, JSON.stringify(ports)], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    return [id, child] as const;
  });
  await Promise.all(started.map(([, child]) => next(child)));
  const processes = new Map(started);
  const work = (id: string, ms: number, lanes: number) => {
    const child = processes.get(id)!;
    const report = next(child) as Promise<Report>;
    child.send({ ms, lanes });
    return report;
  };
  const first = await Promise.all([...processes.keys()].map((id) => work(id, 500, 8)));
  let acknowledged = first.reduce((sum, report) => sum + report.acknowledged, 0);
  const { host } = first[0]!;
  const others = [...processes.keys()].filter((id) => id !== host);
  const sending = Promise.all(others.map((id) => work(id, 6_000, 8)));
  setTimeout(() => processes.get(host)!.kill('SIGKILL'), 500);
  acknowledged += (await sending).reduce((sum, report) => sum + report.acknowledged, 0);
  const last = await work(others[0]!, 0, 1);
  expect(last.counted).toBe(acknowledged + last.acknowledged);
  expect(last.host).not.toBe(host);
});
