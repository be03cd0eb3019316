/** Lemma 1: simultaneous events at different nodes commute; those at one node do not. */
import { expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import type { Choice } from '../../network/world/choice.js';
import { apply, beginWorld, enabled } from '../../network/world/enabled.js';
import { faultBudget } from '../../network/world/environment.js';
import { NOT_FUSED, Script } from '../../network/world/script.js';
import type { World } from '../../network/world/world.js';
import { createMetric } from '../../network/topology/metric.js';
import { rootedTrees } from '../../test/explore/topologies.js';
import { worldText } from '../../test/one-world.fixture.js';
import { directory } from './index.js';

const nodes = ['n0', 'n1', 'n2'];
const events = nodes.map((node) => ({ at: 0, node, do: 'request' }));

function begin(policy: string, parents: Readonly<Record<string, string>>): World {
  const root = nodes.find((node) => parents[node] === node);
  const scenario = parseScenario(
    { protocol: 'directory', topology: { kind: 'complete', n: 3 }, options: { policy, root, parents, hold: 1 }, events },
    { directory },
  );
  const { protocol, graph, options, network } = scenario;
  const script = new Script(scenario.events, protocol);
  const instance = { ...graph, options };
  const budget = faultBudget(network);
  return beginWorld({
    protocol,
    instance,
    script,
    workload: undefined,
    budget,
    order: network.order,
    measure: createMetric,
    fused: NOT_FUSED,
  }).world;
}

/** The node at which a choice happens. */
function nodeOf(choice: Choice, world: World): string {
  if ('deliver' in choice) return world.flights.all.find(({ id }) => id === choice.deliver)!.to;
  if ('event' in choice) return events[choice.event]!.node;
  if ('command' in choice) return choice.command[0];
  if ('turn' in choice) return choice.turn;
  throw new Error(`a choice that has no place here: ${JSON.stringify(choice)}`);
}

/** Both orders of every two choices of a world, in every reachable state of a system. */
function compareOrders(first: World) {
  const found = { states: 0, elsewhere: 0, differing: 0, atOneNode: 0, differingThere: 0 };
  const seen = new Set<string>();
  const waiting = [first];
  for (let world = waiting.pop(); world; world = waiting.pop()) {
    if (seen.has(worldText(world))) continue;
    seen.add(worldText(world));
    found.states++;
    const now = world;
    const choices = [...enabled(now)];
    waiting.push(...choices.map((choice) => apply(now, choice).world));
    choices.forEach((a, i) => {
      for (const b of choices.slice(i + 1)) {
        const inOrder = (one: Choice, other: Choice) => {
          const after = apply(now, one).world;
          return [...enabled(after)].some((choice) => JSON.stringify(choice) === JSON.stringify(other))
            ? worldText(apply(after, other).world)
            : 'not possible any more';
        };
        const differs = inOrder(a, b) !== inOrder(b, a) ? 1 : 0;
        if (nodeOf(a, now) === nodeOf(b, now)) {
          found.atOneNode++;
          found.differingThere += differs;
        } else {
          found.elsewhere++;
          found.differing += differs;
        }
      }
    });
  }
  return found;
}

test('three nodes: no two events at different nodes care for their order', () => {
  const below = rootedTrees(nodes).filter(({ n0 }) => n0 === 'n0');
  const found = below.map((parents) => compareOrders(begin('second', parents)));
  const sum = (of: (one: (typeof found)[number]) => number) => found.reduce((total, one) => total + of(one), 0);
  expect(sum(({ differing }) => differing)).toBe(0);
  expect(sum(({ elsewhere }) => elsewhere)).toBeGreaterThan(200);
  expect(sum(({ differingThere }) => differingThere)).toBeGreaterThan(30);
});
