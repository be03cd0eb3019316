/**
 * A crowd with radios: people walk about, links come and go, and every person always knows a leader within two hops.
 *
 *
 *     npx tsx examples/nearest-leader.ts
 *
 * The hierarchy of the election elects district leaders; `nearest` answers from the node's own state, without messages.
 */
import { nearest, protocols } from 'xstate-quiver/machines';
import { parseScenario, Simulation } from 'xstate-quiver/network';

const scenario = {
  protocol: 'election',
  topology: { kind: 'walkers', n: 20, radius: 0.3, speed: 0.02, every: 50, steps: 40, seed: 7 },
  options: { radii: [2, 4] },
};

const simulation = new Simulation(parseScenario(scenario, protocols), { host: 'snapshots' });
simulation.start();
while (simulation.network.now < 1990 && simulation.advance());

const { nodes } = simulation.configuration;
const answers = [...nodes.values()].map((node) => nearest(node, 2));
const leaders = new Set(answers.map((answer) => answer?.leader));
console.log(
  `${answers.filter(Boolean).length} of ${nodes.size} people know a leader within 2 hops, ${leaders.size} leaders in all`,
);
