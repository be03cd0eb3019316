/** Properties of one node's neighborhood are checked after every step, in a network of any size. */
import { expect, test } from 'vitest';
import { exclusion } from '../machines/exclusion/index.js';
import type { Property } from '../machines/protocol.js';
import { parseScenario } from './scenario/parse.js';
import { Simulation } from './simulation.js';

const NODES = 5000;

/** Holds but for one short moment: while this node waits for its neighbors to set their locks. */
const neverWins = (id: string, around: boolean): Property => {
  const holds = (value: unknown) => (value as { initiator: string }).initiator !== 'win';
  return {
    name: 'never wins',
    kind: 'always',
    description: `${id} is never in win.`,
    holds: (c) => holds(c.nodes.get(id)!['exclusion']!.value),
    ...(around ? { holdsAround: (c, node) => node !== id || holds(c.nodes.get(id)!['exclusion']!.value) } : {}),
  };
};

const verdictWith = (property: Property) => {
  const protocol = { ...exclusion, properties: () => [property] };
  const scenario = parseScenario(
    { protocol: 'exclusion', topology: { kind: 'ring', n: NODES }, events: [{ at: 0, node: 'n500', do: 'lock' }] },
    { exclusion: protocol },
  );
  return new Simulation(scenario, { host: 'snapshots' }).run().verdict;
};

test('a moment that sampling misses is detected around its node', () => {
  expect(verdictWith(neverWins('n500', true))).toBe('invalid');
  expect(verdictWith(neverWins('n500', false))).toBe('valid');
  expect(verdictWith(neverWins('n7', true))).toBe('valid');
});
