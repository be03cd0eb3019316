/** Runs a population of agents on locks: a node that has locked its neighbors interacts with one of them, chosen at random, or with all. */
import type { Population } from './agents/population.js';
import type { NodeId } from '../../../machines/effects.js';
import type { ExclusionNotification } from '../../../machines/exclusion/machine.js';
import type { Step } from '../../../machines/protocol.js';
import { Random } from '../../../network/random.js';
import type { Simulation } from '../../../network/simulation.js';

/** Runs the population on a simulation of the exclusion protocol; an interaction commits at `unlock`. */
export function inhabit(simulation: Simulation, population: Population<any>, seed: number, meets: 'one' | 'all' = 'one'): void {
  const { network } = simulation;
  const random = new Random(seed, 'partners');
  const partners = new Map<NodeId, readonly NodeId[]>();
  const isLinked = (u: NodeId, v: NodeId) => network.links.up(u, v) && network.links.up(v, u);
  network.steps$.subscribe(({ node, kind, event, emitted, sent }: Step) => {
    for (const notification of emitted as readonly ExclusionNotification[]) {
      const ports = notification.type === 'locked' ? notification.ports.filter((port) => port !== 0) : [];
      if (ports.length === 0) continue;
      const chosen = meets === 'all' ? ports : [random.pick(ports)];
      const group = chosen.map((port) => network.links.peerAt(node, port)!);
      partners.set(node, group);
      population.begin(node, group);
    }
    if (kind === 'link') {
      for (const [u, group] of partners) for (const v of group) if (!isLinked(u, v)) population.part(u, v);
    }
    if (kind === 'command' && event.type === 'unlock' && sent.length > 0) {
      population.commit(node);
      partners.delete(node);
    }
  });
}
