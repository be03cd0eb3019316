import { expect, test } from 'vitest';
import { savedTest } from './saved-test.js';

const scenario = { protocol: 'lease', events: [{ at: 0, node: 'n1', do: 'enter' }] };

test('a test of one of our protocols needs nothing else', () => {
  const text = savedTest(scenario, []);
  expect(text.match(/^import .*$/gm)).toEqual([
    `import { expect, test } from 'vitest';`,
    `import { simulate } from 'xstate-quiver';`,
  ]);
  expect(text).toContain(`expect(verdict).not.toBe('invalid');`);
  expect(text).toContain('toEqual([])');
});

test("a test of a protocol of one's own imports its module, as the scenario's author would", () => {
  const text = savedTest(scenario, ['one inside', 'a promise'], { path: '../lease.js', name: 'lease' });
  expect(text.match(/^import .*$/gm)).toEqual([
    `import { expect, test } from 'vitest';`,
    `import { parseScenario, Simulation } from 'xstate-quiver/network';`,
    `import { lease as protocol } from "../lease.js";`,
  ]);
  expect(text).toContain('new Simulation(parseScenario(json, { [protocol.name]: protocol })).run()');
  expect(text).toContain('toEqual(["a promise","one inside"])');
  expect(text).toContain(`expect(verdict).toBe('invalid');`);
});
