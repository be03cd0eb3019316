/**
 * Ordered multicast on the self-stabilizing queue: every node delivers the same messages in the same order, without a coordinator.
 *
 *
 *     node dist/examples/ordered-multicast.js
 *
 * A node with a message requests a place in the queue. The predecessor in the queue notifies all nodes which message follows which. Nodes
 * receive these links in different orders, and deliver along them. In the middle of the run, all nodes, edges and messages in flight are
 * corrupted. Messages sent while the queue repairs itself may get no place, or be placed in pieces.
 */
import { parseScenario, Simulation } from '../entries/network.js';
import { protocols } from '../entries/machines.js';
import type { Queued } from '../machines/queue/index.js';
import { Random } from '../network/random.js';

const random = new Random(1, 'multicast');
const names = ['ann', 'bob', 'cy', 'dan', 'eve', 'fay', 'gus'];
const links = names.slice(1).map((name, i) => [names[i >> 1]!, name]);
/**
 * One every 7 ticks, so that several are in flight at a time, but no two of one sender: a find contains its requester, but not which
 * request it is.
 */
const messages = (start: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ at: start + 7 * i, node: names[(3 * i) % names.length], do: 'request' }));

const phases = { before: messages(1, 30), repairing: messages(501, 12), after: messages(1001, 30) };
const events = [...Object.values(phases).flat(), { at: 500, do: 'corrupt' }];
const scenario = { protocol: 'queue', topology: { nodes: names, links }, network: { latency: { min: 1, max: 9 } }, events };
const simulation = new Simulation(parseScenario(scenario, protocols));

/** A node's messages are numbered. The newest one is the one of its request, and the predecessor of the next request. */
const newest = new Map(names.map((name) => [name, 0]));
const follows = { before: new Map<string, string>(), repairing: new Map<string, string>(), after: new Map<string, string>() };
const phaseAt = (at: number) => (at < 500 ? 'before' : at < 1000 ? 'repairing' : 'after');

simulation.network.steps$.subscribe(({ kind, node, emitted, at }) => {
  if (kind === 'command') newest.set(node, newest.get(node)! + 1);
  for (const { type, requester, predecessor } of emitted as Queued[]) {
    if (type !== 'queued' || requester === null) continue;
    const last = newest.get(predecessor)! - (predecessor === requester ? 1 : 0);
    follows[phaseAt(at)].set(`${predecessor} ${last}`, `${requester} ${newest.get(requester)}`);
  }
});
simulation.run();

/** Messages that one node delivers. It receives all links in any order, and begins with the message without a predecessor. */
function delivered(received: readonly (readonly [string, string])[]): string {
  const next = new Map(received);
  const all = new Set(next.values());
  let message = next.get([...next.keys()].find((after) => !all.has(after))!);
  const order: string[] = [];
  for (; message !== undefined; message = next.get(message)) order.push(message);
  return order.join(', ');
}

for (const phase of ['before', 'after'] as const) {
  const orders = names.map(() => delivered(random.shuffle([...follows[phase]])));
  const count = orders[0]!.split(', ').length;
  console.log(`${phase}: ${new Set(orders).size} order at ${names.length} nodes, ${count} of ${phases[phase].length} messages`);
  if (phase === 'before') {
    console.log(`repairing: ${follows.repairing.size} of ${phases.repairing.length} messages got a place, no order promised`);
  }
}
