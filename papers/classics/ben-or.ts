/** The description of Ben-Or's agreement: `values` are the nodes' initial values, and at most `faulty` of them may crash. */
import { defineProtocol, shapes, UsageError, type Configuration, type Property } from '../../index.js';
import type { Instance } from '../../machines/protocol.js';
import { integer, refuseUnknown } from '../../machines/checks.js';
import { isIn, nodesIn, others, classicRoles } from './common.js';
import { benOrMachine, type BenOrContext, type BenOrInput } from './ben-or.chart.js';

type Options = Pick<BenOrInput, 'faulty' | 'rounds'> & { readonly values: readonly number[] };
const { isCount, isOneOf, nullOr } = shapes;
const decisions = (c: Configuration) => classicRoles<BenOrContext>(c).flatMap(({ context }) => context.decided ?? []);
/** Nodes that have completed at least one round. */
const experienced = (c: Configuration) =>
  classicRoles<BenOrContext>(c).filter(({ value, context }) => value === 'stopped' || context.round > 1);
const proposals = (c: Configuration) =>
  classicRoles<BenOrContext>(c).flatMap(({ context: { id, received } }) =>
    received.filter(({ from, step, value }) => from === id && step === 2 && value !== null),
  );

/** True if at most the allowed number of nodes have crashed, and all others have started. */
const isBorne = (c: Configuration, faulty: number) =>
  (c.crashed ?? []).length <= faulty && nodesIn(c, 'idle').every((node) => c.crashed?.includes(node));

const properties = ({ options: { values, faulty } }: Instance<Options>): readonly Property<Options>[] => [
  {
    name: 'agreement',
    description: 'No two nodes decide differently.',
    kind: 'always',
    holds: (c) => new Set(decisions(c)).size <= 1,
  },
  {
    name: 'validity',
    description: 'If all nodes begin with one value, no node decides the other value.',
    kind: 'always',
    holds: (c) => new Set(values).size > 1 || decisions(c).every((value) => value === values[0]),
  },
  {
    name: 'one round for one value',
    description: 'If all nodes begin with one value, each node that has completed a round has decided.',
    kind: 'always',
    holds: (c) => new Set(values).size > 1 || experienced(c).every(({ context }) => context.decided !== null),
  },
  {
    name: 'one proposal a round',
    description: 'All proposals of a round are for the same value.',
    kind: 'always',
    holds: (c) => proposals(c).every((a) => proposals(c).every((b) => a.round !== b.round || a.value === b.value)),
  },
  {
    name: 'rounds end',
    description: 'If all nodes have started and no more crash than allowed, all other nodes complete all rounds.',
    kind: 'eventually',
    when: (c, node) => isBorne(c, faulty) && !isIn(c, node, 'stopped') && !c.crashed?.includes(node),
    holds: (c, node) => !isBorne(c, faulty) || isIn(c, node, 'stopped') || c.crashed!.includes(node),
  },
  {
    name: 'a decision can be',
    description: 'Some node decides in some run.',
    kind: 'sometimes',
    holds: (c) => decisions(c).length > 0,
  },
];

export const benOr = defineProtocol<Options>(
  {
    name: 'ben-or',
    charts: { 'ben-or': benOrMachine },
    network: { reach: 'routed' },
    options: (raw, { topology: { nodes } }) => {
      refuseUnknown(raw, ['values', 'faulty', 'rounds']);
      const { values = nodes.map((_, i) => i % 2) } = raw;
      if (!Array.isArray(values) || values.length !== nodes.length || !values.every((value) => value === 0 || value === 1))
        throw new UsageError(`options.values must contain a 0 or a 1 for each of the ${nodes.length} nodes.`);
      const most = Math.ceil(nodes.length / 2) - 1;
      const faulty = integer(raw, 'faulty', { min: 0, max: most, fallback: most });
      return { values, faulty, rounds: integer(raw, 'rounds', { min: 1, fallback: 10 }) };
    },
    input: (id, instance): BenOrInput => {
      const { faulty, rounds, values } = instance.options;
      return { id, others: others(id, instance), faulty, rounds, value: values[instance.rank(id)]! };
    },
    messages: { vote: { step: isOneOf(1, 2), round: isCount, value: nullOr(isOneOf(0, 1)) } },
    commands: { start: { completedBy: ['decided'] } },
  },
  { properties },
  { paper: 'Ben-Or: Another Advantage of Free Choice, Completely Asynchronous Agreement Protocols (PODC 1983)' },
);
