/** What the options and commands of the controller refuse, and what they mean. */
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { controller } from './index.js';

describe('scenarios that make no sense are refused with thing, place and cure', () => {
  const scenario = (options: object, more: object = {}) => ({
    protocol: 'controller',
    topology: { kind: 'path', n: 3 },
    options: { M: 5, ...options },
    ...more,
  });
  const event = (event: object) => ({ events: [{ at: 0, node: 'n1', ...event }] });

  test.each([
    [{ kind: 'basics' }, {}, /options.kind is "basics"; choose one of naive, bins, basic/],
    [{ M: undefined }, {}, /options.M is undefined; give an integer of at least 0|between 0 and/],
    [{ M: 1.5 }, {}, /options.M is 1.5; give an integer/],
    [{ W: 6 }, {}, /options.W is 6, above M = 5/],
    [{ W: -1 }, {}, /options.W is -1; give an integer/],
    [{ U: 2 }, {}, /options.U is 2, too small for a tree of 3 nodes/],
    [{ parents: { n0: 'n0', n1: 'n0' } }, {}, /options.parents gives no parent for n2/],
    [{ parents: { n0: 'n0', n1: 'n0', n2: 'n0' } }, {}, /no link joins them/],
    [{ pipelined: 1 }, {}, /options.pipelined is 1; give true or false/],
    [{ kind: 'names', pipelined: true }, {}, /does not go with kind "names"/],
    [{ rules: 'printed' }, {}, /options.rules "printed" goes with kind "modified"/],
    [{ echo: 'premature' }, {}, /options.echo "premature" goes with kind main/],
    [{ signal: 'late' }, {}, /options.signal "late" goes with kind main or modified/],
    [{ kind: 'modified', rules: 'printed', signal: 'late' }, {}, /and corrected rules; leave it out/],
    [{ kind: 'main', signal: 'late' }, event({ do: 'take', amount: 2 }), /take one at a time/],
    [{ waste: 1 }, {}, /options.waste is not known/],
    [{}, event({ do: 'take', amount: 0 }), /events\[0\].amount must be an integer, at least 1/],
    [{}, event({ do: 'take', amount: -2 }), /events\[0\].amount must be an integer, at least 1/],
    [{}, event({ do: 'take', amount: 1.5 }), /events\[0\].amount must be an integer, at least 1/],
    [{}, event({ do: 'child' }), /child makes no sense here: kind "basic" runs on a tree that does not grow; choose main/],
    [{}, event({ do: 'deposit' }), /deposit makes no sense here: kind "basic" takes no deposits; choose bank/],
    [{ kind: 'main' }, event({ do: 'child', node: 'n9' }), /"n9" is no node of the topology/],
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

  test('several units are given together or not at all; what was gathered for them stays, for less', () => {
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

  test('who is no leaf stays, and says so', () => {
    const simulation = new Simulation(parseScenario(scenario({}, event({ do: 'leave' })), { controller }));
    const notifications: string[] = [];
    simulation.network.steps$.subscribe(({ node, emitted }) =>
      notifications.push(...emitted.map(({ type }) => `${node} ${type}`)),
    );
    expect(simulation.run().summary).not.toHaveProperty('left');
    expect(notifications).toEqual(['n1 stayed']);
  });

  test('a crashed leaf takes with it what its bins hold, and the report names it', () => {
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
