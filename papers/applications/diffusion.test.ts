/** The diffusing computation: every interleaving, its cost, majority commitment, and mistakes that violate each promise. */
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { checkScenario } from '../../test/explore/scenario.js';
import { brokenByMutant } from '../../machines/mutants.fixtures.js';
import { deliveryRole } from '../../machines/controller/messages.js';
import type { Protocol } from '../../machines/protocol.js';
import { diffuse } from '../experiments/controller/diffusion.js';
import { diffusion, diffusionMachine, diffusionProperties } from './diffusion.js';
import { APPLICATION } from './layer.js';

const scenario = (topology: object, M: number) => ({
  protocol: 'diffusion',
  topology,
  options: { M },
  events: [{ at: 0, node: 'n0', do: 'begin' }],
});
const three = scenario({ kind: 'path', n: 3 }, 2);
const check = (json: object, protocol: Protocol = diffusion, properties?: typeof diffusionProperties) =>
  checkScenario(parseScenario(json, { diffusion: protocol }), properties && { properties });
const refuted = (protocol: Protocol): string[] =>
  check(three, protocol, diffusionProperties).properties.flatMap(({ name, holds }) => (holds === false ? [name] : []));

test.each([
  [{ kind: 'path', n: 3 }, 2, 14],
  [{ kind: 'star', n: 3 }, 1, 26],
  [{ kind: 'ring', n: 4 }, 2, 81],
])('every interleaving of %j, M = %i: %i states', (topology, M, states) => {
  expect(check(scenario(topology, M))).toMatchObject({ verdict: 'valid', states });
});

test('the cost does not depend on nodes that the computation does not reach', () => {
  const [small, large] = [63, 255].map((n) => diffuse({ kind: 'tree', n }, 15));
  expect(large).toEqual(small);
  expect(large).toMatchObject({ participants: 15, exhausted: true });
});

test.each(['path', 'tree'])('a %s: more than half of 31 nodes are a majority, fewer are not', (kind) => {
  expect([15, 16].map((n) => diffuse({ kind, n }, 15).exhausted)).toEqual([false, true]);
});

describe('mistakes', () => {
  const signal = deliveryRole('R');
  const mutants: readonly { readonly mistake: string; readonly protocol: Protocol; readonly breaks: string }[] = [
    {
      mistake: 'the root does not receive the signal',
      protocol: {
        ...diffusion,
        wiring: {
          ...diffusion.wiring!,
          listener: (role) => (role === signal ? undefined : diffusion.wiring!.listener!(role)),
        },
      },
      breaks: 'a majority is noticed',
    },
    {
      mistake: 'a node invites no neighbor',
      protocol: {
        ...diffusion,
        charts: { ...diffusion.charts, [APPLICATION]: diffusionMachine.provide({ guards: { isLast: () => true } }) },
      },
      breaks: 'it spreads while permits last',
    },
    {
      mistake: 'the controller has a permit less',
      protocol: {
        ...diffusion,
        roles: (node, instance) => diffusion.roles(node, { ...instance, options: diffusion.options({ M: 1 }, instance) }),
      },
      breaks: 'the signal means a majority',
    },
  ];

  test.each(mutants)('$mistake: violates "$breaks"', ({ protocol, breaks }) => {
    expect(refuted(protocol)).toContain(breaks);
  });

  const tooMany = 'at most M take part';
  test(`a refused node takes part: violates "${tooMany}"`, () => {
    expect(brokenByMutant(diffusion, three, APPLICATION, 'retarget work.asking: rejected, to work.inviting')).toContain(tooMany);
    expect(brokenByMutant(diffusion, three)).toEqual([]);
  });

  test('each promise is broken by some mistake', () => {
    expect(new Set([...mutants.map(({ breaks }) => breaks), tooMany])).toEqual(
      new Set(diffusionProperties.map(({ name }) => name)),
    );
  });
});
