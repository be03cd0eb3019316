/** Runs a protocol that never ends under a budget, and measures how much it spends and how many messages the controller adds. */
import { budgetOver } from '../../../machines/controller/budget/index.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import type { Table } from '../experiment.js';
import { assign, setup } from 'xstate';
import { defineProtocol } from '../../../machines/define.js';
import { effects, send, type Message, type NodeId } from '../../../machines/effects.js';

/**
 * A protocol that never ends by itself, to be stopped by a budget: a node throws a ball to its next neighbor, and each receiver throws it
 * on, forever. Several nodes may begin.
 */
interface Context {
  readonly neighbors: readonly NodeId[];
  /** Next neighbor to throw to. */
  readonly turn: number;
}
type In = { context: Context };

const ball = ({ context: { neighbors, turn } }: In) => ({ to: neighbors[turn]!, message: { type: 'ball' } });

const playerMachine = setup({
  types: {} as { context: Context; events: Message; input: Pick<Context, 'neighbors'> },
  actions: { ...effects(), turnOn: assign(({ context: { neighbors, turn } }) => ({ turn: (turn + 1) % neighbors.length })) },
}).createMachine({
  id: 'player',
  context: ({ input }) => ({ ...input, turn: 0 }),
  initial: 'playing',
  states: {
    playing: {
      on: {
        begin: { actions: [send(ball), 'turnOn'] },
        ball: { actions: [send(ball), 'turnOn'] },
      },
    },
  },
});

export const balls = defineProtocol(
  {
    name: 'balls',
    charts: { player: playerMachine },
    network: { reach: 'links', order: 'fifo' },
    input: (id, { topology: { links } }) => ({ neighbors: links.flatMap(([u, v]) => (u === id ? [v] : v === id ? [u] : [])) }),
    messages: { ball: {} },
    commands: { begin: {} },
  },
  { properties: () => [] },
);

const frugal = budgetOver(balls, 'messages');
const SIZE = 32;
const M = 4000;

interface Spending {
  readonly spent: number;
  readonly controller: number;
}

/** Stops a number of balls on a ring, all thrown at once, by nodes as far from each other as possible. */
export function stopBalls(kind: string, W: number, initiators: number, units = M): Spending {
  const events = Array.from({ length: initiators }, (_, i) => ({ at: 0, node: `n${(i * SIZE) / initiators}`, do: 'begin' }));
  const scenario = {
    protocol: frugal.name,
    topology: { kind: 'ring', n: SIZE },
    options: { budget: { kind, M: units, W } },
    network: { latency: { min: 1, max: 9 } },
    events,
  };
  const { summary } = new Simulation(parseScenario(scenario, { [frugal.name]: frugal }), {
    host: 'snapshots',
    watch: false,
  }).run();
  const { spent, messages } = summary as { spent: number; messages: { controller: number } };
  return { spent, controller: messages.controller };
}

export function budgetTable(): Table {
  const systems = [
    { kind: 'naive', W: 0 },
    { kind: 'modified', W: 0 },
    { kind: 'basic', W: M / 2 },
  ].flatMap((system) => [1, 4, 16].map((initiators) => ({ ...system, initiators })));
  return {
    title: `A budget of M = ${M} messages when balls circle a ring of ${SIZE} without end`,
    columns: ['', 'spent, M at most', 'wasted, W at most', "controller's messages per unit"],
    rows: systems.map(({ kind, W, initiators }) => {
      const { spent, controller } = stopBalls(kind, W, initiators);
      return {
        label: `${kind}, W = ${W}, ${initiators} begin${initiators === 1 ? 's' : ''}`,
        cells: [
          { value: spent, expected: M, check: 'atMost' },
          { value: M - spent, expected: W, check: 'atMost' },
          { value: controller / spent },
        ],
      };
    }),
    note: 'The tree of the controller spans the ring, so that any number of nodes may begin, and a permit costs what it costs with one.',
  };
}
