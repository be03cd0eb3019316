/** Runs a protocol that never ends under a budget, and measures how much it spends and how many messages the controller adds. */
import { budgetOver } from '../../../machines/controller/budget/index.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import type { Table } from '../experiment.js';
import { balls } from './balls.js';

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
