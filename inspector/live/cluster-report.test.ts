/** The reports of a live cluster, merged as a page receives them. */
import { assign, createActor, setup } from 'xstate';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testCluster, type TestCluster } from '../../adapters/cluster/cluster.fixture.js';
import { watchers } from '../../adapters/node/watchers.js';
import { isStep, type StepLine, type TraceLine } from '../../network/trace.js';
import { checkReport } from './report-checks.js';
import { Hosts } from './hosts.js';
import { inspect } from './inspect.js';
import { Merger } from './merge.js';
import { reportActors } from './actors.js';
import { isCluster, reportCluster } from './cluster-report.js';
import type { PeerReport, StepReport } from './report.js';

const order = setup({
  types: { context: {} as { paid: number }, events: {} as { type: 'PAY'; amount: number } | { type: 'FAIL' } },
  guards: { isEnough: ({ context, event }) => event.type === 'PAY' && context.paid + event.amount >= 10 },
}).createMachine({
  id: 'order',
  context: { paid: 0 },
  initial: 'open',
  states: {
    open: {
      on: {
        PAY: [
          { guard: 'isEnough', target: 'paid', actions: assign({ paid: ({ context, event }) => context.paid + event.amount }) },
          { actions: assign({ paid: ({ context, event }) => context.paid + event.amount }) },
        ],
        FAIL: {
          actions: assign(() => {
            throw new Error('no such payment');
          }),
        },
      },
    },
    paid: { after: { 20: 'sent' } },
    sent: {},
  },
});

type Orders = TestCluster<{ order: typeof order }>;

/** Everything that the members report, as lines of a trace. */
function watched({ peers }: Orders, isNamed = false): TraceLine[] {
  const lines: TraceLine[] = [];
  const merger = new Merger(performance.timeOrigin, (line) => lines.push(line));
  const take = (report: StepReport | PeerReport) => merger.take(checkReport(JSON.parse(JSON.stringify(report))));
  for (const { cluster } of peers) onTestFinished(reportCluster(cluster, take, isNamed));
  return lines;
}

const stepsOf = (lines: readonly TraceLine[], node: string): StepLine[] =>
  lines.filter(isStep).filter((line) => line.node === node);

const wordsOf = (lines: readonly TraceLine[], node: string): string[] =>
  stepsOf(lines, node).map(({ event, roles }) =>
    [event['from'], event.type, roles['order']?.value].filter((part) => part !== undefined).join(' '),
  );

describe('a live cluster', () => {
  test('shows members, and of an actor its host, chart and events with their senders', async () => {
    const orders = await testCluster({ order });
    const lines = watched(orders);
    await orders.of('a').cluster.actor('order', '42').send({ type: 'PAY', amount: 4 });
    await orders.of('b').cluster.actor('order', '42').send({ type: 'PAY', amount: 6 });
    await expect
      .poll(() => wordsOf(lines, 'order/42'))
      .toEqual(['hosted by a open', 'a PAY open', 'b PAY paid', 'xstate.after.20.order.paid sent']);
    expect(['a', 'b', 'c'].map((node) => stepsOf(lines, node)[0]!.logic)).toEqual(['member', 'member', 'member']);
    const [start, , paid, sent] = stepsOf(lines, 'order/42');
    expect(start).toMatchObject({ group: 'order', charts: { order: { id: 'order' } }, overlay: { pointers: [{ to: 'a' }] } });
    expect(paid).toMatchObject({
      kind: 'deliver',
      taken: [['order', 'open', 'PAY', 0]],
      roles: { order: { context: { paid: 10 } } },
    });
    expect(sent!.kind).toBe('timer');
  });

  test('a killed host: the next one reports the move with a larger fence', async () => {
    const orders = await testCluster({ order });
    const lines = watched(orders);
    await orders.of('a').cluster.actor('order', '42').send({ type: 'PAY', amount: 4 });
    orders.of('a').kill();
    await orders.of('b').cluster.actor('order', '42').send({ type: 'PAY', amount: 1 });
    const words = wordsOf(lines, 'order/42').filter((text) => !text.startsWith('left'));
    expect(words).toEqual(['hosted by a open', 'a PAY open', expect.stringMatching(/^moved to [bc] open$/), 'b PAY open']);
    const [before, after] = stepsOf(lines, 'order/42').filter(({ kind }) => kind === 'start');
    expect(after!.event['fence']).toBeGreaterThan(before!.event['fence'] as number);
    expect(after!.roles['order']!.context).toEqual({ paid: 4 });
  });

  test('a graceful end: the actor leaves its host, and the next host reports it', async () => {
    const orders = await testCluster({ order });
    const lines = watched(orders);
    await orders.of('a').cluster.actor('order', '42').send({ type: 'PAY', amount: 4 });
    await orders.of('a').cluster.close();
    await orders.of('b').cluster.actor('order', '42').send({ type: 'PAY', amount: 1 });
    const words = wordsOf(lines, 'order/42');
    expect(words.slice(0, 3)).toEqual(['hosted by a open', 'a PAY open', 'left a']);
    expect(words.slice(3)).toEqual([expect.stringMatching(/^moved to [bc] open$/), 'b PAY open']);
    expect(stepsOf(lines, 'a').at(-1)!.kind).toBe('crash');
  });

  test('reports the applied events of a turn once, and no other events', async () => {
    const orders = await testCluster({ order });
    const lines = watched(orders);
    const ref = orders.of('a').cluster.actor('order', '42');
    const sent = [ref.send({ type: 'PAY', amount: 1 }), ref.send({ type: 'FAIL' }), ref.send({ type: 'PAY', amount: 2 })];
    expect((await Promise.allSettled(sent)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(wordsOf(lines, 'order/42')).toEqual(['hosted by a open', 'a PAY open', 'a PAY open']);
    expect(stepsOf(lines, 'order/42').at(-1)!.roles['order']!.context).toEqual({ paid: 3 });
  });

  test('an observer that comes later receives the present state', async () => {
    const orders = await testCluster({ order });
    await orders.of('a').cluster.actor('order', '42').send({ type: 'PAY', amount: 4 });
    const lines = watched(orders);
    expect(wordsOf(lines, 'order/42')).toEqual(['hosted by a open']);
    expect(stepsOf(lines, 'order/42')[0]!.roles['order']!.context).toEqual({ paid: 4 });
  });
});

describe('a program that reports everything', () => {
  test('names contain that of the cluster; a hosted actor is not one of the program', async () => {
    const actors: string[] = [];
    onTestFinished(reportActors(({ node }) => void actors.push(node)));
    const orders = await testCluster({ order });
    const lines = watched(orders, true);
    await orders.of('a').cluster.actor('order', '42').send({ type: 'PAY', amount: 4 });
    expect(wordsOf(lines, 'cluster/order/42')).toEqual(['hosted by a cluster open', 'a cluster PAY open']);
    expect(stepsOf(lines, 'a cluster')).toHaveLength(1);
    createActor(order).start().stop();
    expect(actors).not.toContain('order/42');
    expect(actors).toContain('order');
  });

  test('inspect refuses to change a cluster, and clusters next to nodes', async () => {
    const { cluster } = (await testCluster({ order })).of('a');
    await expect(inspect(cluster, { reach: true })).rejects.toThrow('a page cannot change a cluster. Remove reach: true');
    await expect(inspect([cluster, {}] as never)).rejects.toThrow('inspect takes nodes or clusters');
  });

  test('a cluster makes itself known to observers of the process', async () => {
    const made: object[] = [];
    const watch = (one: object) => void made.push(one);
    watchers().add(watch);
    onTestFinished(() => void watchers().delete(watch));
    const { peers } = await testCluster({ order });
    expect(made.filter(isCluster)).toEqual(peers.map(({ cluster }) => cluster));
  });
});

describe('hosts', () => {
  const report = (host: string | null, fence: number, kind: 'start' | 'note' = 'start'): StepReport => ({
    at: 0,
    node: 'order/1',
    kind,
    event: { type: 'start' },
    sent: [],
    emitted: [],
    roles: {},
    hosting: { host, fence },
  });

  test('a report of an earlier activation is left out, and the pointer stays', () => {
    const hosts = new Hosts();
    expect(hosts.take(report('a', 1))!.event.type).toBe('hosted by a');
    expect(hosts.take(report('b', 2))!.event.type).toBe('moved to b');
    expect(hosts.take(report('a', 1))).toBeNull();
    expect(hosts.take(report(null, 1, 'note'))).toBeNull();
    expect(hosts.overlayOf('order/1')).toEqual({ pointers: [{ to: 'b', kind: 'host' }] });
    expect(hosts.take(report(null, 2, 'note'))!.event.type).toBe('left b');
    expect(hosts.overlayOf('order/1')).toEqual({ pointers: [] });
  });

  test('other nodes are not affected', () => {
    const other = { ...report(null, 0), node: 'n' };
    delete (other as { hosting?: unknown }).hosting;
    expect(new Hosts().take(other)).toBe(other);
  });
});
