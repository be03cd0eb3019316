/**
 * A mobile object on the queue: it goes from user to user in the order of the queue, straight from one to the next.
 *
 *
 *     node dist/examples/mobile-object.js
 *
 * This is the original application of the arrow protocol: a directory for mobile objects. A request finds the end of the queue, and the
 * object follows the queue. The example compares its path with that of an object with a home, where each user fetches it and brings it
 * back. After a fault, nothing ensures that only one object exists: the queue repairs itself, an object does not (docs/queue.md).
 */
import { parseScenario, Simulation } from '../entries/network.js';
import { protocols } from '../entries/machines.js';
import type { Queued } from '../machines/queue/index.js';

/** A path: users at one end fetch the object in turn, then users at the other. */
const users = Array.from({ length: 16 }, (_, i) => `n${i}`);
const asking = ['n1', 'n2', 'n3', 'n2', 'n1', 'n14', 'n15', 'n14', 'n13'];
const events = asking.map((node, i) => ({ at: 60 * i, node, do: 'request' }));
const scenario = { protocol: 'queue', topology: { kind: 'path', n: users.length }, network: { latency: 1 }, events };
const simulation = new Simulation(parseScenario(scenario, protocols));
const { distance } = simulation.instance;

let place = 'n0';
let traveled = 0;
simulation.network.notifications$.subscribe(({ notification }) => {
  const { type, requester } = notification as Queued;
  if (type !== 'queued' || requester === null) return;
  // Requests are sequential, so the object is at the predecessor of this one.
  traveled += distance(place, requester);
  place = requester;
});
const { verdict } = simulation.run();

const withHome = asking.reduce((sum, user) => sum + 2 * distance('n0', user), 0);
console.log(`${verdict}: the object went to ${asking.join(', ')}`);
console.log(`${traveled} hops from user to user, ${withHome} if each user fetched it at n0 and returned it`);
