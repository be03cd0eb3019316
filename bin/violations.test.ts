/** The output of `quiver run` and `quiver check` for a violation, and for a run that never comes to rest. */
import { expect, test } from 'vitest';
import { called } from './called.fixture.js';
import { runCommand } from './program.js';

const { printed, complained, inFolder } = called();

const kept = {
  protocol: 'directory',
  topology: { kind: 'path', n: 2 },
  options: { hold: null },
  events: [
    { at: 0, node: 'n1', do: 'request' },
    { at: 5, node: 'n0', do: 'request' },
  ],
};

test.each(['run', 'check'])('quiver %s prints the nodes for which a promise was not kept, and the promise', async (verb) => {
  const path = inFolder('kept.json', JSON.stringify(kept));
  expect(await runCommand([verb, path])).toBe(1);
  const text = printed.join('\n');
  expect(text).toMatch(/violated: every request is served at n[01] /);
  expect(text).toContain(
    'A waiting node receives the token if messages arrive and uses end, even if other nodes keep requesting (Theorem 5).',
  );
});

/** A protocol of one chart whose nodes never rest, and a scenario of it with one node. */
function restless(name: string, chart: string): readonly string[] {
  const machine = `
    import { emit, setup } from '${import.meta.resolve('xstate')}';
    import { arm, defineProtocol, effects } from '${new URL('../dist/index.js', import.meta.url).href}';
    const clock = setup({ actions: effects() }).createMachine(${chart});
    export const restless = defineProtocol({ name: 'restless', charts: { clock }, network: { reach: 'routed' }, messages: {} });
  `;
  const module = inFolder(`${name}.mjs`, machine);
  const path = inFolder('restless.json', JSON.stringify({ protocol: 'restless', topology: { kind: 'path', n: 1 } }));
  return ['run', path, '--protocol', module, '--host', 'snapshots'];
}

const tick = "arm(() => ({ timer: 'tick', delay: 1 }))";

test.each([
  ['nothing is announced', `{ entry: ${tick}, on: { timer: { actions: ${tick} } } }`, /no command came.*the bound is 21,000/],
  [
    'each step announces something',
    `{ entry: ${tick}, on: { timer: { actions: [${tick}, emit({ type: 'ticked' })] } } }`,
    /came after all events of the scenario, and the bound is 420,000/,
  ],
])(
  'a run that never rests ends with its bound and its node: %s',
  async (name, chart, bound) => {
    expect(await runCommand(restless(name, chart))).toBe(2);
    expect(complained.join('\n')).toMatch(bound);
    expect(complained.join('\n')).toMatch(/Most steps were of node "n0" \(timer tick\): [\d,]+.* Set "until"/);
    expect(printed.join('\n')).toContain('1 node,');
  },
  60_000,
);
