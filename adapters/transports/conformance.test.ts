/** The suite itself: a transport that violates one guarantee fails the test of that guarantee. */
import { map } from 'rxjs';
import { expect, test } from 'vitest';
import { transportConformance } from './conformance.js';
import { InProcessBus } from './in-process.js';
import type { Json, Transport, TransportEvent } from './transport.js';
import { inProcessGuarantees } from './guarantees.js';

type Break = (sound: Transport) => Partial<Transport>;

/** A correct transport with the given changes. */
const broken = (sound: Transport, change: Break): Transport =>
  new Proxy(sound, {
    get: (target, key) => {
      const changed = change(target)[key as keyof Transport];
      if (changed !== undefined) return changed;
      const value = target[key as keyof Transport] as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

function suiteOn(change: Break): Map<string, () => Promise<void>> {
  const tests = new Map<string, () => Promise<void>>();
  transportConformance({
    test: (title, run) => tests.set(title, run),
    guarantees: inProcessGuarantees,
    waitMs: 100,
    create: (ids) => {
      const bus = new InProcessBus();
      return ids.map((id) => broken(bus.transport(id), change));
    },
  });
  return tests;
}

const onMessage = (transport: Transport, change: (event: TransportEvent & { type: 'message' }) => TransportEvent) =>
  transport.events.pipe(map((event) => (event.type === 'message' ? change(event) : event)));

const held = new WeakMap<Transport, { to: string; message: Json }>();

const mutants: [title: string, caughtBy: string, change: Break][] = [
  ['another id', 'id and guarantees are as declared', () => ({ id: 'x' })],
  [
    'loses one message of five hundred',
    'each pair keeps its order under load',
    (t) => ({ send: (to, m) => (m as any)?.a === 250 || t.send(to, m) }),
  ],
  ['duplicates messages', 'each pair keeps its order under load', (t) => ({ send: (to, m) => (t.send(to, m), t.send(to, m)) })],
  [
    'swaps two messages',
    'each pair keeps its order under load',
    (t) => ({
      send: (to, message) => {
        const late = held.get(t);
        held.delete(t);
        if ((message as any)?.a === 7) held.set(t, { to, message });
        else t.send(to, message);
        if (late) t.send(late.to, late.message);
      },
    }),
  ],
  [
    'changes the sender',
    'a message arrives only at its receiver, with its sender',
    (t) => ({ events: onMessage(t, (event) => ({ ...event, from: 'c' })) }),
  ],
  [
    'sends to all peers',
    'a message arrives only at its receiver, with its sender',
    (t) => ({ send: (_, m) => [...t.peers].forEach((peer) => t.send(peer, m)) }),
  ],
  [
    'rounds numbers',
    'every JSON value arrives unchanged',
    (t) => ({ send: (to, m) => t.send(to, JSON.parse(JSON.stringify(m).replace('-1.5', '-1'))) }),
  ],
  [
    'copies messages too late',
    'the receiver gets a copy that later changes by the sender do not affect',
    (t) => ({ send: (to, m) => queueMicrotask(() => t.peers.size > 0 && t.send(to, m)) }),
  ],
  [
    'stays open',
    'closing twice has no effect, and later calls fail with a ClosedError',
    () => ({ close: () => Promise.resolve() }),
  ],
  [
    'does not remove departed peers',
    'peers are reported up and down once each, and listed in between',
    (t) => ({ peers: new Set(['b', 'c', t.id]) }),
  ],
  ['ignores the signal', 'an aborted connect rejects with the reason of its signal', (t) => ({ connect: () => t.connect() })],
  [
    'fails on unknown peers',
    'messages to unknown peers or to itself do not affect others',
    (t) => ({
      send: (to, m) => {
        if (to === 'nobody') throw new Error('who?');
        t.send(to, m);
      },
    }),
  ],
];

test('a correct transport passes', async () => {
  for (const run of suiteOn(() => ({})).values()) await run();
});

test.each(mutants)('a transport that %s fails "%s"', async (_, caughtBy, change) => {
  await expect(suiteOn(change).get(caughtBy)!()).rejects.toThrow();
});

test('a transport that delivers a message without a sender fails the test of garbage', async () => {
  const title = 'garbage is dropped, and the next message arrives';
  const runOn = (spoil: (bus: InProcessBus) => Promise<void>) => {
    const tests = new Map<string, () => Promise<void>>();
    let bus: InProcessBus;
    transportConformance({
      test: (name, run) => tests.set(name, run),
      guarantees: inProcessGuarantees,
      waitMs: 100,
      inject: () => spoil(bus),
      create: (ids) => {
        bus = new InProcessBus();
        return ids.map((id) => bus.transport(id));
      },
    });
    return tests.get(title)!();
  };
  await runOn(async () => {});
  const speak = async (bus: InProcessBus) => {
    const stranger = bus.transport(`x${Math.random()}`);
    await stranger.connect();
    stranger.send('b', 'nonsense');
  };
  await expect(runOn(speak)).rejects.toThrow('b received');
});

test.each([
  ['closes after an unreadable text', (transport: Transport) => void transport.close()],
  [
    'throws at an unreadable text',
    () => {
      throw new Error('Unexpected end of JSON input');
    },
  ],
])('a transport that %s fails the tests of the wire', async (_, atGarbage) => {
  const runOn = async (spoil: (victim: Transport) => void) => {
    const tests = new Map<string, () => Promise<void>>();
    let victim: Transport;
    transportConformance({
      test: (name, run) => tests.set(name, run),
      guarantees: inProcessGuarantees,
      waitMs: 100,
      injectTexts: () => spoil(victim),
      create: (ids) => {
        const bus = new InProcessBus();
        const transports = ids.map((id) => bus.transport(id));
        victim = transports[1]!;
        return transports;
      },
    });
    for (const [title, run] of tests) if (title.includes('on the wire')) await run();
  };
  await runOn(() => {});
  await expect(runOn(atGarbage)).rejects.toThrow();
});
