/** `quiver check` of actors that a module describes, called as the program calls it: their events are asked, and its lines can be pasted. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { called } from '../called.fixture.js';
import { quiver } from '../program.js';

const { inFolder, printed } = called();

const actors = fileURLToPath(new URL('../../test/actors/actors.ts', import.meta.url));
const module = inFolder(
  'pair.mjs',
  `import { assign, createMachine, sendTo } from ${JSON.stringify(import.meta.resolve('xstate'))};
  import { defineActors } from ${JSON.stringify(actors)};
  const asker = createMachine({ on: { GO: { actions: sendTo(({ system }) => system.get('counter'), { type: 'ONE' }) } } });
  const counter = createMachine({ context: { n: 0 }, on: { ONE: { actions: assign({ n: ({ context }) => context.n + 1 }) } } });
  export const pair = defineActors({ asker, counter }, {
    name: 'pair',
    events: { asker: { GO: [{}, { again: true }] } },
    always: { 'one at most': ({ counter }) => counter.context.n < 2 },
  });`,
);

describe('a module that exports actors', () => {
  test('without a scenario, each event is sent once; failure lines contain it', async () => {
    expect(await quiver(['check', '--protocol', module])).toBe(1);
    const reported = printed.join('\n');
    expect(reported).toMatch(/^invalid {2}system 1 of pair[^]*violated: one at most in 4 steps/);
    expect(reported).toMatch(/keep it: {2}npx quiver check --protocol \S*pair\.mjs --trace failure\.ndjson/);
    expect(reported).toMatch(
      /npx quiver explore failure\.ndjson --protocol \S*pair\.mjs {4}again: npx quiver replay failure\.ndjson --protocol \S*pair/,
    );
  });

  test('a failure that is kept as a page is to be opened in a browser', async () => {
    const page = inFolder('failure.html');
    expect(await quiver(['check', '--protocol', module, '--trace', page])).toBe(1);
    expect(printed.join('\n')).toMatch(/see it: {3}open \S*failure\.html in a browser$/);
  });

  test('a scenario selects events by type and payload; one without gets a notice', async () => {
    const topology = { nodes: ['asker', 'counter'], links: [['asker', 'counter', 1]] };
    const asked = { at: 0, node: 'asker', do: 'GO {"again":true}' };
    const scenario = (events: unknown) => inFolder('pair.json', JSON.stringify({ protocol: 'pair', topology, events }));
    expect(await quiver(['check', scenario([asked]), '--protocol', module])).toBe(0);
    expect(printed.join('\n')).not.toContain('idle');
    expect(await quiver(['check', scenario([]), '--protocol', module])).toBe(0);
    expect(printed.join('\n')).toMatch(/idle {8}the scenario has no events and no workload: nothing was asked of the nodes/);
  });
});
