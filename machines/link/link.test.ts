/** Long runs over bad channels: the account follows every message, and detects mutants of the chart. */
import { emit } from 'xstate';
import { describe, expect, test } from 'vitest';
import { begin, macrostep } from '../../network/world/remembering.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { Random } from '../../network/random.js';
import { createMetric } from '../../network/topology/metric.js';
import { CHECKSUM_BASIS, fresh, type Frame, type LinkContext } from './frames.js';
import { link, linkCore } from './index.js';
import { linkMachine } from './machine.js';

const bad = { latency: { min: 1, max: 9 }, order: 'unordered', loss: 0.2, duplicate: 0.2 } as const;

/** Two hundred posts in both directions, one every few ticks, and further events. */
function run(seed: number, options: object, others: readonly object[] = [], protocol = link) {
  const random = new Random(seed, 'posts');
  const posts = Array.from({ length: 200 }, (_, body) => {
    const [node, peer] = random.chance(0.5) ? ['a', 'b'] : ['b', 'a'];
    return { at: 5 * body + random.below(20), node, do: 'post', peer, body };
  });
  const events = [...posts, ...others].sort((x, y) => (x as { at: number }).at - (y as { at: number }).at);
  const scenario = {
    protocol: 'link',
    options,
    topology: { nodes: ['a', 'b'], links: [['a', 'b', 1]] },
    network: bad,
    events,
    seed,
    until: { idle: true },
  };
  return new Simulation(parseScenario(scenario, { link: protocol }), { host: 'snapshots' }).run();
}

const seeds = Array.from({ length: 30 }, (_, seed) => seed);

describe('losses, copies and reordering', () => {
  test.each(seeds)('all messages arrive in order, once, while no peer is suspected (seed %i)', (seed) => {
    const { verdict, summary } = run(seed, { patience: 1000, window: 8 });
    expect({ verdict, ...summary }).toMatchObject({ verdict: 'valid', posted: 200, received: 200, downs: 0, connected: 1 });
  });

  test.each(seeds)('with cuts a prefix arrives between up and down, and the link recovers (seed %i)', (seed) => {
    const random = new Random(seed, 'cuts');
    const cuts = Array.from({ length: 6 }, (_, i) => 160 * i + random.below(80)).flatMap((at) => [
      { at, do: 'cut', link: ['a', 'b'] },
      { at: at + random.below(150), do: 'join', link: ['a', 'b'] },
    ]);
    const { verdict, summary } = run(seed, { patience: 2, window: 4, room: 5 }, [
      ...cuts,
      { at: 1200, do: 'join', link: ['a', 'b'] },
    ]);
    expect({ verdict, ...summary }).toMatchObject({ verdict: 'valid', posted: 200, connected: 1 });
    expect(summary['downs']).toBeGreaterThan(0);
  });
});

test('false reports that a peer is gone take no link down while heartbeats arrive', () => {
  const events = Array.from({ length: 100 }, (_, i) => {
    const [node, peer] = i % 2 === 0 ? ['a', 'b'] : ['b', 'a'];
    return { at: 50 + 13 * i, node, do: i % 3 === 0 ? 'post' : 'gone', peer, ...(i % 3 === 0 && { body: i }) };
  });
  const scenario = { protocol: 'link', topology: { nodes: ['a', 'b'], links: [['a', 'b', 1]] }, events, until: { idle: true } };
  const summaryOf = (protocol: typeof link) => new Simulation(parseScenario(scenario, { link: protocol })).run().summary;
  expect(summaryOf(link)).toMatchObject({ posted: 34, received: 34, downs: 0 });
  // A mutant that trusts each report.
  const isSilent = ({ context }: { context: LinkContext }) => context.isReported || context.silence >= context.patience;
  const believing = { ...link, charts: { link: linkMachine.provide({ actions: { take: () => {} }, guards: { isSilent } }) } };
  expect(summaryOf(believing)).not.toMatchObject({ downs: 0 });
});

test.each([
  ['hands messages over twice', (bodies: readonly unknown[]) => [...bodies, ...bodies]],
  ['hands them over in the wrong order', (bodies: readonly unknown[]) => bodies.toReversed()],
  ['leaves the first of several out', (bodies: readonly unknown[]) => bodies.slice(Math.min(1, bodies.length - 1))],
])('the account detects a chart that %s', (_, cheat) => {
  const announceReceived = emit(({ context, event }: { context: LinkContext; event: unknown }) => ({
    type: 'received' as const,
    peer: context.peer,
    bodies: cheat(fresh(context, event as Frame)),
  }));
  const cheating = {
    ...link,
    charts: { link: linkMachine.provide({ actions: { announceReceived: announceReceived as never } }) },
  };
  expect(run(1, { patience: 1000, window: 8 }, [], cheating).verdict).toBe('invalid');
});

test('an end whose clock was set back uses a session above the one its peer remembers', () => {
  const input = {
    peer: 'b',
    relays: [],
    session: 5,
    nonce: 8,
    beat: 1,
    patience: 1,
    suspicions: null,
    window: 1,
    room: 1,
    windowSize: 100,
    roomSize: 100,
  };
  const incoming = {
    type: 'frame',
    from: 'b',
    session: 9,
    to: 100,
    nonce: 6,
    echo: 8,
    ack: 3,
    checksum: 7,
    seq: 4,
    rejects: false,
    hears: true,
    bodies: ['old'],
  };
  const { snapshot, effects } = macrostep(linkMachine, begin(linkMachine, input).snapshot, incoming);
  expect(snapshot).toMatchObject({ value: 'seeking', context: { session: 101, theirs: null, expected: 0 } });
  const sent = effects.filter(({ type }) => type === 'send');
  expect(sent).toMatchObject([{ type: 'send', to: 'b', message: { session: 101, to: 9, nonce: 8, echo: 6, bodies: [] } }]);
});

test('a frame that remembers a later session is answered, a late known one is not', () => {
  const input = { peer: 'b', relays: [], session: 5, nonce: 8, beat: 1, patience: 1, suspicions: null };
  const sizes = { window: 1, room: 1, windowSize: 100, roomSize: 100 };
  const met = { ...frame, from: 'b', session: 99, nonce: 6, to: 5, echo: 8, checksum: CHECKSUM_BASIS };
  const { snapshot } = macrostep(linkMachine, begin(linkMachine, { ...input, ...sizes }).snapshot, met);
  expect(snapshot).toMatchObject({ value: 'up', context: { latest: 99 } });
  const replies = (late: object) =>
    macrostep(linkMachine, snapshot, { ...frame, from: 'b', ...late } as never).effects.map(({ message }: any) => message);
  expect(replies({ session: 9, nonce: 7 })).toMatchObject([{ session: 5, to: 99, nonce: 8, echo: 7, bodies: [] }, {}]);
  expect(replies({ session: 98, nonce: 6 })).toEqual([]);
});

const frame = {
  type: 'frame',
  session: 1,
  to: null,
  nonce: 2,
  echo: null,
  ack: 0,
  checksum: 7,
  seq: 0,
  rejects: false,
  hears: true,
  bodies: [],
};

test.each([
  [frame, true],
  [{ ...frame, checksum: 2 ** 32 }, false],
  [{ type: 'bye', session: 1, echo: null }, true],
  [{ type: 'bye', session: 1 }, false],
  [{ type: 'frame', session: 1, to: null, nonce: 2, echo: null, ack: 0, checksum: 7, seq: 0 }, false],
  [{ ...frame, session: -1 }, false],
  [{ ...frame, to: '7' }, false],
  [{ ...frame, nonce: null }, false],
  [{ ...frame, echo: 0.5 }, false],
  [{ ...frame, to: 0, ack: 0.5 }, false],
  [{ ...frame, rejects: 1 }, false],
  [{ ...frame, bodies: {} }, false],
  [{ type: 'post', session: 1 }, false],
  [null, false],
])('%j is a frame: %s', (message, is) => {
  const graph = createMetric({ nodes: ['a', 'b'], links: [['a', 'b', 1]] });
  expect(linkCore.accepts(message, { ...graph, options: linkCore.options({}, graph) })).toBe(is);
});

test('the links are traversed once, and not once for each node', () => {
  const nodes = Array.from({ length: 200 }, (_, i) => `n${i}`);
  let reads = 0;
  const ring = nodes.map((node, i) => [node, nodes[(i + 1) % nodes.length]!, 1] as const);
  const links = new Proxy(ring, {
    get: (target, key, proxy) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
      return Reflect.get(target, key, proxy) as unknown;
    },
  });
  const instance = { topology: { nodes, links }, options: { relay: false } } as never;
  const peers = nodes.map((node) => linkCore.roles(node, instance).map(({ role }) => role));
  expect(peers[1]).toEqual(['link n0', 'link n2']);
  expect(peers[0]).toEqual(['link n1', 'link n199']);
  expect(reads).toBeLessThanOrEqual(2 * ring.length);
});
