/** A counterexample is a schedule: replayed in a network of live actors, it ends in the violation that the checker reports. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Configuration, Property } from '../../machines/protocol.js';
import { explore } from './explore.js';
import { completeGraph } from './fixtures.js';
import { anyTable, chartOf } from './random-charts.fixture.js';
import { replay } from './replay.fixture.js';
import { toy } from './toys.fixtures.js';

const stateAt = (c: Configuration, node: string): unknown => c.nodes.get(node)!['toy']!.value;

/** Violated when the nodes are in these states at the same time. */
const neverBoth = (first: string, second: string): Property => ({
  name: 'never both',
  description: 'made for a test',
  kind: 'always',
  holds: (c) => stateAt(c, 'n0') !== first || stateAt(c, 'n1') !== second,
});

describe('random charts', () => {
  test.each(['unordered', 'fifo'] as const)('%s: the replayed schedule ends in the violation', (order) => {
    let violations = 0;
    fc.assert(
      fc.property(anyTable, fc.nat(2), fc.nat(2), fc.nat(1), (table, first, second, faults) => {
        const property = neverBoth(`s${first}`, `s${second}`);
        const reactions = () => [{ on: 'did', event: { type: 'react' }, after: faults }];
        const protocol = toy({ chart: chartOf(table), commands: ['go'], network: { order, reach: 'links' }, reactions });
        const commands = [
          { do: 'cut', link: ['n0', 'n1'] },
          { do: 'join', link: ['n0', 'n1'], weight: 1 },
          { do: 'command', name: 'go', node: 'n0', fields: {} },
          { do: 'command', name: 'go', node: 'n1', fields: {} },
        ] as const;
        const { counterexample } = explore(protocol, {
          topology: completeGraph(2),
          commands,
          properties: [property],
          faults: { loss: faults, duplicate: faults },
          bounds: { depth: 6 },
        });
        if (!counterexample) return;
        violations++;
        const { end } = replay(protocol, completeGraph(2), counterexample, commands);
        expect(property).not.toSatisfy((p: Property & { kind: 'always' }) => p.holds(end));
      }),
      { numRuns: 60 },
    );
    expect(violations).toBeGreaterThan(10);
  });
});
