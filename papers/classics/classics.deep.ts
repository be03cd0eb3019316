/** The larger searches: Dijkstra's ring with the published count, from each of its states, losses, and three ballots of Paxos. */
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../entries/network.js';
import type { Protocol } from '../../index.js';
import { checkScenario } from '../../test/explore/scenario.js';
import { explore } from '../../test/explore/explore.js';
import { dijkstraRing } from './dijkstra-ring.js';
import { paxos } from './paxos.js';
import { questions } from './questions.fixture.js';
import { raftElection } from './raft-election.js';
import paxosScenario from './scenarios/paxos.json' with { type: 'json' };
import raftScenario from './scenarios/raft-election.json' with { type: 'json' };
import threeBallots from './scenarios/three-ballots.json' with { type: 'json' };

test('six machines of six states: 46,656 states, 202,176 moves, all to one privilege', () => {
  const topology = { nodes: ['ring'], links: [] };
  const found = explore(dijkstraRing, { topology, options: { machines: 6, states: 6 }, corrupt: ['ring'] });
  expect(found).toMatchObject({ verdict: 'valid', states: 46_656, transitions: 202_176 });
});

test.each([
  ['Paxos', paxosScenario, { reduce: 'symmetry' }, 158_024],
  ['Raft', raftScenario, {}, 153_470],
] as const)('%s, any message may be lost: every interleaving keeps the promises', (_, scenario, options, states) => {
  const known = { paxos, 'raft-election': raftElection } as unknown as Record<string, Protocol>;
  const lossy = parseScenario({ ...scenario, network: { loss: 0.5 } }, known);
  expect(checkScenario(lossy, { safety: true, ...options })).toMatchObject({ verdict: 'valid', states });
});

describe('Paxos with three proposers and acceptors; messages stay and arrive repeatedly', () => {
  const ask = (protocol: Protocol) => {
    const scenario = parseScenario(threeBallots, { paxos: protocol });
    const properties = protocol.properties({ ...scenario.graph, options: scenario.options });
    return checkScenario(scenario, { properties, reduce: 'symmetry' });
  };

  test('361,902 states, acceptors alike: one value is chosen, whichever', () => {
    expect(ask(paxos as Protocol)).toMatchObject({ verdict: 'valid', states: 361_902, transitions: 10_091_075 });
  });

  test('two values are chosen if proposers take the lowest reported vote', () => {
    const { properties } = ask(questions['paxos']!.runs!.mistake(paxos as Protocol));
    expect(properties.filter(({ holds }) => holds === false).map(({ name }) => name)).toEqual(['agreement']);
  });
});
