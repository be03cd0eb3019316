/** Several threads give the same answer as one, whatever their relative speed. */
import { describe, expect, test } from 'vitest';
import { directory, directoryMachine } from '../../machines/directory/index.js';
import { ProtocolError } from '../../machines/errors.js';
import { protocols } from '../../machines/index.js';
import type { Property, Protocol } from '../../machines/protocol.js';
import { Random } from '../../network/random.js';
import type { Scenario } from '../../network/scenario/types.js';
import { createMetric } from '../../network/topology/metric.js';
import { systemsOf } from '../system/systems.js';
import type { Bounds } from './bounds.js';
import { attempted, examine, type Exploration, type Question } from './examine.js';
import { completeGraph } from './fixtures.js';
import { mutant } from './mutants.fixture.js';
import { questionOf, type CheckOptions } from './scenario.js';
import { alone, raced } from './together.fixture.js';
import { examineTogether, isDivisible, examineShare, type ThreadRunner } from './together.js';

const graph = createMetric(completeGraph(3));
const scenario = (protocol: Protocol, requests = 4): Scenario => ({
  protocol,
  options: directory.options({ policy: 'random', hold: 1 }, graph),
  graph,
  contacts: [],
  network: { latency: 1, order: 'unordered', loss: 0, duplicate: 0, reorder: 0 },
  events: [],
  workload: { command: 'request', concurrent: 3, requests },
  seed: 1,
  until: { idle: true },
});
const withChart = (edit: (states: any) => void): Protocol => ({
  ...directory,
  charts: { directory: mutant(directoryMachine, edit) },
});
const ofStates = ({ kind }: Property) => kind === 'always' || kind === 'sometimes';
const property = (kind: 'always' | 'sometimes' | 'closed', holds: (c: any) => boolean): Property =>
  ({ name: `${kind} it is so`, description: 'made for a test', kind, holds }) as Property;
const inFlight = (most: number) => (c: { flights: readonly unknown[] }) => c.flights.length <= most;

/** The results that do not depend on how states are stored, nor on when earlier attempts were interrupted. */
const comparable = ({ bytesPerState: _, interpreterCalls: _calls, ...found }: Exploration) => found;

function expectSame(question: Question, threads: readonly number[], pace: readonly boolean[] = [false, true]): Exploration {
  const { found, known, states } = alone(question);
  for (const of of threads)
    for (const slow of pace) {
      const random = new Random(of, `race ${slow}`);
      const race = raced(question, known, of, random, slow);
      expect(comparable(race.found)).toEqual(comparable(found));
      expect(race.states).toEqual(states);
    }
  return found;
}

const few = { states: 500 };
const systems = Object.values(protocols).flatMap((protocol) =>
  systemsOf(protocol).map((system) => [`${protocol.name} ${system.index}`, system] as const),
);
test.each(systems)('the small system %s', (_, system) => {
  const question = questionOf(system.scenario, { bounds: few });
  expectSame({ ...question, properties: question.properties.filter(ofStates) }, [3], [system.index % 2 === 0]);
});

describe('directory, three nodes', () => {
  const properties = directory.properties(scenario(directory) as any).filter(ofStates);
  const ask = (protocol: Protocol, options: CheckOptions) => questionOf(scenario(protocol), { properties, ...options });

  test('valid, with memory that grows during the search', () => {
    const found = expectSame(questionOf(scenario(directory, 100), { properties }), [1, 2, 5]);
    expect(found.verdict).toBe('valid');
    expect(found.states).toBeGreaterThan(10_000);
  });

  test('a bound on states in the middle of a level', () => {
    const question = questionOf(scenario(directory, 100), { properties, bounds: { states: 4250 } });
    expect(expectSame(question, [2, 3]).stopped).toContain('more than 4250 states');
  });

  test('a violation after the bound in the same level is not reported', () => {
    const large = createMetric(completeGraph(4));
    const options = directory.options({ policy: 'random', hold: 1 }, large);
    const asked = (properties: readonly Property[], bounds: Bounds) =>
      questionOf({ ...scenario(directory, 8), graph: large, options }, { properties, bounds });
    const shown = (c: any) => JSON.stringify([...c.nodes, c.flights]);
    const all: string[] = [];
    const seen = property('always', (c) => all.push(shown(c)) > 0);
    const bound = { states: 4250 };
    const { states } = alone(asked([seen], bound)).found;
    const more = alone(asked([seen], { states: 3 * states })).found.states;
    // A search that learns that senders matter restarts.
    const inOrder = all.slice(-more);
    const before = new Set(inOrder.slice(0, states));
    const first = inOrder.slice(states).find((one) => !before.has(one));
    const behind = property('always', (c) => shown(c) !== first);
    const { verdict, stopped } = expectSame(asked([behind], bound), [2, 3]);
    expect([verdict, stopped]).toEqual(['unknown', expect.stringContaining('more than 4250 states')]);
    expect(alone(asked([behind], { states: 3 * states })).found.verdict).toBe('invalid');
  });

  test('a violation: the same state and the same path', () => {
    const broken = withChart(({ holding }) => (holding.states.idle.on.find[1].target = 'idle'));
    expect(expectSame(ask(broken, {}), [2, 4]).verdict).toBe('invalid');
  });

  test.each([0, 1, 2])('the first of many violations: more than %i messages in flight', (most) => {
    expect(expectSame(ask(directory, { properties: [property('always', inFlight(most))] }), [2, 3]).verdict).toBe('invalid');
  });

  test('"sometimes" is witnessed by whichever thread finds a witness', () => {
    const witnessed = property('sometimes', (c: any) => c.flights.length > 2);
    const never = property('sometimes', (c: any) => c.flights.length > 99);
    const { properties: found } = expectSame(ask(directory, { properties: [witnessed, never] }), [2, 3]);
    expect(found.map(({ holds }) => holds)).toEqual([true, false]);
  });

  test('a witness after the violation does not count', () => {
    const kinds = Array.from({ length: 31 }, (_, i) =>
      property('sometimes', (c: any) => c.flights.length > 1 && JSON.stringify([...c.nodes, c.flights]).length % 31 === i),
    );
    const { properties: found } = expectSame(ask(directory, { properties: [property('always', inFlight(1)), ...kinds] }), [2, 3]);
    expect(new Set(found.map(({ holds }) => holds))).toEqual(new Set([false, true, null]));
  });

  test('a witness of another thread after the violation does not count', () => {
    const question = ask(directory, { properties: [property('always', inFlight(1)), property('sometimes', () => false)] });
    const { known } = alone(question);
    const found = (state: number) => {
      const examination = attempted(question, known)!;
      examination.takeIn([{ violated: undefined, witnessed: [[1, examination.search.store.size + state]] }]);
      return examination.conclusion().properties.map(({ holds }) => holds);
    };
    expect([found(-1), found(0)]).toEqual([
      [false, true],
      [false, null],
    ]);
  });

  test.each<[string, Bounds, string]>([
    ['states', { states: 200 }, 'more than 200 states'],
    ['states before the first is expanded', { states: 1 }, 'more than 1 states'],
    ['depth', { depth: 5 }, 'states deeper than 5 transitions'],
    ['different parts', { parts: 20 }, 'more than 20 different local states and messages'],
  ])('a bound: %s', (_, bounds, stopped) => {
    expect(expectSame(ask(directory, { bounds }), [2, 3]).stopped).toContain(stopped);
  });
});

describe('questions for one thread, and restarts', () => {
  /** Another thread, which waits asynchronously. */
  const helper =
    (question: Question): ThreadRunner =>
    async (task) =>
      (await examineShare(question, structuredClone(task)))?.watch.findings();
  const together = (question: Question, runners = [question, question]) => examineTogether(question, runners.map(helper));

  test.each<[string, Protocol, CheckOptions]>([
    ['liveness', directory, {}],
    ['a liveness violation', withChart(({ holding }) => holding.states.using.states.followed.on.release.actions.shift()), {}],
    ['a step that is a violation', directory, { properties: [property('closed', (c: any) => c.flights.length === 0)] }],
    ['symmetry', directory, { reduce: 'symmetry', safety: true }],
    ['depth-first', directory, { search: 'depth', safety: true }],
  ])('%s', async (_, protocol, options) => {
    const question = questionOf(scenario(protocol), options);
    expect(isDivisible(question)).toBe(false);
    expect(await together(question)).toEqual(examine(question));
  });

  test('a property that reads the sender of a message', async () => {
    const reads = property('always', (c: any) => c.flights.every(({ from, to }: any) => from !== to));
    const question = questionOf(scenario(directory), { properties: [reads] });
    expect(isDivisible(question)).toBe(true);
    const found = await together(question);
    expect(comparable(found)).toEqual(comparable(examine(question)));
  });

  test.each([0, 1, 2])('a property that throws in thread %i is reported', async (mine) => {
    const fails = property('always', (c: any) => {
      if (c.flights.length > 1) throw new RangeError('too far');
      return true;
    });
    const fine = questionOf(scenario(directory), { properties: [property('always', () => true)] });
    const failing = questionOf(scenario(directory), { properties: [fails] });
    const [first, ...others] = [0, 1, 2].map((i) => (i === mine || i === 0 ? failing : fine));
    const found = examineTogether(first!, others.map(helper));
    await expect(found).rejects.toThrow(new ProtocolError('property "always it is so" failed: too far'));
  });
});
