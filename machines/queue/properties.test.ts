/** No property is vacuous: each is violated by a mutant of the charts or by a bad state. */
import { assign } from 'xstate';
import { expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { brokenByMutant } from '../mutants.fixtures.js';
import { queue } from './index.js';
import { further } from './promises.fixtures.js';

const requests = ['n6', 'n3', 'n0', 'n5'].map((node, i) => ({ at: 30 * i, do: 'request', node }));
const json = { protocol: 'queue', topology: { kind: 'tree', n: 7 }, events: requests, until: { at: 300 } };

type Parts = { readonly actions?: object; readonly guards?: object };

function refutedBy(chart: 'pointer' | 'guardian', parts: Parts): string[] {
  const scenario = parseScenario(json, { queue });
  const charts = { ...queue.charts, [chart]: queue.charts[chart]!.provide(parts as any) };
  const { properties } = new Simulation({ ...scenario, protocol: { ...queue, charts } }).run();
  return properties.filter(({ holds }) => holds === false).map(({ name }) => name);
}

test('the charts as they are refute nothing', () => {
  expect(refutedBy('pointer', {})).toEqual([]);
});

test.each([
  ['phi changes only at the parent', 'pointer', { actions: { turnToSender: assign({}) } }],
  ['fully legal is closed', 'pointer', { actions: { turnToSender: assign({}) } }],
  ['nothing is repaired once all is fully legal', 'guardian', { guards: { findsNone: () => true } }],
  ['each request is queued once, behind its own predecessor', 'guardian', { guards: { estimatesExcess: () => true } }],
  ['each request is queued once, behind its own predecessor', 'pointer', { actions: { findOfItsOwn: assign({}) } }],
  ['each request is queued once, behind its own predecessor', 'pointer', { actions: { announceQueued: assign({}) } }],
  ['every edge becomes fully legal', 'guardian', { actions: { beginObservation: assign({ sent: 1, timely: true }) } }],
] as const)('%s: refuted by a mutant of the %s', (name, chart, parts) => {
  expect(refutedBy(chart, parts)).toContain(name);
});

test.each(['drop transition self: find', 'drop transition up: find', 'drop transition down: find', 'drop guard (root): obs'])(
  'what comes from outside of the tree is dropped: refuted by "%s"',
  (edit) => {
    const { topology, options, network, events } = further[1]!;
    const scenario = { protocol: 'queue', topology, options, network, events };
    expect(brokenByMutant(queue, scenario, 'pointer', edit)).toEqual(['messages from outside of the tree are dropped']);
    expect(brokenByMutant(queue, scenario)).toEqual([]);
  },
);

test('roles fit the tree: violated by a missing guardian or a wrong pointer state', () => {
  const { network } = new Simulation(parseScenario(json, { queue }));
  const { holds } = queue.properties(network.configuration.instance as any)[0] as any;
  network.start();
  expect(holds(network.configuration)).toBe(true);
  const { pointer, ...guardians } = network.configuration.nodes.get('n1')!;
  network.world.put('n1', 'corrupt', { pointer: pointer! }, []);
  expect(holds(network.configuration)).toBe(false);
  network.world.put('n1', 'corrupt', { pointer: { ...pointer!, value: 'self' }, ...guardians }, []);
  expect(holds(network.configuration)).toBe(false);
});
