/** Spans of requests, with a tracer that has the types of OpenTelemetry and keeps its spans. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Tracer } from '@opentelemetry/api';
import { expect, test, vi } from 'vitest';
import { cuttable, peers, settled } from './peers.fixture.js';
import { traced, type LocksTracer } from './traced.js';

type Cuttable = Awaited<ReturnType<typeof cuttable>>[number];

interface Kept {
  readonly name: string;
  readonly parent: Kept | undefined;
  readonly attributes: Record<string, unknown>;
  status?: { code: number; message?: string };
  ends: number;
}

function memory() {
  const spans: Kept[] = [];
  const active = new AsyncLocalStorage<Kept>();
  const startSpan: LocksTracer['startSpan'] = (name, { attributes }) => {
    const kept: Kept = { name, parent: active.getStore(), attributes: { ...attributes }, ends: 0 };
    spans.push(kept);
    return {
      setAttributes: (more) => void Object.assign(kept.attributes, more),
      setStatus: (status) => void (kept.status = status),
      end: () => void kept.ends++,
    };
  };
  const tracer: LocksTracer = {
    startSpan,
    startActiveSpan: (name, options, work) => {
      const span = startSpan(name, options);
      return active.run(spans.at(-1)!, () => work(span));
    },
  };
  /** Each span that has ended once: its short name, its outcome, and its parent. */
  const ended = () =>
    spans.map(({ name, parent, attributes, status, ends }) => {
      expect(ends).toBe(1);
      const short = (name: string) => name.replace('quiver.locks.', '');
      const outcome = attributes['quiver.locks.outcome'];
      return [
        short(name),
        ...(outcome ? [outcome] : []),
        ...(status ? ['error'] : []),
        ...(parent ? [`in ${short(parent.name)}`] : []),
      ].join(' ');
    });
  return { tracer, spans, active, ended };
}

// A tracer of OpenTelemetry is one.
void ((tracer: Tracer): LocksTracer => tracer);

test('a request has a wait and a hold, with names, fence and epoch', async () => {
  const [{ a }] = await peers('a', 'b');
  const { tracer, spans, active, ended } = memory();
  const { request } = traced(a!, tracer);
  const fence = await request('printer', async (lock) => {
    await settled();
    expect(active.getStore()?.name).toBe('quiver.locks.hold');
    return lock.fence;
  });
  expect(ended()).toEqual(['request', 'wait granted in request', 'hold released in request']);
  const about = { 'quiver.peer': 'a', 'quiver.locks.name': 'locks', 'quiver.lock.name': 'printer' };
  for (const { attributes } of spans) expect(attributes).toMatchObject(about);
  expect(spans[2]!.attributes).toMatchObject({ 'quiver.lock.fence': fence, 'quiver.locks.epoch': a!.status().epoch });
  spans.length = 0;
  const fences = await request(['y', 'x'], ({ fences }) => fences);
  expect(spans[2]!.attributes).toMatchObject({ 'quiver.lock.name': ['y', 'x'], 'quiver.lock.fence': fences });
});

test('a callback that fails, a lock that is not free, and a caller that gives up', async () => {
  const [{ a, b }] = await peers('a', 'b');
  const { tracer, spans, ended } = memory();
  const { request } = traced(a!, tracer);
  await expect(request('x', () => Promise.reject(new Error('no paper')))).rejects.toThrow('no paper');
  expect(ended()).toEqual(['request error', 'wait granted in request', 'hold released in request']);
  expect(spans[0]!.status).toEqual({ code: 2, message: 'no paper' });
  await using _ = await b!.acquire('x');
  spans.length = 0;
  expect(await request('x', { ifAvailable: true }, (lock) => lock)).toBe(null);
  expect(ended()).toEqual(['request', 'wait unavailable in request']);
  spans.length = 0;
  await expect(request('x', { signal: AbortSignal.timeout(1) }, () => {})).rejects.toThrow('timeout');
  expect(ended()).toEqual(['request error', 'wait abandoned in request']);
  // @ts-expect-error: without a callback
  await expect(request('x')).rejects.toThrow('needs a callback');
  // @ts-expect-error: without a name
  await expect(request(undefined, () => {})).rejects.toThrow('a lock needs a name');
});

test.each([false, true])('a lost lock ends its request with its callback, and nothing waits (retry %s)', async (retry) => {
  const [{ a }] = await peers('a', 'b');
  const { tracer, spans, ended } = memory();
  const ends = traced(a!, tracer).request('x', { retry }, ({ signal }) => {
    return new Promise((resolve) => signal.addEventListener('abort', resolve));
  });
  ends.catch(() => {});
  await vi.waitFor(() => expect(spans).toHaveLength(3));
  await a!.close();
  await expect(ends).rejects.toMatchObject({ name: 'LostError' });
  await settled();
  expect(ended()).toEqual(['request error', 'wait granted in request', 'hold lost error in request']);
});

test('a lost lock ends its hold at once, and a repeated request waits again', async () => {
  const [a] = (await cuttable('a', 'b', 'c')) as [Cuttable];
  const { tracer, spans, ended } = memory();
  const { request } = traced(a.locks, tracer);
  const letGo = new AbortController();
  let runs = 0;
  const done = request('x', { retry: true }, async () => {
    if (++runs === 1) await new Promise((resolve) => letGo.signal.addEventListener('abort', resolve));
  });
  await vi.waitFor(() => expect(runs).toBe(1));
  a.medium.isCut = true;
  await vi.waitFor(() => expect(spans[2]!.ends).toBe(1), 60_000);
  expect(spans[2]).toMatchObject({ attributes: { 'quiver.locks.outcome': 'lost' }, status: { code: 2 } });
  letGo.abort();
  a.medium.isCut = false;
  await done;
  expect(ended()).toEqual([
    'request',
    'wait granted in request',
    'hold lost error in request',
    'wait granted in request',
    'hold released in request',
  ]);
});

test('a lost lock ends its request, and a callback that goes on begins nothing', async () => {
  const [{ a }] = await peers('a', 'b');
  const { tracer, spans, ended } = memory();
  const work = new EventTarget();
  const over = vi.fn();
  const stuck = traced(a!, tracer).request('x', { retry: true }, async () => {
    await new Promise((resolve) => work.addEventListener('end', resolve));
    setImmediate(over);
  });
  stuck.catch(() => {});
  await vi.waitFor(() => expect(spans).toHaveLength(3));
  await a!.close({ withinMs: 0 });
  await expect(stuck).rejects.toMatchObject({ name: 'LostError' });
  const all = ['request error', 'wait granted in request', 'hold lost error in request'];
  expect(ended()).toEqual(all);
  work.dispatchEvent(new Event('end'));
  await vi.waitFor(() => expect(over).toHaveBeenCalled());
  expect(ended()).toEqual(all);
});
