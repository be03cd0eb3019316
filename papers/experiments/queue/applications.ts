/** The applications in section 1 of the paper: every interleaving of a small system, and the cost of runs. */
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import type { Protocol } from '../../../machines/protocol.js';
import { checkScenario } from '../../../test/explore/scenario.js';
import { mobileObject } from '../../applications/mobile-object.js';
import { multicast } from '../../applications/multicast.js';
import type { Table } from '../experiment.js';

const scenarioOf = (protocol: Protocol, json: object) =>
  parseScenario({ protocol: protocol.name, ...json }, { [protocol.name]: protocol });

const commands = (word: string, nodes: readonly string[], apart = 0) =>
  nodes.map((node, i) => ({ at: apart * i, node, do: word }));

const SYSTEMS = [
  {
    label: 'multicast, path of three, three messages',
    protocol: multicast,
    word: 'multicast',
    nodes: ['n0', 'n2', 'n2'],
    states: 22301,
  },
  {
    label: 'mobile object, path of three, four uses',
    protocol: mobileObject,
    word: 'use',
    nodes: ['n0', 'n1', 'n2', 'n2'],
    states: 4122,
  },
] as const;

export function interleavingsTable(): Table {
  const rows = SYSTEMS.map(({ label, protocol, word, nodes, states }) => {
    const json = { topology: { kind: 'path', n: 3 }, events: commands(word, nodes) };
    const found = checkScenario(scenarioOf(protocol, json));
    return {
      label,
      cells: [
        { value: found.verdict, expected: 'valid' },
        { value: found.states, expected: states },
      ],
    };
  });
  return {
    title: 'Ordered multicast and a mobile object on the queue: every interleaving',
    columns: ['', 'verdict', 'states'],
    rows,
    note: 'All nodes deliver the same messages in one order. There is one object, and its uses have the numbers 1, 2, 3, … without a gap.',
  };
}

function run(protocol: Protocol, json: object) {
  const { verdict, summary } = new Simulation(scenarioOf(protocol, json), { host: 'snapshots' }).run();
  if (verdict !== 'valid') throw new Error(`A run of ${protocol.name} is ${verdict}.`);
  return summary as Readonly<Record<string, any>>;
}

/** Sequential uses: first at one end of a path, then at the other. */
const USERS = ['n1', 'n2', 'n3', 'n2', 'n1', 'n14', 'n15', 'n14', 'n13'];
const LOAD = { topology: { kind: 'tree', n: 7 }, network: { latency: { min: 1, max: 9 } } };

export function applicationsTable(): Table {
  const place = (node: string): number => Number(node.slice(1));
  const between = USERS.map((user, i) => Math.abs(place(user) - place(USERS[i - 1] ?? 'n0')));
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const moved = run(mobileObject, { topology: { kind: 'path', n: 16 }, events: commands('use', USERS, 60) });
  const counted = run(mobileObject, { ...LOAD, workload: { command: 'use', concurrent: 5, requests: 100 } });
  const numbers = Object.values<number[]>(counted['numbers']).flat();
  const sent = run(multicast, { ...LOAD, workload: { command: 'multicast', concurrent: 5, requests: 60 } });
  return {
    title: 'Applications of the queue in runs',
    columns: ['', 'requests', 'result', 'without the queue'],
    rows: [
      {
        label: 'hops of the object; if each user fetches it at n0 and returns it',
        cells: [
          { value: USERS.length },
          { value: moved['traveled'], expected: sum(between) },
          { value: sum(USERS.map((user) => 2 * place(user))) },
        ],
      },
      {
        label: 'distributed counting: different numbers, the largest of which is 100',
        cells: [
          { value: 100 },
          { value: Math.max(...numbers) === 100 ? new Set(numbers).size : 0, expected: 100 },
          { value: null },
        ],
      },
      {
        label: 'multicast: messages that all nodes deliver in one order',
        cells: [{ value: 60 }, { value: new Set(sent['order']).size, expected: 60 }, { value: null }],
      },
    ],
    note: 'The object travels exactly from user to user.',
  };
}
