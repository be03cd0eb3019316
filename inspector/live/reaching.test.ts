/** Access to gestures, their effects on the page, and the end of all gestures. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LiveNode } from '../../adapters/node/node.js';
import type { TraceLine } from '../../network/trace.js';
import { sentence } from '../model/words.js';
import { inspect } from './inspect.js';
import { livePair } from './pair.fixtures.js';
import { Merger } from './merge.js';
import { Reaching } from './reaching.js';
import type { PeerReport, StepReport } from './report.js';

const page = new URL('../page/', import.meta.url);

const granted = (node: LiveNode): Promise<void> =>
  new Promise((resolve) => node.addEventListener('granted', () => resolve(), { once: true }));

const post = (url: string, name: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${url}reach/${name}`, { method: 'POST', body: JSON.stringify(body), headers });

async function offerOf(url: string, node: string): Promise<any> {
  return (await post(url, 'offer', { node })).json();
}

/** The node is known to the page. */
async function isReached(url: string, node: string): Promise<void> {
  await expect.poll(() => offerOf(url, node)).not.toBeNull();
}

const pause = { do: 'pause', node: 'a' };

describe('access to gestures', () => {
  test('no access by default', async () => {
    const [a, b] = livePair();
    const watched = await inspect([a, b], { page });
    onTestFinished(() => watched.close());
    expect(await offerOf(watched.url, 'a')).toBeNull();
    const refused = await post(watched.url, 'do', pause);
    expect([refused.status, (await refused.text()).trim()]).toEqual([
      422,
      'The program of "a" does not accept gestures. Start it with QUIVER_REACH=1, or pass reach: true to inspect, createInspector, inspectAll or the plugin for Vite.',
    ]);
    b.command('request');
    await granted(b);
  });

  test('only the page: no other origin, and no request without the token', async () => {
    const [a] = livePair();
    const watched = await inspect(a, { page, reach: true });
    onTestFinished(() => watched.close());
    await isReached(watched.url, 'a');
    expect((await post(watched.url, 'do', pause, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(watched.url, 'do', pause, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await post(`${new URL(watched.url).origin}/`, 'do', pause)).status).toBe(404);
    expect((await offerOf(watched.url, 'a')).standing).toEqual([]);
  });

  test.each([
    [null, /^A gesture must be an object, as in { "do": "pause", "node": "a" }, but is null\./],
    [{ do: 'drop', message: 7 }, /Message 7 is not in flight: it has arrived or is lost/],
    [{ do: 'crash', node: 'a' }, /"crash" is not possible on a live node/],
    [{ do: 'pause', node: 'z' }, /The program of "z" does not accept gestures/],
  ])('what cannot be done is refused with a reason: %o', async (gesture, why) => {
    const [a] = livePair();
    const watched = await inspect(a, { page, reach: true });
    onTestFinished(() => watched.close());
    await isReached(watched.url, 'a');
    const refused = await post(watched.url, 'do', gesture);
    expect(refused.status).toBe(422);
    expect(await refused.text()).toMatch(why);
  });
});

describe('gestures end', () => {
  test('when the last page goes', async () => {
    const [a, b] = livePair();
    const watched = await inspect([a, b], { page, reach: true });
    onTestFinished(() => watched.close());
    const pages = [new AbortController(), new AbortController()];
    for (const { signal } of pages) await fetch(`${watched.url}trace`, { signal });
    await isReached(watched.url, 'a');
    expect((await post(watched.url, 'do', pause)).status).toBe(200);
    pages[0]!.abort();
    const got = granted(b);
    b.command('request');
    expect((await offerOf(watched.url, 'a')).standing).toEqual(['paused']);
    pages[1]!.abort();
    await got;
    expect((await offerOf(watched.url, 'a')).standing).toEqual([]);
  });

  test.each(['the program is watched no more', 'the inspector ends'])('when %s', async (how) => {
    const [a, b] = livePair();
    const watched = await inspect(b, { page });
    const reporting = await inspect(a, { report: watched.url, reach: true, program: 'other' });
    await isReached(watched.url, 'a');
    expect((await post(watched.url, 'do', pause)).status).toBe(200);
    const got = granted(b);
    b.command('request');
    const [first, second] = how === 'the inspector ends' ? [watched, reporting] : [reporting, watched];
    await first.close();
    await got;
    await second.close().catch(() => {});
  });
});

test('a program that does not answer is named', async () => {
  const reaching = new Reaching({ inFlight: [] }, { ownerOf: () => ({ key: '["p","1"]', local: 'a' }) });
  reaching.listen({ name: 'p', run: '1' }, () => {});
  await expect(reaching.do(pause)).rejects.toThrow(/The program of "a" does not respond/);
});

test('a held message is overtaken and not lost; a copy is a separate message', () => {
  const lines: TraceLine[] = [];
  const merger = new Merger(0, (line) => void lines.push(line));
  const base = { sent: [], emitted: [], roles: {} };
  const message = { type: 'find' };
  const observed = (at: number, observation: PeerReport['observation']): PeerReport => ({
    at,
    node: 'a',
    kind: 'peer',
    observation,
  });
  const delivered = (at: number, number: number): StepReport => ({
    ...base,
    at,
    node: 'a',
    kind: 'deliver',
    event: message,
    from: 'b',
    message,
    number,
  });
  const sent = [1, 2].map((number) => ({ to: 'a', message, number }));
  for (const node of ['a', 'b']) merger.take({ ...base, at: 0, node, kind: 'start', event: { type: 'start' } });
  merger.take({ ...base, at: 1, node: 'b', kind: 'command', event: { type: 'go' }, sent });
  for (const number of [1, 2]) merger.take(observed(2, { type: 'waits', peer: 'b', number }));
  merger.take(observed(3, { type: 'doubled', peer: 'b', number: 2, message }));
  merger.take(delivered(4, 2));
  expect(merger.inFlight.map(({ number }) => number)).toEqual([1, null]);
  merger.take(observed(5, { type: 'lost', peer: 'b', number: 1, message }));
  merger.take(delivered(6, 2));
  expect(lines.slice(3).map(sentence)).toEqual([
    'find b → a was doubled',
    'a received find from b',
    'find b → a was lost: dropped by hand',
    'a received find from b',
  ]);
  expect(merger.inFlight).toEqual([]);
});
