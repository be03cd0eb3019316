/** Every mutant of every protocol: killed, or no mistake for the reason given beside it. The scores stand in docs/testing.md. */
import { expect, test } from 'vitest';
import { protocols } from '../../machines/index.js';
import { reasonsOf } from '../../machines/reasons.fixtures.js';
import { graphsOf } from '../paths/graph.js';
import { SEARCH_PATIENCE } from '../paths/suite.js';
import { swarmJudge } from '../swarm/judge.js';
import { judgeMutants, nameOf } from './mutants.js';

test.each(Object.values(protocols))('$name', (protocol) => {
  const judged = [
    ...judgeMutants(protocol, graphsOf(protocol, SEARCH_PATIENCE), {
      others: [swarmJudge(protocol)],
      reasons: reasonsOf(protocol),
    }),
  ];
  const unexplained = judged.filter(({ killedBy, reason }) => killedBy === null && reason === undefined);
  expect(unexplained.map(({ diff }) => diff.join('\n'))).toEqual([]);
  const wronglyExplained = judged.filter(({ killedBy, reason }) => killedBy !== null && reason !== undefined);
  expect(wronglyExplained.map((mutant) => `${nameOf(mutant)}: killed by ${mutant.killedBy}`)).toEqual([]);
});
