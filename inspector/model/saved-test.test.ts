import { expect, test } from 'vitest';
import { parseScenario } from '../../entries/network.js';
import { protocols } from '../../entries/machines.js';
import { linesThatAnswer } from '../answering.js';
import { corruptedScenario, directoryScenario } from '../page/testing/traces.js';
import { savedQuery, savedTest } from './saved-test.js';

const scenario = { protocol: 'lease', events: [{ at: 0, node: 'n1', do: 'enter' }] };

test('a test of one of our protocols needs nothing else', () => {
  const text = savedTest(scenario, []);
  expect(text.match(/^import .*$/gm)).toEqual([
    `import { expect, test } from 'vitest';`,
    `import { simulate } from 'xstate-quiver';`,
    `import { protocols } from 'xstate-quiver/machines';`,
  ]);
  expect(text).toContain(`expect(verdict).not.toBe('invalid');`);
  expect(text).toContain('toEqual([])');
});

test('a test of an external protocol imports its module, relative to the scenario', () => {
  const text = savedTest(scenario, ['one inside', 'a promise'], { path: '../lease.js', name: 'lease' });
  expect(text.match(/^import .*$/gm)).toEqual([
    `import { expect, test } from 'vitest';`,
    `import { simulate } from 'xstate-quiver';`,
    `import { lease as protocol } from "../lease.js";`,
  ]);
  expect(text).toContain('simulate({ ...scenario, protocol })');
  expect(text).toContain('toEqual(["a promise","one inside"])');
  expect(text).toContain(`expect(verdict).toBe('invalid');`);
});

/** Runs a saved test; the lines that it fails of, `null` where it passes. */
function failureOf(text: string): unknown {
  const known = { expect, parseScenario, protocols, linesThatAnswer };
  let body = (): void => expect.fail('the text has no test');
  const given = { ...known, test: (_: string, run: () => void) => void (body = run) };
  // eslint-disable-next-line typescript/no-implied-eval
  new Function(...Object.keys(given), text.replaceAll(/^import .*$/gm, ''))(...Object.values(given));
  try {
    body();
    return null;
  } catch (error) {
    return (error as { readonly actual: unknown }).actual;
  }
}

test('a query saved as a test fails with the place if the state is reached', () => {
  const reached = savedQuery(directoryScenario(), 'node:n1 state:waiting');
  expect(reached.match(/^import .*$/gm)).toEqual([
    `import { expect, test } from 'vitest';`,
    `import { parseScenario } from 'xstate-quiver/network';`,
    `import { protocols } from 'xstate-quiver/machines';`,
    `import { linesThatAnswer } from 'xstate-quiver/check';`,
  ]);
  expect(failureOf(reached)).toEqual([{ line: 14, at: 6, description: expect.stringMatching(/^n1 was asked to request/) }]);
  expect(failureOf(savedQuery(directoryScenario(), 'node:n1 state:waiting ctx.parent=n4'))).toBeNull();
});

test('a query with quotes is the same in its test', () => {
  const description = expect.stringMatching(/^n1 .*announced granted/);
  expect(failureOf(savedQuery(directoryScenario(), 'node:n1 "announced granted"'))).toEqual([
    expect.objectContaining({ description }),
  ]);
});

test('of an external protocol, it imports the module', () => {
  const text = savedQuery(scenario, 'state:inside', { path: '../lease.js', name: 'lease' });
  expect(text).toContain(`import { lease as protocol } from "../lease.js";`);
  expect(text).toContain('const protocols = { [protocol.name]: protocol };');
});

test('matching lines are numbered as on the page, including those of a violation', () => {
  const corrupted = parseScenario(corruptedScenario(), protocols);
  const [first] = linesThatAnswer(corrupted, 'violated');
  expect(first).toMatchObject({ at: 1, description: expect.stringMatching(/^n2 was corrupted/) });
  expect(linesThatAnswer(corrupted, 'kind:start').map(({ line }) => line)).toEqual([1, 2, 3]);
  expect(() => linesThatAnswer(corrupted, 'nodes:n2')).toThrow(/Unknown field "nodes" .*\. Did you mean "node"\?/);
});
