/**
 * Distributed counting on the queue: every request gets its own number, one after the other, and no node stores the counter.
 *
 *
 *     node dist/examples/distributed-counter.js
 *
 * The queue notifies a node of the request that follows its own latest request. The node with the number n then sends n + 1 to that node,
 * without further messages: the counter is at the end of the queue. Without faults, numbers are unique and without gaps. While a queue
 * repairs itself after a fault, numbers may repeat or have gaps. A counter that must be right needs a lock (examples/shared-counter.ts).
 */
import { parseScenario, Simulation } from '../entries/network.js';
import { protocols } from '../entries/machines.js';
import type { Queued } from '../machines/queue/index.js';

const names = ['ann', 'bob', 'cy', 'dan', 'eve', 'fay', 'gus'];
const links = names.slice(1).map((name, i) => [names[i >> 1]!, name]);
/** Two requests of each node, the second long after the first: a find contains its requester, but not which request it is. */
const events = [0, 100].flatMap((start) => names.map((node, i) => ({ at: start + ((5 * i) % 7), node, do: 'request' })));
const scenario = { protocol: 'queue', topology: { nodes: names, links }, network: { latency: { min: 1, max: 9 } }, events };
const simulation = new Simulation(parseScenario(scenario, protocols));

/** Number of requests of each node; a request is identified by its node and its position among these. */
const asked = new Map(names.map((name) => [name, 0]));
const behind = new Map<string, string>();

simulation.network.steps$.subscribe(({ kind, node, emitted }) => {
  if (kind === 'command') asked.set(node, asked.get(node)! + 1);
  for (const { type, requester, predecessor } of emitted as Queued[]) {
    if (type !== 'queued' || requester === null) continue;
    // A node that requests again at the end of the queue follows its own earlier request.
    const latest = asked.get(predecessor)! - (predecessor === requester ? 1 : 0);
    behind.set(`${predecessor} ${latest}`, `${requester} ${asked.get(requester)}`);
  }
});
const { verdict } = simulation.run();

/** The queue begins at the root. Before the root's first request, no node has a number. */
let count = 0;
const numbers = new Map<string, number>();
for (let request = behind.get('ann 0'); request !== undefined; request = behind.get(request)) numbers.set(request, ++count);

for (const name of names) console.log(`${name}: ${numbers.get(`${name} 1`)} and ${numbers.get(`${name} 2`)}`);
console.log(
  `${verdict}: ${numbers.size} of ${events.length} requests have a number, ${new Set(numbers.values()).size} different ones`,
);
