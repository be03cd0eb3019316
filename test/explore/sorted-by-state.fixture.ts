/**
 * Two-phase commit searched as Stateright's example does it: depth-first, keeping the first of the states that differ only in the
 * order of managers.
 */
import type { Configuration } from '../../machines/protocol.js';
import { createMetric } from '../../network/topology/metric.js';
import { ALL_FUSED, Script } from '../../network/world/script.js';

import { Model } from './model.js';
import { firstStates } from './starts.js';
import { DELIVER, LOCAL } from './successors.js';
import { among, twoPhaseCommit, value } from './two-phase-commit.fixture.js';

const STATES = ['working', 'prepared', 'committed', 'aborted'];
/** The order in which that search takes actions: the transaction manager first, then resource by resource. */
const ACTIONS = ['decide', 'undo', 'prepared', 'prepare', 'giveUp', 'commit', 'abort'];

export function sortedByState(managers: number): number {
  const { topology } = among(managers);
  const instance = { ...createMetric(topology), options: {} };
  const unlimited = ['prepare', 'giveUp', 'decide', 'undo'].map((name) => ({ name, event: { type: name } }));
  const places = {
    protocol: twoPhaseCommit,
    instance,
    nodes: topology.nodes,
    newcomers: new Map(),
    order: 'unordered',
    reactions: [],
    fused: ALL_FUSED,
    unlimited,
  } as const;
  const script = new Script([], twoPhaseCommit);
  const plan = { protocol: twoPhaseCommit, instance, script, workload: undefined, budget: {} };
  const model = new Model({ ...places, lasting: true }, plan, new Set(['prepared']));
  const waiting = [...firstStates(model, instance, [])].map(({ row }) => Int32Array.from(row));
  const known = new Set(waiting.map((row) => normal(model.configuration(row, 0, row.length))));
  for (let row = waiting.pop(); row; row = waiting.pop()) {
    for (const next of successorsOf(row, model)) {
      const key = normal(model.configuration(next, 0, next.length));
      if (known.has(key)) continue;
      known.add(key);
      waiting.push(next);
    }
  }
  return known.size;
}

function successorsOf(row: Int32Array, { successors, packets, steps }: Model): Int32Array<ArrayBuffer>[] {
  successors.expand(row, row.length);
  const { count, kinds, subjects, rows, begins } = successors;
  const ranked = Array.from({ length: count }, (_, i) => {
    const packet = kinds[i] === DELIVER ? packets.get(subjects[i]!) : undefined;
    const event = kinds[i] === LOCAL ? steps.events.get(subjects[i]!) : undefined;
    const action = ACTIONS.indexOf(packet?.message.type ?? event!.event.type);
    const resource = Math.max(packet?.from ?? event!.node, packet?.to ?? 0);
    return { rank: action < 2 ? action : 10 * resource + action, row: Int32Array.from(rows.subarray(begins[i], begins[i + 1])) };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map((next) => next.row);
}

/** A state with its resource managers sorted by their own states; managers in equal states keep their order. */
function normal(c: Configuration): string {
  const [head, ...managers] = [...c.nodes.keys()];
  const order = managers.sort((a, b) => STATES.indexOf(String(value(c, a))) - STATES.indexOf(String(value(c, b))));
  const prepared: readonly string[] = c.nodes.get(head!)!['toy']!.context.prepared;
  const sent = c.flights.filter(({ message }) => message.type === 'prepared').map(({ from }) => from);
  const hasDecision = c.flights.some(({ message }) => message.type !== 'prepared');
  return JSON.stringify([
    value(c, head!),
    hasDecision,
    order.map((id) => [value(c, id), prepared.includes(id), sent.includes(id)]),
  ]);
}
