import { assign, setup } from 'xstate';
import { describe, expect, test } from 'vitest';
import { controller } from '../../machines/controller/index.js';
import { directory } from '../../machines/directory/index.js';
import { arm, effects, type Message } from '../../machines/effects.js';
import { election } from '../../machines/election/index.js';
import { UsageError } from '../../machines/errors.js';
import { exclusion } from '../../machines/exclusion/index.js';
import { link } from '../../machines/link/index.js';
import type { Protocol } from '../../machines/protocol.js';
import { queue } from '../../machines/queue/index.js';
import { tabs } from '../../machines/tabs/index.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { toy } from '../explore/toys.fixtures.js';
import { nameOf } from '../mutants/chart-mutants.js';
import { mutantsOf } from '../mutants/mutants.js';
import { swarmJudge } from './judge.js';
import { faultsOf } from './scenario.js';
import { swarm } from './swarm.js';

/** A protocol with one mistake in one of its charts. */
function mistaken(protocol: Protocol, name: string): Protocol {
  const { chart, machine } = mutantsOf(protocol).find((mutant) => nameOf(mutant) === name)!;
  return { ...protocol, charts: { ...protocol.charts, [chart]: machine } };
}

const verdictOn = (protocol: Protocol, scenario: unknown) =>
  new Simulation(parseScenario(scenario, { [protocol.name]: protocol })).run().verdict;

describe('the protocols as they are', () => {
  test.each([directory, election, exclusion, link, queue, tabs])('$name: nothing breaks', (protocol) => {
    expect(swarm(protocol, { runs: 20 })).toEqual({ runs: 20, failure: null });
  });
});

describe('a mistake', () => {
  test('is found, and its scenario shrinks to a handful of events on a handful of nodes', () => {
    const broken = mistaken(directory, 'drop transition waiting.last: find #2');
    const { scenario, property, shrinks } = swarm(broken).failure!;
    const { events, topology } = scenario as { events: unknown[]; topology: { nodes: unknown[]; links: unknown[] } };
    expect(property).toBe('spanning tree');
    expect(shrinks).toBeGreaterThan(10);
    expect([events.length, topology.nodes.length, topology.links.length]).toEqual([2, 2, 1]);
    expect(verdictOn(broken, scenario)).toBe('invalid');
    expect(verdictOn(directory, scenario)).toBe('valid');
  });
});

test('without shrinking, the first failure is unchanged; ignored ones are skipped', () => {
  const broken = mistaken(directory, 'drop transition waiting.last: find #2');
  const { property, shrinks } = swarm(broken, { shrink: false }).failure!;
  expect(shrinks).toBe(0);
  expect(swarm(broken, { shrink: false, ignore: new Set([property]) }).failure?.property).not.toBe(property);
});

test('as a judge, it kills on broken promises, except those the protocol breaks itself', () => {
  const name = 'drop transition waiting.last: find #2';
  const mutant = mutantsOf(directory).find((one) => nameOf(one) === name)!;
  expect(swarmJudge(directory).kills(mistaken(directory, name), mutant)).toBe(true);
  expect(swarmJudge(mistaken(directory, name)).kills(mistaken(directory, name), mutant)).toBe(false);
});

describe('what else can go wrong', () => {
  test('a network that never comes to rest', () => {
    const restless = setup({ types: { events: {} as Message }, actions: effects() }).createMachine({
      entry: arm(() => ({ timer: 't', delay: 1 })),
      on: { timer: { actions: arm(() => ({ timer: 't', delay: 1 })) } },
    });
    expect(swarm(toy({ chart: restless })).failure).toMatchObject({ property: 'comes to rest', scenario: { events: [] } });
  });

  test('a chart that breaks its contract', () => {
    const lost = setup({ types: { events: {} as Message }, actions: { ...effects(), forget: assign({}) } }).createMachine({
      on: { go: { actions: { type: 'tell', params: { role: 'nobody', message: { type: 'x' } } } } },
    });
    const { failure } = swarm(toy({ chart: lost, commands: ['go'] }));
    expect(failure).toMatchObject({ property: 'keeps its contract', description: expect.stringMatching(/no role "nobody"/) });
  });
});

test('if the protocol refuses too many scenarios, the search fails with an error', () => {
  const idle = setup({ types: { events: {} as Message }, actions: effects() }).createMachine({});
  const upTo = (seats: number) =>
    toy({
      chart: idle,
      options: (raw, { topology }) => {
        if (topology.nodes.length > seats) throw new UsageError(`Only ${seats} nodes are possible.`);
        return raw;
      },
    });
  expect(swarm(upTo(2), { runs: 5 })).toEqual({ runs: 5, failure: null });
  expect(() => swarm(upTo(0), { runs: 2 })).toThrow(
    'swarm: protocol toy refused 2001 random scenarios, and only 0 of 2 were run. ' +
      'Accept more graphs, or add an accepted system to systems. The last refusal: Only 0 nodes are possible.',
  );
});

test('a protocol meets the faults that it promises to stand', () => {
  const faults = Object.fromEntries(
    [controller, directory, exclusion, link, queue].map((protocol) => [protocol.name, faultsOf(protocol)]),
  );
  expect(faults).toEqual({
    controller: ['pause', 'clog', 'cut'],
    directory: ['pause', 'clog'],
    exclusion: ['pause', 'clog', 'cut'],
    link: ['pause', 'clog', 'crash'],
    queue: ['cut', 'corrupt'],
  });
});
