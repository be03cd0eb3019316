/** Links in virtual time, on a medium that the test is. */
import { onTestFinished, vi } from 'vitest';
import { VirtualClock } from '../network/clock.js';
import { linked, type LinkedOptions } from './linked.js';
import { createTransport, type DriverListener } from './transports/driver.js';
import { inProcessGuarantees } from './transports/guarantees.js';
import type { Guarantees, Json, Transport } from './transports/transport.js';

export const DAY = 86_400_000;

export function warnings() {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  return () => warn.mock.calls.map(([text]) => text as string);
}

/** A wire between ends that the test opens. Frames arrive when promises settle. */
export function wireOf(guarantees: Partial<Guarantees> = {}) {
  const ends = new Map<string, DriverListener>();
  const sent: [from: string, to: string, message: any][] = [];
  /** Messages that never arrive. */
  const wire = {
    isCut: (_from: string, _to: string) => false,
    /** Changes a message on its way. */
    changed: (message: any): Json => message,
  };
  const transport = (id: string) =>
    createTransport(id, { ...inProcessGuarantees, ...guarantees } as Guarantees, (medium) => {
      for (const [other, end] of ends) {
        end.up(id);
        queueMicrotask(() => medium.up(other));
      }
      ends.set(id, medium);
      medium.opened({
        send: (to, message) => {
          sent.push([id, to, message]);
          if (!wire.isCut(id, to))
            queueMicrotask(() => ends.get(to)?.received(id, wire.changed(JSON.parse(JSON.stringify(message)))));
        },
        close: () => {
          ends.delete(id);
          for (const end of ends.values()) end.down(id);
        },
      });
    });
  return { wire, ends, sent, transport };
}

export const clock = () => {
  const own = new VirtualClock();
  own.runUntil(10 * DAY);
  return own;
};
export const turns = async () => {
  for (let i = 0; i < 40; i++) await Promise.resolve();
};
/** Advances the time by heartbeats, and lets promises settle in between. */
export async function beats(of: VirtualClock, count: number, ms = 100) {
  for (let i = 0; i < count; i++) {
    of.runUntil(of.now() + ms);
    await turns();
  }
}

export function receivedBy(transport: Transport) {
  const arrived: string[] = [];
  transport.events.subscribe((event) =>
    arrived.push(
      event.type === 'message'
        ? `${event.from}: ${JSON.stringify(event.message).slice(0, 20)}`
        : event.type === 'closed'
          ? `closed: ${event.error?.message}`
          : `${event.peer} ${event.type}`,
    ),
  );
  return arrived;
}

/** Creates peers and waits until they are linked. */
export async function cluster(
  peers: readonly string[],
  options: Partial<LinkedOptions> = {},
  guarantees: Partial<Guarantees> = {},
  cut = '',
) {
  const time = clock();
  const net = wireOf(guarantees);
  net.wire.isCut = (from, to) => cut.includes(from) && cut.includes(to);
  const all = peers.map((id) => linked(net.transport(id), { peers, clock: time, ...options }));
  const arrived = all.map(receivedBy);
  await Promise.all(all.map((peer) => peer.connect()));
  await beats(time, 3);
  onTestFinished(async () => {
    for (const peer of all) void peer.close();
    await beats(time, 40);
  });
  return { ...net, time, all, arrived };
}

export async function pair(options: Partial<LinkedOptions> = {}, guarantees: Partial<Guarantees> = {}) {
  const { all, arrived, ...net } = await cluster(['a', 'b'], options, guarantees);
  const [a, b] = all as [Transport, Transport];
  const [receivedA, receivedB] = arrived as [string[], string[]];
  return { ...net, a, b, receivedA, receivedB };
}

/** Three peers. Two of them do not reach each other, and are linked through the third, `b`. */
export async function byWay(options: Partial<LinkedOptions> = {}) {
  const { all, arrived, ...net } = await cluster(['a', 'b', 'c'], options, {}, 'ac');
  await beats(net.time, 30);
  const [a, b, c] = all as [Transport, Transport, Transport];
  const [receivedA, receivedB, receivedC] = arrived as [string[], string[], string[]];
  return { ...net, a, b, c, receivedA, receivedB, receivedC };
}
