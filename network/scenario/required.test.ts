/** What a program hands over first is looked at before anything runs on it. */
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
  [undefined, 'give what defineProtocol gives; this is undefined'],
  ['directory', 'give what defineProtocol gives; this is "directory"'],
  [() => protocol, 'give what defineProtocol gives; this is a function'],
  [{}, 'give what defineProtocol gives; this is an object'],
  [{ charts: 'x', properties: () => [] }, 'give what defineProtocol gives; this is an object'],
  [{ charts: {} }, 'defineProtocol(core) makes one of a core; this is an object'],
  [{ charts: {}, properties: [] }, 'defineProtocol(core) makes one of a core; this is an object'],
])('no protocol: %j', (value, answer) => {
  expect(() => requireProtocol('explore', value)).toThrow(new UsageError(`explore takes a protocol first; ${answer}`));
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
    new UsageError(`Simulation takes a scenario first; give parseScenario(json, protocols); this is ${shown}`),
  );
  expect(() => requireScenario('Simulation', value)).toThrow(UsageError);
});
