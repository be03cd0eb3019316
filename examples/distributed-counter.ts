/**
 * Distributed counting on the queue: every request gets its own number, one after the other, and no node keeps the counter.
 *
 *     node dist/examples/distributed-counter.js
 *
 * The queue tells a node who asks behind its own latest request. Whoever has the number n then says n + 1 to that node, and nobody
 * else is asked: the counter is wherever the queue ends. Without faults numbers have no gap and no double; while a queue repairs
 * itself after a fault they may have both, so a counter that must be right stands on a lock (examples/shared-counter.ts).
 */
import { parseScenario, Simulation } from '../entries/network.js';
import { protocols } from '../entries/machines.js';
import type { Queued } from '../machines/queue/index.js';

const names = ['ann', 'bob', 'cy', 'dan', 'eve', 'fay', 'gus'];
const links = names.slice(1).map((name, i) => [names[i >> 1]!, name]);
/** Two of each node, the second one long after the first: a find tells whose it is, not which. */
const events = [0, 100].flatMap((start) => names.map((node, i) => ({ at: start + ((5 * i) % 7), node, do: 'request' })));
const scenario = { protocol: 'queue', topology: { nodes: names, links }, network: { latency: { min: 1, max: 9 } }, events };
const simulation = new Simulation(parseScenario(scenario, protocols));

/** The requests of a node so far; a request is known by its node and its place among these. */
const asked = new Map(names.map((name) => [name, 0]));
const behind = new Map<string, string>();

simulation.network.steps$.subscribe(({ kind, node, emitted }) => {
  if (kind === 'command') asked.set(node, asked.get(node)! + 1);
  for (const { type, requester, predecessor } of emitted as Queued[]) {
    if (type !== 'queued' || requester === null) continue;
    // Who asks again at the end of the queue comes behind the request before.
    const latest = asked.get(predecessor)! - (predecessor === requester ? 1 : 0);
    behind.set(`${predecessor} ${latest}`, `${requester} ${asked.get(requester)}`);
  }
});
const { verdict } = simulation.run();

/** The queue begins at the root, before whose first request nobody has a number. */
let said = 0;
const numbers = new Map<string, number>();
for (let request = behind.get('ann 0'); request !== undefined; request = behind.get(request)) numbers.set(request, ++said);

for (const name of names) console.log(`${name}: ${numbers.get(`${name} 1`)} and ${numbers.get(`${name} 2`)}`);
console.log(
  `${verdict}: ${numbers.size} of ${events.length} requests have a number, ${new Set(numbers.values()).size} different ones`,
);
