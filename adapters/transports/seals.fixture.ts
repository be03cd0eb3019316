/** Ends of a wire that the test controls, with sealed messages on it. */
import { onTestFinished, vi } from 'vitest';
import { VirtualClock } from '../../network/clock.js';
import { createTransport, type DriverListener } from './driver.js';
import { inProcessGuarantees } from './guarantees.js';
import { sealed, type SealedOptions } from './sealed.js';
import type { Guarantees, Json, TransportEvent } from './transport.js';

export const key = 'not a key that anybody guesses';
export type Frame = [name: string, code: string, kind: string, run: string, arrived: string, number: number, text: string];

interface Options {
  readonly key?: SealedOptions['key'];
  readonly guarantees?: Partial<Guarantees>;
  readonly clock?: VirtualClock;
  readonly before?: (medium: DriverListener) => void;
}

/** Numbers of runs and challenges that were drawn under each name. */
export const drawn = new Map<string, number>();

/** One end of a wire. Its runs and challenges are numbers, one after the other. */
export async function endOf(id: string, { key: given = key, guarantees = {}, clock = new VirtualClock(), before }: Options = {}) {
  let medium!: DriverListener;
  const sent: [to: string, frame: Frame][] = [];
  const wire = createTransport(id, { ...inProcessGuarantees, ...guarantees } as Guarantees, (opened) => {
    medium = opened;
    opened.opened({ send: (to, message) => void sent.push([to, message as unknown as Frame]), close: () => {} });
    before?.(opened);
  });
  const randomUUID = () => {
    drawn.set(id, (drawn.get(id) ?? 0) + 1);
    return `${id}${drawn.get(id)}`;
  };
  const crypto = { getRandomValues: (words: Uint32Array) => words, randomUUID };
  const transport = sealed(wire, { key: given, clock, crypto: crypto as never });
  const arrived: unknown[] = [];
  const events: TransportEvent[] = [];
  transport.events.subscribe((event) =>
    event.type === 'message' ? arrived.push([event.from, event.message]) : events.push(event),
  );
  await transport.connect();
  onTestFinished(() => transport.close());
  /** Frames that were sent since the last call. */
  const news = () => sent.splice(0);
  const receive = (from: string, frame: unknown) => medium.received(from, frame as Json);
  return { transport, wire, medium, clock, news, receive, arrived, events };
}
type End = Awaited<ReturnType<typeof endOf>>;

/** Delivers frames in both directions until none wait, and returns all of them. */
export function carry(ends: Readonly<Record<string, End>>): [from: string, to: string, frame: Frame][] {
  const all: [string, string, Frame][] = [];
  for (let isMoving = true; isMoving;) {
    isMoving = false;
    for (const [from, end] of Object.entries(ends))
      for (const [to, frame] of end.news()) {
        isMoving = true;
        all.push([from, to, frame]);
        ends[to]?.receive(from, frame);
      }
  }
  return all;
}
export const shown = (all: readonly (readonly [string, string, Frame])[]) =>
  all.map(([from, to, [, , kind, run, arrived, number, text]]) => [from, to, kind, run, arrived, number, text]);

export function warnings() {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  return () => warn.mock.calls.map(([text]) => text as string);
}

export async function pair(options: Options = {}) {
  const [a, b] = [await endOf('a', options), await endOf('b', options)];
  return { a, b, ends: { a, b } };
}

/** A connected pair: `a` has sent `hi` to `b`, and it has arrived. */
export async function met(options: Options = {}) {
  const all = await pair(options);
  all.a.transport.send('b', 'hi');
  const frames = carry(all.ends);
  all.b.arrived.length = 0;
  return { ...all, frames: frames.map(([, , frame]) => frame) };
}
