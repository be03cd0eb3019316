import type { Server } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { acceptSockets } from './sockets.js';

test('without the package ws, the error names its use and how to install it', async () => {
  vi.doMock('ws', () => {
    throw new Error("Cannot find package 'ws'");
  });
  onTestFinished(() => vi.doUnmock('ws'));
  const connect = () => ({ take: () => {}, end: () => {} });
  await expect(acceptSockets({} as Server, '/inspect', connect, () => {})).rejects.toThrow(
    /^An inspector page for programs \(quiver explore --live, .*\) needs the package ws\. Install it: npm install ws$/,
  );
});
