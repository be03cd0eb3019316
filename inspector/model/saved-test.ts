/** A run as a test of the verdict that it has, and of which properties failed. */
import type { OfferedModule } from '../hands.js';

/** @param module where the protocol comes from; none for one of ours. */
export function savedTest(scenario: unknown, failed: readonly string[], module?: OfferedModule): string {
  const json = JSON.stringify(scenario, null, 2).replaceAll('\n', '\n  ');
  const names = [...failed].sort();
  return `import { expect, test } from 'vitest';
${
  module
    ? `import { parseScenario, Simulation } from 'xstate-quiver/network';
import { ${module.name} as protocol } from ${JSON.stringify(module.path)};

const simulate = (json: unknown) => new Simulation(parseScenario(json, { [protocol.name]: protocol })).run();`
    : `import { simulate } from 'xstate-quiver';`
}

test('what was done by hand', () => {
  const { verdict, properties } = simulate(${json});
  const failed = properties.filter(({ holds }) => holds === false).map(({ name }) => name);
  expect(failed.sort()).toEqual(${JSON.stringify(names)});
  expect(verdict)${names.length > 0 ? ".toBe('invalid')" : ".not.toBe('invalid')"};
});
`;
}
