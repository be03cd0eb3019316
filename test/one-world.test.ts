/** One world for every life: what the clock does, the world offers; what the world can do, the checker sees. */
import { describe, expect, test } from 'vitest';
import { protocols } from '../machines/index.js';
import { counter } from '../network/world/counter.fixture.js';
import { parseScenario } from '../network/scenario/parse.js';
import { NOT_FUSED } from '../network/world/script.js';
import { questionOf } from './explore/scenario.js';
import {
  compareWithWorld,
  everyState,
  expectSameStates,
  frameOf,
  sampleSystems,
  scenariosOf,
  searchedStates,
} from './one-world.fixture.js';

/** Runs of each protocol; the deep tests make 2,000 others in all. */
const RUNS = 10;
/** A system with more states is compared up to a depth that has at least this many. */
const STATES = 60;

describe('every step of a timed run is an offered choice, with the state of `apply`', () => {
  test.each(Object.values(protocols))('$name', (protocol) => {
    const compared = scenariosOf(protocol, RUNS, 7).map(compareWithWorld);
    expect(compared.find(({ difference }) => difference !== null)?.difference ?? null).toBeNull();
    expect(compared.reduce((sum, { steps }) => sum + steps, 0)).toBeGreaterThan(RUNS);
  });
});

describe('a driver with every choice reaches exactly the states of the search', () => {
  const path = (n: number) => ({ kind: 'path', n });
  const ask = (node: string, what: string) => ({ at: 0, node, do: what });
  const cut = { at: 0, do: 'cut', link: ['n0', 'n1'] };
  const join = { at: 0, do: 'join', link: ['n0', 'n1'] };

  test.each([
    { name: 'directory', topology: path(3), options: { hold: 0 }, events: [ask('n1', 'request'), ask('n2', 'request')] },
    { name: 'directory', topology: path(2), options: { hold: 2 }, events: [ask('n0', 'request'), ask('n1', 'request')] },
    {
      name: 'directory',
      topology: path(2),
      options: { hold: 0 },
      events: [ask('n0', 'request'), ask('n0', 'crash'), ask('n0', 'restart'), ask('n0', 'request'), ask('n1', 'request')],
    },
    {
      name: 'directory',
      topology: path(3),
      options: { hold: 0 },
      network: { order: 'fifo' },
      events: [ask('n1', 'request'), ask('n2', 'request')],
    },
    { name: 'exclusion', topology: path(2), options: { hold: 0, priorities: 2 }, events: [ask('n0', 'lock')] },
    {
      name: 'counter',
      topology: path(2),
      events: [ask('n0', 'count'), ask('n0', 'count'), ask('n0', 'crash'), ask('n0', 'reload')],
    },
    {
      name: 'directory',
      topology: path(2),
      options: { hold: null },
      events: [ask('n0', 'request'), ask('n0', 'request'), ask('n0', 'release'), ask('n1', 'request')],
    },
    {
      name: 'exclusion',
      topology: path(2),
      options: { hold: null, priorities: 2 },
      events: [ask('n0', 'lock'), ask('n0', 'unlock'), cut, join],
    },
    {
      name: 'controller',
      topology: path(2),
      options: { kind: 'bins', M: 3, W: 1 },
      events: [ask('n1', 'take'), ask('n1', 'take'), ask('n0', 'take')],
    },
  ])('$name, case %#', ({ name, ...json }) => {
    const scenario = parseScenario({ protocol: name, ...json }, { ...protocols, counter });
    const question = questionOf(scenario, { properties: [] });
    const { states } = searchedStates(question);
    expect(states.size).toBeGreaterThan(4);
    expect(everyState(frameOf(question))).toEqual(states);
    // Fusion leaves states out, and adds none.
    const unfused = everyState(frameOf(question, NOT_FUSED));
    expect([...states].filter((state) => !unfused.has(state))).toEqual([]);
  });

  test.each(sampleSystems)('system $index of $name', ({ scenario }) => {
    expectSameStates(scenario, STATES);
  });
});
