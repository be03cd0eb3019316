/** Outgoing reports: bounded, cut, repeated without an answer, and without effect on the program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { TraceLine } from '../../network/trace.js';
import { sentence } from '../model/words.js';
import { ReportBacklog } from './backlog.js';
import { Inbox, type Batch } from './inbox.js';
import { Merger } from './merge.js';
import { Outbox } from './outbox.js';
import type { LiveReport, StepReport } from './report.js';

const program = { name: 'p', run: 'r' };
let time = 0;
const report = (extra: Partial<StepReport> = {}): StepReport => ({
  at: ++time,
  node: 'n',
  kind: 'command',
  event: { type: 'go' },
  sent: [],
  emitted: [],
  roles: { r: { chart: 'c', value: 'a', context: {} } },
  ...extra,
});
const start = (node: string, extra: Partial<StepReport> = {}) =>
  report({ node, kind: 'start', event: { type: 'start' }, ...extra });
const end = (node: string) => report({ node, kind: 'crash', event: { type: 'ended' }, roles: {} });
const at = (count: number) => ({ r: { chart: 'c', value: 'a', context: { n: count } } });

/** All that waits, batch by batch. */
function taken(backlog: ReportBacklog): { reports: LiveReport[]; sizes: number[] } {
  const batches: (readonly string[])[] = [];
  while (!backlog.isEmpty) batches.push(backlog.take());
  return {
    reports: batches.flat().map((text) => JSON.parse(text) as LiveReport),
    sizes: batches.map((texts) => Buffer.byteLength(texts.join())),
  };
}

/** The inspector's display of the reports. */
function shown(reports: readonly LiveReport[]): { lines: string[]; merger: Merger } {
  const lines: TraceLine[] = [];
  const merger = new Merger(0, (line) => lines.push(line));
  const inbox = new Inbox(merger);
  inbox.putAll({ program, reports });
  inbox.close();
  return { lines: lines.map(sentence), merger };
}

describe('a queue of reports', () => {
  test('is bounded in bytes; a gap counts missing reports, and the last state is right', () => {
    const backlog = new ReportBacklog(100_000);
    backlog.put(start('still', { roles: { ...at(7), other: { chart: 'c', value: 'b', context: {} } } }));
    backlog.put(start('n', { charts: { c: { id: 'c' } }, links: ['still'] }));
    for (let count = 1; count <= 20_000; count++) backlog.put(report({ roles: at(count) }));
    const { reports } = taken(backlog);
    expect(Buffer.byteLength(JSON.stringify(reports))).toBeLessThan(100_000);
    const notified = reports.filter(({ kind }) => kind === 'command').length;
    expect(reports[0]).toMatchObject({ kind: 'gap', count: 20_002 - notified });
    const { lines, merger } = shown(reports);
    expect(lines[0]).toBe(`left out: ${20_002 - notified} reports of p, which were too many or too large`);
    expect(merger.nodes.get('n')!['r']!.context).toEqual({ n: 20_000 });
    expect(merger.nodes.get('still')).toMatchObject({ ...at(7), other: { value: 'b' } });
    expect(reports.find(({ node, kind }) => node === 'n' && kind === 'start')).toMatchObject({ charts: { c: { id: 'c' } } });
  });

  test('of actors that come and go only those that are there, and charts', () => {
    const backlog = new ReportBacklog(100_000);
    backlog.put(start('first', { charts: { job: { id: 'job' } } }));
    backlog.put(end('first'));
    for (let count = 0; count < 5000; count++) {
      backlog.put(start(`job ${count}`));
      if (count !== 7) backlog.put(end(`job ${count}`));
    }
    backlog.put(end('known before'));
    for (let count = 0; count < 1000; count++) backlog.put(report());
    const { reports } = taken(backlog);
    const gap = reports.findIndex(({ kind }) => kind === 'command');
    expect(reports.slice(1, gap).map(({ node, kind }) => `${node} ${kind}`)).toEqual([
      'first start',
      'first crash',
      'job 7 start',
      'known before note',
      'known before crash',
      'n note',
    ]);
  });

  test('is sent in batches that are taken; a single report that is too large is cut', () => {
    const backlog = new ReportBacklog();
    const large = { r: { chart: 'c', value: 'a', context: { text: 'é'.repeat(600_000), n: 1 } } };
    for (let count = 0; count < 10; count++) backlog.put(report({ roles: large }));
    backlog.put(report({ roles: { r: { chart: 'c', value: 'a', context: { text: 'é'.repeat(6e6), n: 2 } } } }));
    const big = { a: 5n } as unknown as StepReport['event'];
    backlog.put(report({ event: { ...big, type: 'big' } }));
    const { reports, sizes } = taken(backlog);
    expect(Math.max(...sizes)).toBeLessThan(4_000_000);
    expect(reports).toHaveLength(12);
    const { text, n } = (reports[10] as StepReport).roles['r']!.context as unknown as { text: string; n: number };
    expect([n, text.slice(-22)]).toEqual([2, '… (6000000 characters)']);
    expect((reports[11] as StepReport).event).toEqual({ type: 'big', a: '5' });
  });
});

/** An inspector with programmed answers. */
async function inspector(answer: (batch: Batch) => number | null): Promise<string> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
    const status = answer(JSON.parse(Buffer.concat(pieces).toString()) as Batch);
    if (status !== null) response.writeHead(status, { 'content-type': 'application/json' }).end('null');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/t/`;
}

test('a batch without an answer is sent again with its number, and taken once', async () => {
  const lines: TraceLine[] = [];
  const inbox = new Inbox(new Merger(0, (line) => lines.push(line)));
  let isDeaf = true;
  const url = await inspector((batch) => {
    const isTaken = inbox.putAll(batch);
    return isDeaf && batch.reports.length > 0 ? null : isTaken ? 200 : 409;
  });
  const outbox = new Outbox(url, program);
  outbox.put(start('n'));
  await expect(outbox.flush()).rejects.toThrow('does not respond');
  isDeaf = false;
  outbox.put(report());
  // With the patience of a flush: `close` gives an inspector that did not answer a quarter of a second, which a busy machine exceeds.
  await outbox.flush();
  await outbox.close();
  inbox.close();
  // On a busy machine, the program may have been gone meanwhile.
  const sentences = lines.map(sentence).filter((text) => !/is gone|was already running/.test(text));
  expect(sentences).toEqual(['n started', 'n was asked to go']);
});

test('an inspector that is busy at the start gets everything when it answers', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  let isBusy = true;
  const events: string[] = [];
  const url = await inspector((batch) => {
    if (isBusy) return null;
    events.push(...batch.reports.map((one) => ('event' in one ? one.event.type : one.kind)));
    return 200;
  });
  const outbox = new Outbox(url, program);
  onTestFinished(() => outbox.kill());
  outbox.put(start('n'));
  await outbox.connect();
  expect(warn.mock.calls.flat()).toEqual([expect.stringMatching(/does not respond yet\. Reports are sent when it does\.$/)]);
  outbox.put(report({ event: { type: 'meanwhile' } }));
  isBusy = false;
  await expect.poll(() => events).toEqual(['start', 'meanwhile']);
  outbox.put(report());
  await expect.poll(() => events).toEqual(['start', 'meanwhile', 'go']);
});

test('a refused batch becomes a gap', async () => {
  const batches: Batch[] = [];
  const url = await inspector((batch) => {
    batches.push(batch);
    return batches.length === 1 ? 422 : 200;
  });
  const outbox = new Outbox(url, program);
  outbox.put(report());
  outbox.put(report());
  await expect(outbox.flush()).rejects.toThrow('responded with status 422');
  outbox.put(report());
  await outbox.close();
  expect(batches.flatMap(({ reports }) => reports.map(({ kind }) => kind))).toEqual(['command', 'command', 'gap', 'command']);
});

test.each([10, 1_500_000])('a program with %i characters ends although its inspector is stopped', async (characters) => {
  // The server never reads from its connections.
  const { createServer: listen } = await import('node:net');
  const silent = listen((socket) => socket.pause().on('error', () => {}));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/t/`;
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const args = ['--import', here('../../dist/inspector/live/auto.js'), here('idle.fixture.mjs'), String(characters)];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, QUIVER_INSPECT: url },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  await once(child.stdout!, 'data');
  const over = performance.now();
  expect(await exited).toEqual([0, null]);
  expect(performance.now() - over).toBeLessThan(4000);
});

test('a process that was paused for long reads the answer first, and drops nothing', async () => {
  const inspector = new Worker(
    `const { createServer } = require('node:http');
    const { parentPort } = require('node:worker_threads');
    const server = createServer((asked, answer) => {
      parentPort.postMessage('asked');
      asked.resume().on('end', () => answer.setHeader('content-type', 'application/json').end());
    });
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true },
  );
  onTestFinished(() => void inspector.terminate());
  const [port] = await once(inspector, 'message');
  const outbox = new Outbox(`http://127.0.0.1:${port}/t`, program);
  onTestFinished(() => outbox.kill());
  outbox.put(start('n'));
  const asked = once(inspector, 'message');
  const sent = outbox.flush();
  await asked;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2100);
  await sent;
});

test('a new inspector receives the state of the program, then the reports that waited', async () => {
  let lines: TraceLine[] = [];
  let inbox = new Inbox(new Merger(0, (line) => lines.push(line)));
  let isAway = false;
  const url = await inspector((batch) => (isAway ? null : inbox.putAll(batch) ? 200 : 409));
  const outbox = new Outbox(url, program);
  onTestFinished(() => outbox.kill());
  outbox.put(start('n', { charts: { c: { id: 'c' } }, logic: 'machine' }));
  outbox.put(start('job'));
  outbox.put(report({ roles: at(1) }));
  outbox.put(end('job'));
  await outbox.flush();
  isAway = true;
  outbox.put(report({ roles: at(2), event: { type: 'meanwhile' } }));
  await expect(outbox.flush()).rejects.toThrow('does not respond');
  inbox.close();
  lines = [];
  const merger = new Merger(0, (line) => lines.push(line));
  inbox = new Inbox(merger);
  isAway = false;
  await outbox.flush();
  inbox.close();
  expect(lines).toMatchObject([
    { kind: 'start', node: 'n', event: { type: 'stands' }, roles: at(1), charts: { c: { id: 'c' } }, logic: 'machine' },
    { node: 'n', event: { type: 'meanwhile' }, roles: at(2) },
  ]);
});

test('a silent program shows itself to an inspector that started again', async () => {
  let inbox = new Inbox(new Merger(0, () => {}));
  const url = await inspector((batch) => (inbox.putAll(batch) ? 200 : 409));
  const outbox = new Outbox(url, program);
  onTestFinished(() => outbox.kill());
  outbox.put(start('n'));
  await outbox.flush();
  inbox.close();
  const nodes: string[] = [];
  inbox = new Inbox(new Merger(0, (line) => 'node' in line && nodes.push(line.node)));
  onTestFinished(() => inbox.close());
  await expect.poll(() => nodes).toEqual(['n']);
});

test('a new inspector receives parents before children, whose first steps end earlier', () => {
  const backlog = new ReportBacklog();
  const began = { app: 1, 'app/cart': 2, 'app/cart/timer': 3 };
  for (const [node, at] of Object.entries(began).reverse()) backlog.put(start(node, { at }));
  backlog.take();
  backlog.confirm();
  backlog.startAgain();
  expect(taken(backlog).reports.map(({ node }) => node)).toEqual(Object.keys(began));
});

test('a new inspector receives no nodes that have ended', () => {
  const backlog = new ReportBacklog();
  backlog.put(start('n', { charts: { c: { id: 'c' } } }));
  for (let count = 1; count <= 20_000; count++) {
    backlog.put(report({ roles: at(count) }));
    backlog.put(start(`job ${count}`));
    backlog.put(end(`job ${count}`));
    if (count % 100 > 0) continue;
    backlog.take();
    backlog.confirm();
  }
  backlog.startAgain();
  const { reports } = taken(backlog);
  expect(reports).toMatchObject([{ node: 'n', kind: 'start', roles: at(20_000), charts: { c: { id: 'c' } } }]);
});
