/** Predicates that fail, or that return no boolean, end a run instead of counting as true. */
import { describe, expect, test } from 'vitest';
import { directory } from '../machines/directory/index.js';
import { ProtocolError } from '../machines/errors.js';
import type { Configuration, Property, Protocol } from '../machines/protocol.js';
import { checkScenario } from '../test/explore/scenario.js';
import { parseScenario } from './scenario/parse.js';
import { Simulation } from './simulation.js';

const scenarioOf = (protocol: Protocol) =>
  parseScenario(
    { protocol: 'directory', topology: { kind: 'path', n: 3 }, events: [{ at: 0, node: 'n2', do: 'request' }] },
    { directory: protocol },
  );
const odd = (kind: Property['kind'], answer: (c: Configuration) => unknown): Protocol => {
  const property = { name: 'odd', description: 'It is odd.', kind, holds: answer, when: answer, within: 9 };
  return { ...(directory as Protocol), properties: () => [property as never] };
};
const own = (): never => {
  throw new Error('my own');
};

describe.each(['always', 'sometimes', 'eventually', 'closed', 'converges'] as const)('%s', (kind) => {
  test.each<[string, () => unknown, string]>([
    ['a promise', async () => false, 'returned a promise. Return true or false.'],
    ['undefined', () => undefined, 'returned undefined. Return true or false.'],
    ['a text', () => 'no', 'returned no. Return true or false.'],
    ['an error', own, 'my own'],
  ])('%s', (_, answer, message) => {
    const scenario = scenarioOf(odd(kind, answer));
    for (const judge of [() => new Simulation(scenario).run(), () => checkScenario(scenario)]) {
      expect(judge).toThrow(ProtocolError);
      expect(judge).toThrow('property "odd" failed: ');
      expect(judge).toThrow(message);
    }
  });
});

test('an error in the middle of a run is not lost', () => {
  const failing = odd('always', ({ flights }) => flights.length === 0 || own());
  expect(() => new Simulation(scenarioOf(failing)).run()).toThrow('property "odd" failed: my own');
});

test('nor is one of the account', () => {
  const observe = () => ({ record: own, summary: () => ({}), meters: () => [] });
  expect(() => new Simulation(scenarioOf({ ...(directory as Protocol), observe })).run()).toThrow(
    'observe of protocol directory failed in record: my own',
  );
});
