/**
 * Judges every mutant of every protocol: it is killed, or equivalent for the reason next to it. `npm run test:deep --
 * test/mutants/protocols` prints the table of docs/evidence/generated-tests.md, with all unexplained survivors.
 */
import { expect, test } from 'vitest';
import { protocols } from '../../machines/index.js';
import { reasonsOf } from '../../machines/reasons.fixtures.js';
import { graphsOf } from '../paths/graph.js';
import { SEARCH_PATIENCE } from '../paths/suite.js';
import { swarmJudge } from '../swarm/judge.js';
import { nameOf } from './chart-mutants.js';
import { judgeMutants } from './mutants.js';

const JUDGES = ['paths', 'walks', 'checker', 'swarm'] as const;

test.each(Object.entries(protocols))('%s', (name, protocol) => {
  const judged = [
    ...judgeMutants(protocol, graphsOf(protocol, SEARCH_PATIENCE), {
      others: [swarmJudge(protocol)],
      reasons: reasonsOf(protocol),
    }),
  ];
  const killed = JUDGES.map((judge) => judged.filter(({ killedBy }) => killedBy === judge).length);
  const survivors = judged.filter(({ killedBy }) => killedBy === null);
  const left = survivors.filter(({ reason }) => reason === undefined);
  const counted = [judged.length, ...killed, survivors.length - left.length, left.length];
  console.log(
    `| ${[name, ...counted].join(' | ')} |\n${left.map((mutant) => [`  ${mutant.chart}: ${nameOf(mutant)}`, ...mutant.diff].join('\n')).join('\n')}`,
  );
  expect(judged.length).toBeGreaterThan(0);
  // The other figures follow from the charts, and are only printed.
  expect.soft(left.map(nameOf), 'survivors without a reason').toEqual([]);
  const wronglyExplained = judged.filter(({ killedBy, reason }) => killedBy !== null && reason !== undefined);
  expect(wronglyExplained.map((mutant) => `${nameOf(mutant)}: killed by ${mutant.killedBy}`)).toEqual([]);
});
