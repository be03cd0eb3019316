/** Starts programs for tests that report to an inspector. Each is a separate process that runs `live/peer.fixture.mjs`. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export interface Peer {
  readonly process: ChildProcess;
  /** Resolves when the program has printed `line`; each line counts once. */
  waitFor(line: string): Promise<void>;
}

/** Starts a peer until the test has finished; `environment` contains the address of its reports. */
export function startPeer(id: string, port: number, environment: Readonly<Record<string, string>>): Peer {
  const args = ['--import', here('../../../dist/inspector/live/auto.js'), here('../../live/peer.fixture.mjs'), id, String(port)];
  const env = { ...process.env, ...environment, QUIVER_PROGRAM: `peer ${id}` };
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed: string[] = [];
  let wake = () => {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    printed.push(line);
    wake();
  });
  return {
    process: child,
    async waitFor(line) {
      while (!printed.includes(line)) await new Promise<void>((resolve) => (wake = resolve));
      printed.splice(printed.indexOf(line), 1);
    },
  };
}
