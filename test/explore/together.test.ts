/** Several threads have the same answer as one, whoever of them is faster. */
import { describe, expect, test } from 'vitest';
import { directory, directoryMachine } from '../../machines/directory/index.js';
import { ProtocolError } from '../../machines/errors.js';
import type { Property, Protocol } from '../../machines/protocol.js';
import type { Scenario } from '../../network/scenario/types.js';
import { createMetric } from '../../network/topology/metric.js';
import { examine } from './examine.js';
import { completeGraph } from './fixtures.js';
import { mutant } from './mutants.fixture.js';
import { questionOf, type CheckOptions } from './scenario.js';
import { examineTogether, judgeShare, type Helper } from './together.js';

const graph = createMetric(completeGraph(3));
const scenario = (protocol: Protocol): Scenario => ({
  protocol,
  options: directory.options({ policy: 'random', hold: 1 }, graph),
  graph,
  contacts: [],
  network: { latency: 1, order: 'unordered', loss: 0, duplicate: 0, reorder: 0 },
  events: [],
  workload: { command: 'request', concurrent: 3, requests: 4 },
  seed: 1,
  until: { idle: true },
});
const withChart = (edit: (states: any) => void): Protocol => ({
  ...directory,
  charts: { directory: mutant(directoryMachine, edit) },
});
const stays: Property = {
  name: 'nobody waits for ever',
  says: '',
  kind: 'closed',
  holds: (c) => ![...c.nodes.values()].some((node) => JSON.stringify(node).includes('waiting')),
};

describe.each(['sooner', 'later'] as const)('the other threads answer %s', (when) => {
  test.each<[string, Protocol, CheckOptions]>([
    ['valid', directory, {}],
    ['valid, promises left out', directory, { safety: true }],
    ['a state that violates', withChart(({ holding }) => (holding.states.idle.on.find[1].target = 'idle')), {}],
    ['a promise that is broken', withChart(({ holding }) => holding.states.using.states.followed.on.release.actions.shift()), {}],
    ['a step that violates', directory, { properties: [...directory.properties(scenario(directory) as any), stays] }],
    ['a bound', directory, { bounds: { states: 5000 } }],
    ['partial orders', directory, { reduce: 'order' }],
    ['symmetry', directory, { reduce: 'symmetry', safety: true }],
    ['depth first', directory, { search: 'depth' }],
  ])('%s', async (_, protocol, options) => {
    const question = questionOf(scenario(protocol), options);
    const helper: Helper = async (errand) => {
      if (when === 'later') await Promise.resolve();
      return judgeShare(question, structuredClone(errand));
    };
    const { interpreterCalls: _calls, ...alone } = examine(question);
    const { interpreterCalls: _others, ...together } = await examineTogether(question, [helper, helper]);
    expect(together).toEqual(alone);
  });
});

test.each([1, 2])('a property that throws on the share of thread %i is named', async (mine) => {
  let states = 0;
  const fails: Property = {
    name: 'it fails',
    says: 'made for a test',
    kind: 'always',
    holds: () => {
      if (++states > 50) throw new RangeError('too far');
      return true;
    },
  };
  const fine = questionOf(scenario(directory), { properties: [] });
  const failing = questionOf(scenario(directory), { properties: [fails] });
  const helpers = [1, 2].map(
    (i): Helper =>
      async (errand) =>
        judgeShare(i === mine ? failing : fine, structuredClone(errand)),
  );
  await expect(examineTogether(fine, helpers)).rejects.toThrow(new ProtocolError('property "it fails" failed: too far'));
});
