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

/**
 * The number of mutants of each protocol, of those that each judge kills, in this order, of equivalent ones, and of those that are left.
 */
const scores: Readonly<Record<string, readonly number[]>> = {
  controller: [1250, 1190, 2, 0, 0, 58, 0],
  directory: [147, 132, 0, 0, 0, 15, 0],
  election: [315, 301, 0, 0, 0, 14, 0],
  exclusion: [401, 359, 0, 1, 0, 41, 0],
  link: [265, 242, 1, 1, 0, 21, 0],
  locks: [2533, 2275, 0, 0, 0, 254, 4],
  queue: [224, 205, 4, 0, 0, 15, 0],
  tabs: [130, 121, 0, 0, 0, 9, 0],
};

test('all protocols are judged', () => expect(Object.keys(scores)).toEqual(Object.keys(protocols)));

test.each(Object.entries(scores))('%s', (name, score) => {
  const protocol = protocols[name]!;
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
  expect.soft(counted).toEqual(score);
  const wronglyExplained = judged.filter(({ killedBy, reason }) => killedBy !== null && reason !== undefined);
  expect(wronglyExplained.map((mutant) => `${nameOf(mutant)}: killed by ${mutant.killedBy}`)).toEqual([]);
});
