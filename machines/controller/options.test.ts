/** Options and commands of the controller that are rejected, and the meaning of valid ones. */
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { controller } from './index.js';

describe('meaningless scenarios are rejected with the option, its place and the fix', () => {
  const scenario = (options: object, more: object = {}) => ({
    protocol: 'controller',
    topology: { kind: 'path', n: 3 },
    options: { M: 5, ...options },
    ...more,
  });
  const event = (event: object) => ({ events: [{ at: 0, node: 'n1', ...event }] });

  test.each([
    [{ kind: 'basics' }, {}, /options\.kind is "basics"\. Choose one of naive, bins, basic/],
    [{ M: undefined }, {}, /options\.M is undefined\. Use an integer of at least 0|between 0 and/],
    [{ M: 1.5 }, {}, /options\.M is 1\.5\. Use an integer/],
    [{ W: 6 }, {}, /options\.W is 6, above M = 5\. At most all permits can be wasted, so W is at most M\./],
    [{ W: -1 }, {}, /options\.W is -1\. Use an integer/],
    [{ U: 2 }, {}, /options\.U is 2, too small for a tree of/],
    [{ parents: { n0: 'n0', n1: 'n0' } }, {}, /options\.parents contains no parent for n2\. Every node needs one\./],
    [{ parents: { n0: 'n0', n1: 'n0', n2: 'n0' } }, {}, /, but no link connects them\. Add it to the topology\./],
    [{ pipelined: 1 }, {}, /options\.pipelined is 1\. Use true or false/],
    [{ kind: 'names', pipelined: true }, {}, /cannot be combined with kind "names"/],
    [{ rules: 'printed' }, {}, /options\.rules "printed" needs kind "modified", not "/],
    [
      { echo: 'premature' },
      {},
      /options\.echo "premature" needs kind main, modified, names or bank, without pipelined\. Omit it\./,
    ],
    [{ signal: 'late' }, {}, /options\.signal "late" needs kind main or modified, with corrected rules\. Omit it\./],
    [
      { kind: 'modified', rules: 'printed', signal: 'late' },
      {},
      /options\.signal "late" needs kind main or modified, with corrected rules\. Omit it\./,
    ],
    [{ kind: 'main', signal: 'late' }, event({ do: 'take', amount: 2 }), /take one at a time/],
    [{ waste: 1 }, {}, /Unknown option options\.waste\. The options are/],
    [{}, event({ do: 'take', amount: 0 }), /events\[0\].amount must be an integer, at least 1/],
    [{}, event({ do: 'take', amount: -2 }), /events\[0\].amount must be an integer, at least 1/],
    [{}, event({ do: 'take', amount: 1.5 }), /events\[0\].amount must be an integer, at least 1/],
    [{}, event({ do: 'child' }), /child is not possible here: kind "basic" has a tree of fixed size\. Choose main/],
    [{}, event({ do: 'deposit' }), /deposit is not possible here: kind "basic" has no deposits\. Choose bank/],
    [
      { kind: 'bank' },
      event({ do: 'deposit', amount: 2 ** 52 }),
      /amount is 4503599627370496\. .* deposit at most 100000 at once/,
    ],
    [{ kind: 'main' }, event({ do: 'child', node: 'n9' }), /"n9" is not a node of the topology/],
  ])('%j %j', (options, more, message) => {
    expect(() => parseScenario(scenario(options, more), { controller })).toThrow(message);
  });

  test('a second request waits its turn, a take after exhaustion is rejected at once', () => {
    const takes = Array.from({ length: 8 }, () => ({ at: 0, node: 'n2', do: 'take' }));
    const late = { at: 100, node: 'n2', do: 'take' };
    const run = (events: object[]) => new Simulation(parseScenario(scenario({}, { events }), { controller })).run();
    const [before, after] = [run(takes).summary, run([...takes, late]).summary] as Record<string, any>[];
    expect(before).toMatchObject({ granted: { n2: 5 }, rejected: { n2: 3 }, exhausted: true });
    expect(after).toMatchObject({ granted: { n2: 5 }, rejected: { n2: 4 }, messages: before!['messages'] });
  });

  test('several units are given together or not at all; the rest serves smaller requests', () => {
    const take = (at: number, amount: number) => ({ at, node: 'n2', do: 'take', amount });
    const run = (events: object[]) => new Simulation(parseScenario(scenario({}, { events }), { controller })).run();
    const [refused, after] = [run([take(0, 7)]), run([take(0, 7), take(50, 4), take(60, 2)])];
    expect(refused).toMatchObject({
      verdict: 'valid',
      summary: { granted: { n2: 0 }, rejected: { n2: 1 }, bins: { n2: { local: 5 } } },
    });
    expect(after).toMatchObject({
      verdict: 'valid',
      summary: { granted: { n2: 4 }, rejected: { n2: 2 }, bins: { n2: { local: 1 } } },
    });
  });

  test('a node with children stays, and reports it', () => {
    const simulation = new Simulation(parseScenario(scenario({}, event({ do: 'leave' })), { controller }));
    const notifications: string[] = [];
    simulation.network.steps$.subscribe(({ node, emitted }) =>
      notifications.push(...emitted.map(({ type }) => `${node} ${type}`)),
    );
    expect(simulation.run().summary).not.toHaveProperty('left');
    expect(notifications).toEqual(['n1 stayed']);
  });

  test('permits in the bins of a crashed leaf are lost, and the report names it', () => {
    const events = [
      { at: 0, node: 'n2', do: 'take' },
      { at: 20, node: 'n2', do: 'crash' },
    ];
    const { summary, verdict } = new Simulation(
      parseScenario(scenario({ kind: 'bins', M: 40, W: 30 }, { events }), { controller }),
    ).run();
    expect(summary).toMatchObject({ granted: { n2: 1 }, lost: { n2: 9 } });
    expect(verdict).toBe('valid');
  });
});
