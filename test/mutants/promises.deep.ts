/**
 * Tests the properties with mutants: the score of checker and swarm without any recorded behavior of the charts. `npm run test:deep --
 * test/mutants/promises` prints the table of docs/evidence/generated-tests.md, and the names of unexplained survivors. For locks, a sample is judged.
 */
import { expect, test } from 'vitest';
import {
  further as furtherOfController,
  unpromised as unpromisedOfController,
} from '../../machines/controller/promises.fixtures.js';
import { unpromised as unpromisedOfDirectory } from '../../machines/directory/reasons.fixtures.js';
import { further as furtherOfElection, unpromised as unpromisedOfElection } from '../../machines/election/promises.fixtures.js';
import {
  further as furtherOfExclusion,
  unpromised as unpromisedOfExclusion,
} from '../../machines/exclusion/promises.fixtures.js';
import { further as furtherOfLink, unpromised as unpromisedOfLink } from '../../machines/link/promises.fixtures.js';
import { further as furtherOfLocks, unpromised as unpromisedOfLocks } from '../../machines/locks/promises.fixtures.js';
import { further as furtherOfQueue } from '../../machines/queue/promises.fixtures.js';
import { unpromised as unpromisedOfQueue } from '../../machines/queue/reasons.fixtures.js';
import { further as furtherOfTabs, unpromised as unpromisedOfTabs } from '../../machines/tabs/promises.fixtures.js';
import { hash } from '../../machines/hash.js';
import { protocols } from '../../machines/index.js';
import { reasonsOf } from '../../machines/reasons.fixtures.js';
import type { Reasons } from '../coverage/report.js';
import { graphsOf } from '../paths/graph.js';
import { SEARCH_PATIENCE } from '../paths/suite.js';
import { nameOf, type Mutant } from './chart-mutants.js';
import { judgeMutants } from './mutants.js';
import { FURTHER, promiseJudging, SAME, UNASKED, type PromiseOptions } from './promises.fixtures.js';

interface Score {
  readonly mutants: number;
  readonly checker: number;
  readonly swarm: number;
  /** By the systems that only mutants are searched in. */
  readonly further: number;
  /** The same chart in every step of all that was searched; and of these, those whose rule nothing came to. */
  readonly same: number;
  readonly unasked: number;
  /** Survivors that do the same as the chart, or break no promise, for a reason. */
  readonly explained: number;
  /** Survivors that do otherwise and break no promise that we know of, or none in systems so small. */
  readonly open: number;
}

interface Judged extends Pick<PromiseOptions, 'further'> {
  /** Reasons why some survivors violate no promise, as far as known. */
  readonly unpromised?: Reasons;
  readonly limits: Pick<PromiseOptions, 'states' | 'runs'>;
  /**
   * For a protocol with very many mutants and long searches: the fraction 1/n of them that is judged. The name of a mutant decides, so that
   * a change elsewhere has no effect.
   */
  readonly every?: number;
}

const LIMITS = { states: 2000, runs: 60 };
/** Limits for charts with very many mutants. */
const LESS = { states: 500, runs: 20 };
const LEFT_OUT = 'not in the sample';

const judgedOf: Readonly<Record<string, Judged>> = {
  controller: {
    limits: LESS,
    further: furtherOfController,
    unpromised: unpromisedOfController,
  },
  directory: { limits: LIMITS, unpromised: unpromisedOfDirectory },
  election: {
    limits: LIMITS,
    further: furtherOfElection,
    unpromised: unpromisedOfElection,
  },
  exclusion: {
    limits: LIMITS,
    further: furtherOfExclusion,
    unpromised: unpromisedOfExclusion,
  },
  link: { limits: LIMITS, further: furtherOfLink, unpromised: unpromisedOfLink },
  locks: {
    limits: LESS,
    every: 10,
    further: furtherOfLocks,
    unpromised: unpromisedOfLocks,
  },
  queue: { limits: LIMITS, further: furtherOfQueue, unpromised: unpromisedOfQueue },
  tabs: { limits: LIMITS, further: furtherOfTabs, unpromised: unpromisedOfTabs },
};

test.each(Object.entries(judgedOf))('%s', (name, { limits, every = 1, further = [], unpromised }) => {
  const protocol = protocols[name]!;
  const { judges, sameness } = promiseJudging(protocol, { ...limits, further });
  const reasons = { ...reasonsOf({ name }), ...unpromised };
  const isJudged = (mutant: Mutant) => hash(`${mutant.chart}: ${nameOf(mutant)}`) % every === 0;
  const idle = (mutant: Mutant) => (isJudged(mutant) ? sameness(mutant) : LEFT_OUT);
  const graphs = graphsOf(protocol, SEARCH_PATIENCE);
  const judged = [...judgeMutants(protocol, graphs, { judges, reasons, idle })].filter(({ reason }) => reason !== LEFT_OUT);
  const killed = (judge: string) => judged.filter(({ killedBy }) => killedBy === judge).length;
  const because = (...reasons: readonly string[]) => judged.filter(({ reason }) => reason && reasons.includes(reason)).length;
  const survivors = judged.filter(({ killedBy }) => killedBy === null);
  const open = survivors.filter(({ reason }) => reason === undefined);
  const same = because(SAME, UNASKED);
  const score: Score = {
    mutants: judged.length,
    checker: killed('checker'),
    swarm: killed('swarm'),
    further: killed(FURTHER),
    same,
    unasked: because(UNASKED),
    explained: survivors.length - open.length - same,
    open: open.length,
  };
  console.log(
    `| ${[name, ...Object.values(score)].join(' | ')} |\n${open.map((mutant) => `  ${mutant.chart}: ${nameOf(mutant)}`).join('\n')}`,
  );
  // A mistake in the comparison with the chart would show as few kills.
  expect(score.checker + score.swarm + score.further).toBeGreaterThan(0.4 * score.mutants);
  expect.soft(open.map(nameOf), 'open survivors').toEqual([]);
  const wrong = judged.filter(({ killedBy, reason }) => killedBy !== null && reason !== undefined);
  expect(unpromised ? wrong.map(nameOf) : []).toEqual([]);
});
