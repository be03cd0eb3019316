/** The classics under hostile input: the smallest networks, invalid options and protocols, faults. */
import { describe, expect, test } from 'vitest';
import { parseScenario, Simulation } from '../../entries/network.js';
import { protocols } from '../../entries/machines.js';
import type { Protocol } from '../../index.js';
import { checkScenario } from '../../test/explore/scenario.js';
import { snapshotOver } from './chandy-lamport.js';
import * as classics from './index.js';
import benOr from './scenarios/ben-or.json' with { type: 'json' };
import gCounter from './scenarios/g-counter.json' with { type: 'json' };
import paxos from './scenarios/paxos.json' with { type: 'json' };
import raft from './scenarios/raft-election.json' with { type: 'json' };

const all: readonly Protocol[] = Object.values(classics) as never;
const known: Record<string, Protocol> = Object.fromEntries(all.map((one) => [one.name, one]));
const ofRing = [classics.changRoberts, classics.hirschbergSinclair] as readonly Protocol[];
const ofOneNode = all.filter((one) => !ofRing.includes(one) && one.name !== 'paxos');

/** The first command that needs no fields, at the first `starters` nodes. */
const begins = ({ commands }: Protocol, starters: number) => {
  const command = Object.keys(commands).find((name) => (commands[name]!.fields ?? []).length === 0);
  return command ? Array.from({ length: starters }, (_, i) => ({ at: 0, node: `n${i}`, do: command })) : [];
};
const run = (protocol: Protocol, scenario: object) =>
  new Simulation(parseScenario({ protocol: protocol.name, until: { at: 300 }, ...scenario }, { [protocol.name]: protocol }), {
    host: 'snapshots',
  }).run();

describe('the smallest networks', () => {
  test.each(ofOneNode.map((one) => [one.name, one] as const))(
    '%s on one node keeps its promises, and no meter divides by nothing',
    (_, one) => {
      const { properties, meters } = run(one, { topology: { kind: 'complete', n: 1 }, events: begins(one, 1) });
      expect(properties.filter(({ holds }) => holds === false)).toEqual([]);
      for (const { ratio } of meters) expect(ratio ?? 0).toBeLessThanOrEqual(1);
    },
  );

  test.each(ofRing.map((one) => [one.name, one] as const))('%s: two nodes are a ring, one is none', (_, one) => {
    const scenario = { protocol: one.name, topology: { kind: 'path', n: 2 }, events: begins(one, 2) };
    expect(checkScenario(parseScenario(scenario, known))).toMatchObject({ verdict: 'valid' });
    expect(run(one, scenario).summary).toMatchObject(one.name === 'ring' ? { leader: 1 } : { elected: 1 });
    expect(() => run(one, { topology: { kind: 'path', n: 1 } })).toThrow(
      'topology has no link from n0 to n0; this election runs on a ring',
    );
  });
});

test.each(all.map((one) => [one.name, one] as const))('%s refuses options that it does not know', (_, one) => {
  const scenario = { topology: { kind: 'complete', n: one.name === 'dijkstra-ring' ? 1 : 5 }, options: { nonsense: 1 } };
  expect(() => run(one, scenario)).toThrow('Unknown option options.nonsense');
});

describe('snapshots', () => {
  const over = (watched: Protocol) => ({ 'chandy-lamport': snapshotOver(watched) });
  const optionsOf: Record<string, object> = {
    paxos: { acceptors: 2 },
    'raft-election': { terms: [1, 0, 0] },
    'ben-or': { rounds: 1 },
  };
  const refused: Record<string, string> = {
    'chandy-lamport': 'chandy-lamport over suzuki-kasami has parallel states, but a snapshot records one state of a chart.',
    'dijkstra-ring': 'dijkstra-ring has several roles at ring. Take snapshots of a protocol with one role.',
    exclusion: 'exclusion has parallel states, but a snapshot records one state of a chart.',
    queue: 'queue has several roles at n0. Take snapshots of a protocol with one role.',
  };
  const topologyOf = (one: Protocol) =>
    one.name === 'dijkstra-ring' ? { nodes: ['ring'], links: [] } : { kind: 'complete', n: 3 };
  const watched = [...all, ...['directory', 'queue', 'election', 'exclusion'].map((name) => protocols[name]!)];

  test.each(watched.filter(({ name }) => !refused[name]).map((one) => [one.name, one] as const))(
    'over %s keep its promises, in runs of every speed',
    (name, one) => {
      const starters = begins(one, name === 'echo' || name === 'dijkstra-scholten' ? 1 : 2);
      const scenario = {
        topology: topologyOf(one),
        network: { latency: { min: 1, max: 6 } },
        options: optionsOf[name] ?? {},
        events: [...starters, { at: 4, node: 'n2', do: 'snapshot' }],
      };
      for (let seed = 1; seed <= 5; seed++) {
        const { properties } = run(over(one)['chandy-lamport'], { ...scenario, seed });
        expect(properties.filter(({ holds }) => holds === false)).toEqual([]);
        expect(properties.find((property) => property.name === 'a snapshot ends')).toMatchObject({ holds: true });
      }
    },
  );

  test.each(Object.entries(refused))('over %s are refused with an error that names the reason', (name, message) => {
    const one = known[name] ?? protocols[name]!;
    expect(() => run(over(one)['chandy-lamport'], { topology: topologyOf(one) })).toThrow(message);
  });
});

describe('faults that the papers bear', () => {
  const check = (scenario: object) => {
    const parsed = parseScenario(scenario, known);
    return checkScenario(parsed, { safety: true, ...(parsed.protocol.name === 'paxos' && { reduce: 'symmetry' }) });
  };
  const small = { topology: { kind: 'complete', n: 3 }, options: { acceptors: 1 }, events: paxos.events };

  test.each([
    ['Paxos, messages lost', { ...paxos, ...small, network: { loss: 0.5 } }],
    ['Paxos, messages lost and doubled', { ...paxos, ...small, network: { loss: 0.5, duplicate: 0.5 } }],
    ['Paxos, messages doubled', { ...paxos, network: { duplicate: 0.5 } }],
    ['Paxos, a proposer that crashes', { ...paxos, events: [...paxos.events, { at: 1, node: 'n0', do: 'crash' }] }],
    ['G-counter, messages doubled', { ...gCounter, network: { duplicate: 0.5 } }],
    ['Raft, messages doubled', { ...raft, network: { duplicate: 0.5 } }],
    ['Raft, a leader that crashes', { ...raft, events: [...raft.events, { at: 1, node: 'n0', do: 'crash' }] }],
  ])('%s: every interleaving keeps the promises', (_, scenario) => {
    expect(check(scenario)).toMatchObject({ verdict: 'valid' });
  });

  const crash = (node: string) => ({ at: 0, node, do: 'crash' });
  const starts = ['n0', 'n1', 'n2'].map((node) => ({ at: 1, node, do: 'start' }));
  test.each([
    ['Paxos', ['n2', 'n3'], { ...paxos, events: [{ at: 1, node: 'n0', do: 'propose' }] }, 'chosen'],
    ['Raft', ['n1', 'n2'], { ...raft, options: { terms: [1, 0, 0] }, events: [] }, 'leader'],
    ['Ben-Or', ['n1', 'n2'], { ...benOr, events: starts }, 'stopped'],
  ] as const)('%s goes on when one is gone from the start, and stands still when two are', (_, gone, scenario, state) => {
    const stateOf = (...crashes: readonly string[]) => {
      const events = [...crashes.map(crash), ...scenario.events];
      return (run(known[scenario.protocol]!, { ...scenario, events }).summary as { states: Record<string, string> }).states['n0'];
    };
    expect([stateOf(gone[0]), stateOf(...gone)]).toEqual([state, expect.not.stringMatching(state)]);
  });
});
