/** A diffusing computation whose cost follows its participants only, and majority commitment (sections 1 and 3 of the paper). */
import { budgetOver } from '../../../machines/controller/budget/index.js';
import type { Protocol } from '../../../machines/protocol.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import { diffusion } from '../../applications/diffusion.js';
import { echo } from '../../classics/echo.js';
import type { Table } from '../experiment.js';

function run(protocol: Protocol, json: object) {
  const scenario = { protocol: protocol.name, events: [{ at: 0, node: 'n0', do: 'begin' }], ...json };
  const parsed = parseScenario(scenario, { [protocol.name]: protocol });
  return new Simulation(parsed, { host: 'snapshots', watch: false }).run().summary as Readonly<Record<string, any>>;
}

interface Diffusion {
  readonly participants: number;
  readonly exhausted: boolean;
  /** Messages of the computation and of the controller. */
  readonly messages: number;
}

export function diffuse(topology: object, M: number): Diffusion {
  const { participants, exhausted, messages } = run(diffusion, { topology, options: { M } });
  return { participants, exhausted, messages: messages.own + messages.controller };
}

const tree = (n: number) => ({ kind: 'tree', n });
const M = 31;

/** The same budget of nodes for the echo algorithm, by a controller whose tree spans the network. */
function spanning(n: number): number {
  const frugal = budgetOver(echo, 'nodes');
  const { messages } = run(frugal, { topology: tree(n), options: { budget: { kind: 'modified', M } } });
  return messages.controller;
}

export function participantsTable(): Table {
  const sizes = [127, 255, 511, 1023];
  const small = diffuse(tree(sizes[0]!), M);
  return {
    title: `A diffusing computation stops after M = ${M} nodes, in binary trees of n`,
    columns: ['', 'participants', 'messages', 'controller whose tree spans the network: messages'],
    rows: sizes.map((n) => {
      const { participants, messages } = diffuse(tree(n), M);
      return {
        label: `n = ${n}`,
        cells: [{ value: participants, expected: M }, { value: messages, expected: small.messages }, { value: spanning(n) }],
      };
    }),
    note: 'The cost depends on the participants only: nodes that the computation does not reach send and receive nothing.',
  };
}

/** Components of k nodes, of a network of n. */
const COMPONENTS = [16, 31, 64].flatMap((n) =>
  (['path', 'tree'] as const).flatMap((kind) => [Math.floor(n / 2), Math.floor(n / 2) + 1].map((k) => ({ kind, n, k }))),
);

export function majorityTable(): Table {
  return {
    title: 'Majority commitment: M = ⌊n/2⌋ permits, exhausted exactly in a component of more than half of the nodes',
    columns: ['', 'majority', 'messages'],
    rows: COMPONENTS.map(({ kind, n, k }) => {
      const { exhausted, messages } = diffuse({ kind, n: k }, Math.floor(n / 2));
      const word = (is: boolean) => (is ? 'yes' : 'no');
      return {
        label: `${kind} of ${k}, of ${n} nodes`,
        cells: [{ value: word(exhausted), expected: word(2 * k > n) }, { value: messages }],
      };
    }),
    note: 'The root learns it from the signal. The messages are those of the computation and of the controller.',
  };
}
