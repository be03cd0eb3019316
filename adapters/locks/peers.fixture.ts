/** Peers of locks in one process, for tests. */
import { onTestFinished } from 'vitest';
import { linked } from '../linked.js';
import { createTransport } from '../transports/driver.js';
import { inProcessGuarantees } from '../transports/guarantees.js';
import { hostile } from '../transports/hostile.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import type { Linked, Transport } from '../transports/transport.js';
import { createLocks, type Locks } from './locks.js';

type Peers = [Record<string, Locks>, Record<string, Transport<Linked>>];

/** The peers serve already, and end with the test. */
export async function peers(...ids: string[]): Promise<Peers> {
  const bus = new InProcessBus();
  const transports = Object.fromEntries(ids.map((id) => [id, bus.transport(id)]));
  const locks = Object.fromEntries(ids.map((id) => [id, createLocks({ transport: transports[id]!, peers: ids })]));
  onTestFinished(async () => {
    await Promise.all(Object.values(locks).map((each) => each.close({ withinMs: 0 })));
    bus.close();
  });
  await Promise.all(Object.values(locks).map(({ ready }) => ready));
  return [locks, transports];
}

/** Peers behind a medium whose ends can be cut with `isCut`, at any time. They notice a cut within about thirty milliseconds. */
export async function cuttable(...ids: string[]) {
  return behindMedia(ids, [], 6);
}

/** Peers of which some pairs do not reach each other, from the start. */
export async function behindMedia(ids: readonly string[], cuts: readonly (readonly [string, string])[], patience: number) {
  const bus = new InProcessBus();
  const media = ids.map((id, seed) => hostile(bus.transport(id), { seed, loss: 0, duplicate: 0, delayMs: 0 }));
  for (const [u, v] of cuts) {
    media[ids.indexOf(u)]!.cutFrom.add(v);
    media[ids.indexOf(v)]!.cutFrom.add(u);
  }
  const transports = media.map((medium) => linked(medium, { peers: ids, beatMs: 5, patience }));
  const all = transports.map((transport) => createLocks({ transport, peers: ids }));
  onTestFinished(async () => {
    await Promise.all(transports.map((transport) => transport.close()));
    bus.close();
  });
  await Promise.all(all.map(({ ready }) => ready));
  return ids.map((_, i) => ({ locks: all[i]!, medium: media[i]! }));
}

/** A peer's connection to a bus that carries messages of this many bytes. */
export const narrow = (bus: InProcessBus, id: string, messageBytesMax: number): Transport<Linked> =>
  createTransport(id, { ...inProcessGuarantees, messageBytesMax }, async (medium, signal) => {
    const wide = bus.transport(id);
    wide.events.subscribe((event) => {
      if (event.type === 'message') medium.received(event.from, event.message);
      else if (event.type !== 'closed') medium[event.type](event.peer);
      else if (event.error) medium.lost(event.error);
    });
    await wide.connect({ signal });
    medium.opened(wide);
  });

/** Lets all pending work of this process happen. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));
