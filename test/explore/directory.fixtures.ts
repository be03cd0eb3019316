/** The directory as the reference explorer of spec 1.6 searches it. */
import { stateOf } from '../../machines/directory/view.js';
import { directory } from '../../machines/directory/index.js';
import type { Property } from '../../machines/protocol.js';
import { createMetric } from '../../network/topology/metric.js';
import type { ExploreOptions } from './explore.js';
import { completeGraph, names } from './fixtures.js';
import { rootedTrees } from './topologies.js';

/** All rooted trees of n nodes. A grant is used for `hold` ticks, so that 1 makes the release a separate event. */
export function everyStart(n: number, hold: 0 | 1) {
  const topology = completeGraph(n);
  const initials = rootedTrees(names(n)).map((parents) => ({
    policy: 'random',
    hold,
    parents,
    root: names(n).find((node) => parents[node] === node),
  }));
  const graph = createMetric(topology);
  const properties = directory.properties({ ...graph, options: directory.options(initials[0]!, graph) });
  return { topology, initials, commands: { unlimited: ['request'] }, properties } satisfies ExploreOptions;
}

/** Counts the states in which T2 can happen: some node holds the token without using it. */
export function T2(): { property: Property; count: () => number } {
  const states = new Set<string>();
  const property: Property = {
    name: 'T2',
    description: 'Holds in every state and records those with an idle holder.',
    kind: 'always',
    holds: ({ nodes, flights }) => {
      const isIdleHolder = [...nodes.values()].some((node) => stateOf(node) === 'holding.idle');
      if (isIdleHolder)
        states.add(
          JSON.stringify([
            [...nodes],
            flights.map((flight) => [flight.to, flight.message, flight.message.type === 'find' && flight.from]),
          ]),
        );
      return true;
    },
  };
  return { property, count: () => states.size };
}
