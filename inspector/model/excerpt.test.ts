/** The end of a live trace is a trace that the verifier follows, wherever it is cut. */
import { expect, onTestFinished, test } from 'vitest';
import { createLocks, type Locks } from '../../adapters/locks/locks.js';
import { createNode } from '../../adapters/node/node.js';
import { InProcessBus } from '../../adapters/transports/in-process.js';
import { directory } from '../../machines/directory/index.js';
import { protocols } from '../../machines/index.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { isStep, type StepLine, type TraceHeader, type TraceLine } from '../../network/trace.js';
import { verifyTrace } from '../../test/verify/verify.js';
import { Merger } from '../live/merge.js';
import { completeProtocol, headerOf } from '../live/protocol.js';
import { record } from '../live/record.js';
import { now, reportNode } from '../live/report.js';
import { traceOf } from '../page/testing/traces.js';
import { excerptOf } from './excerpt.js';
import { Moment } from './moment.js';
import { ReadTrace } from './recording.js';
import { sentence } from './words.js';

/** Three nodes pass a token round. */
async function liveRun(): Promise<ReadTrace> {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const ids = ['a', 'b', 'c'];
  const topology = { nodes: ids, links: [['a', 'b', 1] as const, ['b', 'c', 1] as const] };
  const [a, b, c] = ids.map((id) =>
    createNode({ transport: bus.transport(id), protocol: directory, topology, options: { hold: null } }),
  ) as [any, any, any];
  const recording = new ReadTrace();
  const recorder = record([a, b, c], (text) => recording.push(text));
  for (const node of [c, b, c, a]) {
    const granted = new Promise((resolve) => node.addEventListener('granted', resolve, { once: true }));
    node.command('request');
    await granted;
    node.command('release');
  }
  await recorder.close();
  recording.close();
  return recording;
}

function verified([header, ...lines]: (TraceHeader | TraceLine)[]) {
  const { protocol, options, graph } = parseScenario((header as TraceHeader).scenario, protocols);
  return verifyTrace(protocol, { ...graph, options }, header as TraceHeader, lines as TraceLine[]);
}

test('cut anywhere, it can be followed, and its errors are found', async () => {
  const recording = await liveRun();
  let inFlight = 0;
  for (let first = 0; first < recording.end; first++) {
    const excerpt = [...excerptOf(recording, first)];
    const { impossible, violations, steps } = verified(excerpt);
    expect({ first, impossible, violations }).toEqual({ first, impossible: null, violations: [] });
    // The first three lines are those with which the nodes start.
    expect(steps).toBe(recording.end - Math.max(first, 3));
    inFlight += excerpt.filter((line) => 'kind' in line && line.kind === 'placed').length;
    const at = excerpt.findIndex((line) => 'kind' in line && line.kind === 'deliver');
    if (at < 0) continue;
    const changed = excerpt.with(at, { ...excerpt[at], node: 'z' } as unknown as TraceLine);
    expect(verified(changed).impossible?.what).toMatch(/was not in flight to z/);
  }
  expect(inFlight).toBeGreaterThan(3);
});

test('nodes that ran before the page opened can be followed from their state', async () => {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const ids = ['a', 'b', 'c'];
  const peers = ids.map((id) => createLocks({ transport: bus.transport(id), peers: ids }));
  onTestFinished(async () => void (await Promise.all(peers.map((peer) => peer.close()))));
  for (const peer of peers) (await peer.acquire('printer')).release();
  const [{ node }] = peers as [Locks];
  const recording = new ReadTrace();
  const put = (line: TraceHeader | TraceLine) => recording.push(`${JSON.stringify(line)}\n`);
  put(headerOf(await completeProtocol(node.protocol), [node]));
  const merger = new Merger(now(), put);
  const stops = peers.map((peer) => reportNode(peer.node, (report) => merger.take(report)));
  for (const peer of peers) (await peer.acquire('printer')).release();
  for (const stop of stops) stop();
  recording.close();
  const lines = Array.from({ length: recording.end }, (_, place) => recording.line(place));
  for (let first = 0; first < recording.end; first++) {
    const { impossible, violations, steps } = verified([...excerptOf(recording, first)]);
    expect({ first, impossible, violations }).toEqual({ first, impossible: null, violations: [] });
    expect(steps).toBe(lines.slice(Math.max(first, 3)).filter(isStep).length);
  }
  const [header, standing, ...others] = [...excerptOf(recording, 0)] as [TraceHeader, StepLine, ...TraceLine[]];
  const started = { ...standing, event: { type: 'start' } };
  expect(verified([header, started, ...others]).impossible?.what).toMatch(/^after start, role "epochs" of a is/);
  const { live: _, ...simulated } = header;
  expect(verified([simulated, standing, ...others]).impossible?.what).toMatch(/^after stands, role ".*" of a is/);
});

test('it shows what the whole one shows', async () => {
  const whole = await liveRun();
  const first = 9;
  const part = new ReadTrace();
  for (const line of excerptOf(whole, first)) part.push(`${JSON.stringify(line)}\n`);
  part.close();
  expect(part.missing).toEqual([]);
  const notified = part.end - (whole.end - first);
  for (let line = first - 1; line < whole.end; line++) {
    const [there, here] = [new Moment(whole, line), new Moment(part, line - first + notified)];
    for (let node = 0; node < 3; node++) {
      expect(here.roles(node).map(({ view }) => view)).toEqual(there.roles(node).map(({ view }) => view));
      expect(here.overlay(node)).toEqual(there.overlay(node));
    }
    expect(here.flights().map(({ id }) => id)).toEqual(there.flights().map(({ id }) => id));
    if (line >= first) expect(sentence(part.line(line - first + notified))).toBe(sentence(whole.line(line)));
  }
});

test('timers that are armed where it is cut go off later', () => {
  const whole = new ReadTrace();
  whole.push(traceOf({ protocol: 'queue', topology: { kind: 'path', n: 3 }, until: { at: 30 } }));
  whole.close();
  let timers = 0;
  for (const first of [6, 20, 33]) {
    const excerpt = [...excerptOf(whole, first)];
    expect(verified(excerpt).impossible).toBeNull();
    timers += excerpt.filter((line) => 'kind' in line && line.kind === 'timer').length;
    const { start, ...header } = excerpt[0] as TraceHeader;
    const unarmed = Object.fromEntries(Object.entries(start!.nodes).map(([node, one]) => [node, { ...one, timers: [] }]));
    const without = [{ ...header, start: { ...start!, nodes: unarmed } }, ...excerpt.slice(1)];
    expect(verified(without).impossible?.what).toMatch(/expires, but it was not armed/);
  }
  expect(timers).toBeGreaterThan(5);
});
