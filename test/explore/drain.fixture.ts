/** The longest run of the directory without new requests (spec 1.6). */
import { directory } from '../../machines/directory/index.js';
import { createMetric } from '../../network/topology/metric.js';
import { everyStart } from './directory.fixtures.js';
import { ALL_FUSED, Script } from '../../network/world/script.js';

import { LevelFrontier } from './frontier.js';
import { Graph } from './graph.js';
import { Model } from './model.js';
import { Search } from './search.js';
import { firstStates } from './starts.js';
import { OPTIONAL } from './successors.js';
import { SearchWatch } from './watch.js';

/** The longest run from any reachable state in which no new request is made. */
export function longestDrain(n: number, hold: 0 | 1): number {
  const { topology, initials } = everyStart(n, hold);
  const metric = createMetric(topology);
  const instances = initials.map((raw) => ({ ...metric, options: directory.options(raw, metric) }));
  const system = {
    protocol: directory,
    instance: instances[0]!,
    nodes: topology.nodes,
    newcomers: new Map(),
    order: 'unordered',
    lasting: false,
    fused: ALL_FUSED,
    reactions: directory.reactions(instances[0]!.options),
    unlimited: [{ name: 'request', event: { type: 'request' } }],
  } as const;
  // The sender of a find is read, the sender of a token is not.
  const model = new Model(
    system,
    { protocol: directory, instance: system.instance, script: new Script([], directory), workload: undefined, budget: {} },
    new Set(['find']),
  );
  const graph = new Graph();
  const search = new Search(model, new SearchWatch([], undefined, model), { frontier: new LevelFrontier(), bounds: {}, graph });
  for (const instance of instances) for (const { row } of firstStates(model, instance, [])) search.begin(row);
  search.run();
  return longestPath(search, model, graph);
}

/**
 * The longest path along transitions that are not requests. These transitions have no cycles, otherwise there would be no longest
 * path.
 */
function longestPath({ store }: Search, model: Model, graph: Graph): number {
  const drains = new Int32Array(store.size).fill(-1);
  const row = new Int32Array(store.longest);
  const next = (state: number): number[] => {
    model.successors.expand(row, store.load(state, row));
    const { actions, count } = model.successors;
    const begin = graph.begin(state);
    return Array.from({ length: count }, (_, i) => i)
      .filter((i) => actions[i] !== OPTIONAL)
      .map((i) => graph.target(begin + i));
  };
  const visit = (state: number): number => {
    if (drains[state] !== -1) return drains[state]!;
    const longest = next(state).reduce((most, target) => Math.max(most, 1 + visit(target)), 0);
    return (drains[state] = longest);
  };
  for (let state = 0; state < store.size; state++) visit(state);
  return drains.reduce((most, drain) => Math.max(most, drain), 0);
}
