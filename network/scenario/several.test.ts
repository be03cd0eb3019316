/** Scenarios with several tokens: the parts by name, in runs and in the checker. */
import { expect, test } from 'vitest';
import { directory } from '../../machines/directory/index.js';
import { checkScenario } from '../../test/explore/scenario.js';
import { Simulation } from '../simulation.js';
import { parseScenario } from './parse.js';

const protocols = { directory };
const request = (node: string, part: string) => ({ at: 0, node, do: `${part}.request` });
const several = (protocol: unknown, events: readonly object[] = [], options: object = {}) =>
  parseScenario({ protocol, topology: { kind: 'path', n: 3 }, options, events }, protocols);

test('each part is one token with its own options', () => {
  const parts = { fork: 'directory', knife: 'directory' };
  const events = ['n0', 'n2'].flatMap((node) => [request(node, 'fork'), request(node, 'knife')]);
  const { verdict, summary } = new Simulation(several(parts, events, { knife: { root: 'n2' } })).run();
  const served = (part: string) => (summary[part] as { served: readonly string[] }).served;
  expect(verdict).toBe('valid');
  expect([served('fork'), served('knife')]).toEqual([
    ['n0', 'n2'],
    ['n2', 'n0'],
  ]);
});

test('the checker searches the interleavings of all tokens', () => {
  const options = { root: 'n2' };
  const alone = ['n0', 'n1'].map((node) => checkScenario(several('directory', [{ at: 0, node, do: 'request' }], options)).states);
  const both = checkScenario(
    several({ fork: 'directory', knife: 'directory' }, [request('n0', 'fork'), request('n1', 'knife')], {
      fork: options,
      knife: options,
    }),
  );
  expect(both).toMatchObject({ verdict: 'valid', doomed: 0 });
  // The tokens share no state and no node requests both, so every combination of their states is visited.
  expect(both.states).toBe(alone[0]! * alone[1]!);
});

test('unknown and missing parts are refused with their place', () => {
  expect(() => several({ fork: 'directry' })).toThrow(/protocol\.fork.*"directry".*"directory"/);
  expect(() => several({ fork: 'directory' })).toThrow(
    'protocol has fewer than two parts. Use a name, or parts: { "fork": "directory", "knife": "directory" }.',
  );
  expect(() => several({ fork: 'directory', knife: 'directory' }, [request('n0', 'spoon')])).toThrow(/"spoon\.request"/);
});
