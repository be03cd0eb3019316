/** `quiver spawn` as processes: locks on a hub, the holder killed, the others go on; and the trace of one is verified. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { webSocketHub } from '../../adapters/transports/web-socket-hub.js';
import { quiver } from '../program.js';

const folder = mkdtempSync(join(tmpdir(), 'quiver-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const scenario = join(folder, 'locks.json');
writeFileSync(scenario, JSON.stringify({ protocol: 'locks', topology: { kind: 'ring', n: 3 } }));

class Process {
  private readonly child: ChildProcess;
  private readonly lines: any[] = [];
  private wake = () => {};

  constructor(...args: string[]) {
    this.child = spawn(process.execPath, ['dist/bin/quiver.js', 'spawn', ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.child.stdout! }).on('line', (line) => {
      this.lines.push(JSON.parse(line));
      this.wake();
    });
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  sendText(line: object | string): void {
    this.child.stdin!.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  }

  /** The next line of that type. */
  async shows(type: string): Promise<any> {
    for (;;) {
      const place = this.lines.findIndex((line) => line.type === type);
      if (place >= 0) return this.lines.splice(0, place + 1).at(-1);
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    return (await exited)[0];
  }
}

test('after the holder of a shared lock is killed, the next one gets a larger fence', async () => {
  const hub = await webSocketHub({ port: 0 });
  onTestFinished(() => hub.close());
  const url = `ws://127.0.0.1:${hub.port}`;
  const trace = join(folder, 'trace.ndjson');
  const start = (id: string, ...args: string[]) => new Process(scenario, id, '--url', url, ...args);
  const [a, b, c] = [start('n0'), start('n1', '--trace', trace), start('n2')];
  await Promise.all([a, b, c].map((each) => each.shows('serving')));
  a.sendText({ do: 'request', lock: 'printer' });
  const first = await a.shows('lock.granted');
  b.sendText({ do: 'request', lock: 'printer' });
  b.sendText('pray');
  expect(await b.shows('refused')).toMatchObject({
    why: 'locks has no command "pray". Use one of: request, share, bootstrap, change, withdraw, ended, release, cancel.',
  });
  await a.end('SIGKILL');
  const second = await b.shows('lock.granted');
  expect(second).toMatchObject({ lock: 'printer' });
  expect(second.fence).toBeGreaterThan(first.fence);
  const again = start('n0');
  await again.shows('serving');
  again.sendText({ do: 'request', lock: 'printer' });
  b.sendText({ do: 'release', lock: 'printer' });
  expect((await again.shows('lock.granted')).fence).toBeGreaterThan(second.fence);
  expect(await b.end('SIGTERM')).toBe(0);
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  expect(await quiver(['verify', trace])).toBe(0);
  log.mockRestore();
});

const takes =
  /one of its nodes, and either --url or --hub: npx quiver spawn FILE NODE --url ws:\/\/…, or npx quiver spawn FILE NODE --hub PORT/;

test.each([
  [[], takes],
  [[scenario, 'n0'], takes],
  [[scenario, 'n0', '--url', 'ws://127.0.0.1:1', '--hub', '0'], takes],
  [[scenario, 'n9', '--hub', '0'], /Unknown node "n9" in .*\. Its nodes are n0, n1, n2/],
  [['none.json', 'n0', '--hub', '0'], /Cannot read none.json/],
])('%j is refused', async (args, why) => {
  await expect(quiver(['spawn', ...args])).rejects.toThrow(why);
});
