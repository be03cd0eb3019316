/** Properties are judged once for each combination of what they read, with the same results as in every state. */
import { describe, expect, test } from 'vitest';
import { protocols } from '../../machines/index.js';
import type { Configuration, Property } from '../../machines/protocol.js';
import { systemsOf } from '../system/systems.js';
import { completeGraph } from './fixtures.js';
import { explore } from './explore.js';
import { checkScenario } from './scenario.js';

/** The same property, judged in each state: a predicate that reads the messages, or the whole configuration, has no shorter answer. */
function inEachState(property: Property): Property {
  const seen =
    <A extends readonly unknown[]>(predicate: (c: Configuration, ...rest: A) => boolean) =>
    (c: Configuration, ...rest: A): boolean =>
      c.flights.length >= 0 && predicate(c, ...rest);
  if (property.kind === 'eventually') return { ...property, when: seen(property.when), holds: seen(property.holds) };
  // Without totals: they are computed from the start.
  const { folded: _, ...rest } = property;
  return { ...rest, holds: seen(property.holds) };
}

const systems = Object.entries(protocols).flatMap(([name, protocol]) =>
  [systemsOf(protocol)[0]!, systemsOf(protocol).at(-1)!].map(
    ({ index, scenario }) => [`${name}, system ${index}`, scenario] as const,
  ),
);

test.each(systems)('%s: the same answer as in each state', (_, scenario) => {
  const properties = scenario.protocol.properties({ ...scenario.graph, options: scenario.options });
  const answer = (judged: readonly Property[]) => {
    // A property that reads nothing is vacuous, and not if it is made to read the messages.
    const {
      bytesPerState: _bytes,
      vacuous: _vacuous,
      ...found
    } = checkScenario(scenario, { properties: judged, bounds: { states: 400 } });
    return found;
  };
  expect(answer(properties)).toEqual(answer(properties.map(inEachState)));
});

describe('calls of a predicate', () => {
  const directory = protocols['directory']!;
  const question = {
    topology: completeGraph(3),
    options: { policy: 'ivy', hold: 1 },
    commands: { unlimited: ['request'] },
    order: 'fifo',
  } as const;

  /** How often the search calls a predicate that reads something, and its number of states. */
  function count(read: (c: Configuration) => unknown): { readonly calls: number; readonly states: number } {
    let calls = 0;
    const holds = (c: Configuration) => {
      calls++;
      return read(c) !== null;
    };
    const property: Property = { name: 'reads', kind: 'always', description: 'made for a test', holds };
    const { states } = explore(directory, { ...question, properties: [property] });
    return { calls, states };
  }

  test('one for each state of the role that it reads, after one for vacuity', () => {
    const states = new Set<string>();
    const { calls } = count(({ nodes }) => states.add(JSON.stringify(nodes.get('n1')!['directory'])));
    expect(calls).toBe(states.size + 1);
  });

  test('one for each state if it reads the messages', () => {
    const { calls, states } = count(({ flights }) => flights);
    expect(calls).toBe(states + 1);
  });

  test('one for each state after some states, if many states differ in what it reads', () => {
    const combinations = new Set<string>();
    const { calls, states } = count(({ nodes }) => combinations.add(JSON.stringify([...nodes])));
    expect(calls).toBeGreaterThan(combinations.size + 1);
    expect(calls).toBeLessThanOrEqual(states + 1);
  });

  test('two if it reads nothing', () => {
    expect(count(({ instance }) => instance).calls).toBe(2);
  });

  test('one for each presence of a role, or state of a node with all its roles', () => {
    const locals = new Set<string>();
    expect(count(({ nodes }) => 'directory' in nodes.get('n1')!).calls).toBe(2);
    expect(count(({ nodes }) => locals.add(JSON.stringify(nodes.get('n1')))).calls).toBe(locals.size + 1);
  });
});

test.each<[string, (c: Configuration) => boolean]>([
  ['links', ({ links }) => links.up('n0', 'n1')],
  ['crashed', ({ crashed }) => crashed!.length === 0],
  ['everCrashed', ({ everCrashed }) => everCrashed!.length === 0],
])('a property that reads only %s is judged again after they have changed', (_, holds) => {
  const commands = [
    { do: 'cut', link: ['n0', 'n1'] },
    { do: 'crash', node: 'n2' },
  ] as const;
  const property: Property = { name: 'nothing fails', kind: 'always', description: 'made for a test', holds };
  const { verdict } = explore(protocols['election']!, { topology: completeGraph(3), commands, properties: [property] });
  expect(verdict).toBe('invalid');
});
