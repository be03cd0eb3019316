/** The protocol or scenario that a program passes is checked before anything runs. */
import { expect, test } from 'vitest';
import { UsageError } from '../../machines/errors.js';
import { requireProtocol, requireScenario } from './required.js';

const protocol = { charts: {}, properties: () => [] };
const scenario = { protocol: {}, graph: {}, network: {} };

test('a protocol and a scenario are taken', () => {
  expect(() => requireProtocol('explore', protocol)).not.toThrow();
  expect(() => requireScenario('Simulation', scenario)).not.toThrow();
});

test.each<[value: unknown, answer: string]>([
  [undefined, 'got undefined'],
  ['directory', 'got "directory"'],
  [() => protocol, 'got a function'],
  [{}, 'got an object'],
  [{ charts: 'x', properties: () => [] }, 'got an object'],
  [{ charts: {} }, 'got a core'],
  [{ charts: {}, properties: [] }, 'got a core'],
])('no protocol: %j', (value, answer) => {
  expect(() => requireProtocol('explore', value)).toThrow(
    new UsageError(
      `explore needs a protocol as its first argument, ${answer}. Pass ${answer === 'got a core' ? 'defineProtocol(core)' : 'the result of defineProtocol'}.`,
    ),
  );
  expect(() => requireProtocol('explore', value)).toThrow(UsageError);
});

test.each<[value: unknown, shown: string]>([
  [undefined, 'undefined'],
  [[scenario], 'a list of 1'],
  [() => scenario, 'a function'],
  [{ ...scenario, protocol: 'directory' }, 'an object'],
  [{ ...scenario, graph: undefined }, 'an object'],
  [{ ...scenario, network: 1 }, 'an object'],
])('no scenario: %j', (value, shown) => {
  expect(() => requireScenario('Simulation', value)).toThrow(
    new UsageError(`Simulation needs a scenario as its first argument, got ${shown}. Pass parseScenario(json, protocols).`),
  );
  expect(() => requireScenario('Simulation', value)).toThrow(UsageError);
});
