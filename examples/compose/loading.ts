/** Two protocols as one: a node that gets the truck requests the dock. The composition is run, checked, and then used on a transport. */
import { checkScenario } from 'xstate-quiver/check';
import { compose, directory } from 'xstate-quiver/machines';
import { parseScenario, Simulation } from 'xstate-quiver/network';
import { createNode } from 'xstate-quiver/node';
import { InProcessBus } from 'xstate-quiver/transports';

const loading = compose(
  { truck: directory, dock: directory },
  { name: 'loading', stack: [{ on: 'truck.granted', do: 'dock.request' }] },
);

// Run: the node that gets the truck also gets the dock, in the same order.
const events = ['n1', 'n2'].map((node) => ({ at: 0, node, do: 'truck.request' }));
const options = { truck: { hold: 5 }, dock: { hold: 2 } };
const scenario = parseScenario({ protocol: 'loading', topology: { kind: 'path', n: 3 }, options, events }, { loading });
const { verdict, summary } = new Simulation(scenario).run();
const served = (part: string) => (summary[part] as { served: readonly string[] }).served.join(', ');
console.log(`run: ${verdict}, truck at ${served('truck')}, dock at ${served('dock')}`);

// Check: every interleaving.
const report = checkScenario(scenario);
console.log(`check: ${report.verdict}, ${report.states} states`);

// Ship: the same charts on a transport; the application releases each grant.
const bus = new InProcessBus();
const topology = { nodes: ['ann', 'bob'], links: [['ann', 'bob', 1]] } as const;
const byHand = { truck: { hold: null }, dock: { hold: null } };
const [ann, bob] = topology.nodes.map((id) =>
  createNode({ transport: bus.transport(id), protocol: loading, topology, options: byHand }),
);
const loaded = new Promise<void>((resolve) => {
  bob!.addEventListener('dock.granted', () => {
    console.log('ship: bob has the truck and the dock');
    for (const part of ['dock', 'truck']) bob!.command(`${part}.release`);
    resolve();
  });
});
await bob!.ready;
bob!.command('truck.request');
await loaded;
await Promise.all([ann!.close(), bob!.close()]);
bus.close();
