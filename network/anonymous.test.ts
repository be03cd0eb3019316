/** Networks of anonymous nodes: ports, messages to oneself, and links that are cut for both ends at once. */
import { expect, test } from 'vitest';
import { exclusion } from '../machines/exclusion/index.js';
import { parseScenario } from './scenario/parse.js';
import { Simulation } from './simulation.js';

const simulate = (events: readonly object[], more: object = {}) =>
  new Simulation(parseScenario({ protocol: 'exclusion', topology: { kind: 'path', n: 3 }, events, ...more }, { exclusion }));
const lock = (node: string) => ({ at: 0, node, do: 'lock' });

test("a message arrives at the receiver's port; one to port 0 returns a tick later", () => {
  const simulation = simulate([lock('n1')], { network: { latency: 'weight' } });
  const received: unknown[] = [];
  simulation.network.steps$.subscribe(({ node, at, event }) => {
    if (event.type === 'prepare') received.push([node, event['from'], at]);
  });
  simulation.run();
  expect(received).toEqual([
    ['n0', 1, 1],
    ['n1', 0, 1],
    ['n2', 1, 1],
  ]);
});

test('when the first end is notified of a cut, the link is empty in both directions', () => {
  const simulation = simulate([lock('n0'), lock('n1'), { at: 1.5, do: 'cut', link: ['n0', 'n1'] }]);
  const { network } = simulation;
  const left: number[] = [];
  network.steps$.subscribe(({ kind }) => {
    if (kind !== 'link') return;
    left.push(network.world.flights.between('n0', 'n1').length + network.world.flights.between('n1', 'n0').length);
    expect([network.links.up('n0', 'n1'), network.links.up('n1', 'n0')]).toEqual([false, false]);
  });
  const lost: string[] = [];
  network.lost$.subscribe(({ flight }) => lost.push(`${flight.from} ${flight.to}`));
  simulation.run();
  expect(left).toEqual([0, 0]);
  expect(new Set(lost)).toEqual(new Set(['n0 n1', 'n1 n0']));
});
