/** Saves an observation on the page as a test: the verdict of a run with the violated properties, or a query that must not match. */
import type { OfferedModule } from '../offers.js';

/**
 * A test that repeats a run and expects its verdict.
 *
 * @param module The source of the protocol. Not needed for a protocol of Quiver.
 */
export function savedTest(scenario: unknown, failed: readonly string[], module?: OfferedModule): string {
  const names = [...failed].sort();
  return `import { expect, test } from 'vitest';
${
  module
    ? `import { simulate } from 'xstate-quiver';
${protocolOf(module)}`
    : `import { simulate } from 'xstate-quiver';
import { protocols } from 'xstate-quiver/machines';`
}

const scenario = ${literal(scenario)};

test('what was done by hand', () => {
  const { verdict, properties } = simulate({ ...scenario, protocol${module ? '' : ': protocols[scenario.protocol]'} });
  const failed = properties.filter(({ holds }) => holds === false).map(({ name }) => name);
  expect(failed.sort()).toEqual(${JSON.stringify(names)});
  expect(verdict)${names.length > 0 ? ".toBe('invalid')" : ".not.toBe('invalid')"};
});
`;
}

/**
 * A test that fails if any line of a run matches the query.
 *
 * @param module The source of the protocol. Not needed for a protocol of Quiver.
 */
export function savedQuery(scenario: unknown, query: string, module?: OfferedModule): string {
  const text = JSON.stringify(query);
  return `import { expect, test } from 'vitest';
${
  module
    ? `import { parseScenario } from 'xstate-quiver/network';
import { linesThatAnswer } from 'xstate-quiver/check';
${protocolOf(module)}

const protocols = { [protocol.name]: protocol };`
    : `import { parseScenario } from 'xstate-quiver/network';
import { protocols } from 'xstate-quiver/machines';
import { linesThatAnswer } from 'xstate-quiver/check';`
}

test(${JSON.stringify(`nothing answers ${query}`)}, () => {
  const scenario = parseScenario(${literal(scenario).replaceAll('\n', '\n  ')}, protocols);
  expect(linesThatAnswer(scenario, ${text})).toEqual([]);
});
`;
}

const protocolOf = ({ name, path }: OfferedModule): string => `import { ${name} as protocol } from ${JSON.stringify(path)};`;

const literal = (scenario: unknown): string => JSON.stringify(scenario, null, 2);
