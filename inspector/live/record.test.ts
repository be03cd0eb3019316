/** Runs of live nodes are traces that the verifier accepts: every step is one that the charts take. */
import { createQuota } from '../../adapters/quota.js';
import { asyncScheduler } from 'rxjs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createElection } from '../../adapters/election.js';
import { InProcessBus } from '../../adapters/transports/in-process.js';
import { createLocks } from '../../adapters/locks/locks.js';
import { createNode } from '../../adapters/node/node.js';
import { directory } from '../../machines/directory/index.js';
import { exclusion } from '../../machines/exclusion/index.js';
import { protocols } from '../../machines/index.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { verifyTrace } from '../../test/verify/verify.js';
import { record } from './record.js';
import type { Inspectable } from './report.js';

const ids = ['a', 'b', 'c'];

function bus(): InProcessBus {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  return bus;
}

/** Records the nodes while `body` runs, and verifies what was written. */
async function verified(nodes: readonly Inspectable[], body: () => Promise<unknown>) {
  let text = '';
  const recording = record(nodes, (piece) => (text += piece));
  await body();
  await recording.close();
  const [header, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { protocol, options, graph } = parseScenario(header.scenario, protocols);
  return { ...verifyTrace(protocol, { ...graph, options }, header, lines), lines };
}

const next = (node: EventTarget, type: string) => new Promise((resolve) => node.addEventListener(type, resolve, { once: true }));

function directories(shared: InProcessBus) {
  const topology = { nodes: ids, links: [['a', 'b', 1] as const, ['b', 'c', 1] as const] };
  return ids.map((id) =>
    createNode({ transport: shared.transport(id), protocol: directory, topology, options: { policy: 'random', hold: null } }),
  );
}

test('a token that travels, with draws', async () => {
  const [a, b, c] = directories(bus()) as [any, any, any];
  const { steps, impossible, violations } = await verified([a, b, c], async () => {
    for (const node of [c, b, c, a]) {
      const granted = next(node, 'granted');
      node.command('request');
      await granted;
      node.command('release');
    }
  });
  expect({ impossible, violations }).toEqual({ impossible: null, violations: [] });
  expect(steps).toBeGreaterThan(15);
});

test('one node of several: its steps are checked, messages of others are placed', async () => {
  const [a, b, c] = directories(bus()) as [any, any, any];
  const { steps, impossible, properties, lines } = await verified([b], async () => {
    const granted = next(c, 'granted');
    c.command('request');
    await granted;
    expect(a.view()).not.toEqual({});
  });
  expect(impossible).toBeNull();
  expect(steps).toBeGreaterThan(0);
  expect(lines.some(({ kind }) => kind === 'placed')).toBe(true);
  expect(properties).toEqual([]);
});

test('neighbors that are known by their ports, while one goes', async () => {
  const shared = bus();
  const topology = { nodes: ids, links: [] };
  const transports = ids.map((id) => shared.transport(id));
  const nodes = transports.map((transport) => createNode({ transport, protocol: exclusion, topology, options: { hold: null } }));
  const lock = async (node: (typeof nodes)[number]) => {
    const locked = next(node, 'locked');
    node.command('lock');
    await locked;
    node.command('unlock');
  };
  const { steps, impossible, violations, properties } = await verified(nodes, async () => {
    await expect.poll(() => nodes.map((node) => node.view()['exclusion']?.context.ports.length)).toEqual([2, 2, 2]);
    for (const node of nodes) await lock(node);
    await transports[0]!.close();
    await lock(nodes[1]!);
  });
  expect({ impossible, violations }).toEqual({ impossible: null, violations: [] });
  expect(properties.map(({ holds }) => holds)).not.toContain(false);
  expect(steps).toBeGreaterThan(60);
});

test('locks, while a holder crashes', async () => {
  const shared = bus();
  const transports = ids.map((id) => shared.transport(id));
  // Each peer takes a number from its clock.
  const now = vi.spyOn(asyncScheduler, 'now');
  const all = transports.map((transport, i) => {
    now.mockReturnValue(Date.now() + 7 * i);
    return createLocks({ transport, peers: ids });
  });
  now.mockRestore();
  const { steps, impossible, violations } = await verified(
    all.map(({ node }) => node),
    async () => {
      await Promise.all(all.map((locks) => locks.request('x', () => {})));
      await all[0]!.acquire('x');
      const waiting = all[1]!.acquire('x');
      await new Promise((resolve) => setImmediate(resolve));
      await transports[0]!.close();
      (await waiting).release();
      await Promise.all(all.slice(1).map((locks) => locks.close()));
    },
  );
  expect({ impossible, violations }).toEqual({ impossible: null, violations: [] });
  expect(steps).toBeGreaterThan(40);
});

test('an election, and a quota', async () => {
  const shared = bus();
  const elections = ids.map((id) => createElection({ transport: shared.transport(id), peers: ids, settleMs: 1 }));
  const election = await verified(
    elections.map(({ node }) => node),
    async () => {
      await Promise.all(elections.map(({ ready }) => ready));
      await elections[0]!.close();
      await expect.poll(() => elections[1]!.leader ?? 'a').not.toBe('a');
    },
  );
  expect(election.impossible).toBeNull();
  const other = bus();
  const quotas = ids.map((id) => createQuota({ transport: other.transport(id), peers: ids, budget: 20 }));
  const quota = await verified(
    quotas.map(({ node }) => node),
    () => Promise.all(quotas.flatMap((each) => [each.take(3), each.take(4)])),
  );
  expect({ impossible: quota.impossible, violations: quota.violations }).toEqual({ impossible: null, violations: [] });
});

test('a node that has started is refused, and so is none', async () => {
  const [a] = directories(bus()) as [any];
  await a.ready;
  expect(() => record(a, () => {})).toThrow('record: node "a" has already started. Call record directly after creating it.');
  expect(() => record([], () => {})).toThrow('record: nodes is empty. Name at least one node.');
});
