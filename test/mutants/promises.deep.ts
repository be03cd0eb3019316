/**
 * How many mutants break a promise: the score of checker and swarm alone, without anything that was recorded of the charts. The table of
 * docs/testing.md, which `npm run test:deep -- test/mutants/promises` prints. Minutes for each protocol; the controller and locks, with over
 * a thousand mutants each, have not been judged.
 */
import { expect, test } from 'vitest';
import { directory } from '../../machines/directory/index.js';
import { unpromised as unpromisedOfDirectory } from '../../machines/directory/reasons.fixtures.js';
import { queue } from '../../machines/queue/index.js';
import { unpromised as unpromisedOfQueue } from '../../machines/queue/reasons.fixtures.js';
import { protocols } from '../../machines/index.js';
import { reasonsOf } from '../../machines/reasons.fixtures.js';
import type { Reasons } from '../coverage/report.js';
import { graphsOf } from '../paths/graph.js';
import { SEARCH_PATIENCE } from '../paths/suite.js';
import { judgeMutants, nameOf } from './mutants.js';
import { promiseJudges } from './promises.js';

const LIMITS = { states: 2000, runs: 60 };

interface Score {
  readonly mutants: number;
  readonly checker: number;
  readonly swarm: number;
  /** Survivors that do the same as the chart, for a reason. */
  readonly explained: number;
  /** Survivors that break no promise that we know of, or none in systems so small. */
  readonly open: number;
}

const scores: Readonly<Record<string, Score>> = {
  directory: { mutants: 147, checker: 96, swarm: 11, explained: 40, open: 0 },
  election: { mutants: 315, checker: 149, swarm: 19, explained: 19, open: 128 },
  exclusion: { mutants: 401, checker: 193, swarm: 28, explained: 51, open: 129 },
  link: { mutants: 265, checker: 36, swarm: 23, explained: 61, open: 145 },
  queue: { mutants: 224, checker: 144, swarm: 35, explained: 32, open: 13 },
  tabs: { mutants: 128, checker: 51, swarm: 12, explained: 13, open: 52 },
};

/** Survivors of which somebody has said why they break no promise. */
const unpromised: Readonly<Record<string, Reasons>> = { directory: unpromisedOfDirectory, queue: unpromisedOfQueue };

const reasonsFor = (name: string): Reasons => ({ ...reasonsOf({ name }), ...unpromised[name] });

test.each(Object.entries(scores))('%s', (name, expected) => {
  const protocol = protocols[name]!;
  const judged = [
    ...judgeMutants(protocol, graphsOf(protocol, SEARCH_PATIENCE), {
      judges: promiseJudges(protocol, LIMITS),
      reasons: reasonsFor(name),
    }),
  ];
  const killed = (judge: string) => judged.filter(({ killedBy }) => killedBy === judge).length;
  const survivors = judged.filter(({ killedBy }) => killedBy === null);
  const open = survivors.filter(({ reason }) => reason === undefined);
  const score: Score = {
    mutants: judged.length,
    checker: killed('checker'),
    swarm: killed('swarm'),
    explained: survivors.length - open.length,
    open: open.length,
  };
  console.log(
    `| ${[name, ...Object.values(score)].join(' | ')} |\n${open.map((mutant) => `  ${mutant.chart}: ${nameOf(mutant)}`).join('\n')}`,
  );
  expect(score).toEqual(expected);
});

test.each([directory, queue])('$name: each reason is that of a survivor', (protocol) => {
  const judged = [...judgeMutants(protocol, [], { judges: promiseJudges(protocol, LIMITS), reasons: reasonsFor(protocol.name) })];
  const wrong = judged.filter(({ killedBy, reason }) => killedBy !== null && reason !== undefined);
  expect(wrong.map(nameOf)).toEqual([]);
});
