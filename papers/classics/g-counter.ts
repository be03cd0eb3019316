/** The description of the G-counter. */
import { defineProtocol, shapes, type Configuration, type Property } from '../../index.js';
import { classicRole, classicRoles } from './common.js';
import { gCounterMachine, join, type GCounterContext, type CountOfEach } from './g-counter.chart.js';

const valueOf = (counts: CountOfEach) => Object.values(counts).reduce((sum, count) => sum + count, 0);
const knownBy = (c: Configuration) => classicRoles<GCounterContext>(c).map(({ context }) => context.counts);
const counted = (c: Configuration) => valueOf(knownBy(c).reduce(join));

const properties: readonly Property[] = [
  {
    name: 'nothing invented',
    description: 'No node knows of more increments of another node than that node itself.',
    kind: 'always',
    holds: (c) =>
      classicRoles<GCounterContext>(c).every(({ context: { id, counts } }) =>
        knownBy(c).every((known) => known[id]! <= counts[id]!),
      ),
  },
  {
    name: 'all increments are known',
    description: 'All nodes eventually count all increments.',
    kind: 'eventually',
    when: (c, node) => valueOf(classicRole<GCounterContext>(c, node).context.counts) < counted(c),
    holds: (c, node) => valueOf(classicRole<GCounterContext>(c, node).context.counts) === counted(c),
  },
];
const isCounts: shapes.FieldCheck = (value, instance) =>
  shapes.recordOf(Object.fromEntries(instance.topology.nodes.map((node) => [node, shapes.isCount])))(value, instance);

export const gCounter = defineProtocol(
  {
    name: 'g-counter',
    charts: { 'g-counter': gCounterMachine },
    network: { reach: 'links' },
    input: (id, { topology: { nodes, links } }): GCounterContext => ({
      id,
      neighbors: links.flatMap(([u, v]) => (u === id ? [v] : v === id ? [u] : [])),
      counts: Object.fromEntries(nodes.map((node) => [node, 0])),
    }),
    messages: { merge: { counts: isCounts } },
    commands: { increment: {} },
  },
  { properties: () => properties },
  {
    paper:
      'Shapiro, Preguiça, Baquero, Zawirski: A Comprehensive Study of Convergent and Commutative Replicated Data Types (INRIA RR-7506, 2011)',
    overlay: (_, id, __, c) => ({ badge: String(valueOf(classicRole<GCounterContext>(c, id).context.counts)) }),
  },
);
