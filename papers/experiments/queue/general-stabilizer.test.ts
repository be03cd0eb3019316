/** The general technique: every pointer of every node, with and without requests, becomes legal and remains so. */
import { assign } from 'xstate';
import { expect, test } from 'vitest';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import { isLegal, stabilizerFrom, stabilizerMachine } from './general-stabilizer.js';

const R = 10;
const NODES = ['n0', 'n1', 'n2', 'n3'];
/** The pointers of a path of four nodes: each to itself or a neighbor. */
const allPointers = NODES.reduce<readonly (readonly string[])[]>(
  (sets, node, i) => sets.flatMap((set) => [node, NODES[i - 1], NODES[i + 1]].flatMap((to) => (to ? [[...set, to]] : []))),
  [[]],
);
const requests = Array.from({ length: 40 }, (_, i) => ({ at: 5 * i, node: NODES[(3 * i) % 4]!, do: 'request' }));

/** Ticks after which every edge is legal: two round trips for each edge on the way, a period, and the phases. */
const REPAIRED = 12 * R;

/** Number of states with an illegal edge, before and after the repair. */
function illegalStates(
  pointers: readonly string[],
  chart = stabilizerMachine,
): { readonly before: number; readonly after: number } {
  const protocol = { ...stabilizerFrom((node) => pointers[NODES.indexOf(node)]!, 2 * R), charts: { stabilizer: chart } };
  const topology = { kind: 'path', n: 4 };
  const scenario = { protocol: protocol.name, topology, network: { latency: { min: 1, max: R / 2 } }, events: requests };
  const json = { ...scenario, until: { at: 25 * R } };
  const simulation = new Simulation(parseScenario(json, { [protocol.name]: protocol as never }), {
    host: 'snapshots',
    watch: false,
  });
  const illegal = { before: 0, after: 0 };
  simulation.network.steps$.subscribe(({ at }) => {
    if (!isLegal(simulation.configuration)) illegal[at < REPAIRED ? 'before' : 'after']++;
  });
  simulation.run();
  return illegal;
}

test('any pointers of four nodes, with requests: four starts are legal, and all ends', () => {
  const found = allPointers.map((pointers) => illegalStates(pointers));
  expect(found).toHaveLength(36);
  expect(found.filter(({ before }) => before === 0)).toHaveLength(4);
  expect(found.filter(({ after }) => after > 0)).toEqual([]);
});

test.each([
  ['a check never finds a fault', stabilizerMachine.provide({ guards: { isLegal: () => true } })],
  ['finds behind the question are not counted', stabilizerMachine.provide({ actions: { countSent: assign({}) } })],
  ['a pointer that does not fit remains', stabilizerMachine.provide({ actions: { fit: assign({}) } })],
])('mistake: %s', (_, chart) => {
  expect(allPointers.some((pointers) => illegalStates(pointers, chart).after > 0)).toBe(true);
});
