/**
 * A counter that every node may increment without coordination: each node counts its own increments, and received vectors of counts are
 * merged.
 *
 * Paper: Shapiro, Preguiça, Baquero, Zawirski, "A Comprehensive Study of Convergent and Commutative Replicated Data Types" (INRIA RR-7506,
 * 2011), specification 6, G-Counter; each node sends news to its neighbors. Assumes a connected network whose messages may arrive in any
 * order and more than once. The next message over a link, if any, makes up for a lost one. State. counting: always ready. Invariant: no
 * node knows of more than was counted.
 */
import { assign, setup } from 'xstate';
import { effects, send, withEvent, type NodeId, defineProtocol, shapes, type Configuration, type Property } from '../../index.js';
import { classicRole, classicRoles } from './common.js';

export type CountOfEach = Readonly<Record<NodeId, number>>;
export interface GCounterContext {
  readonly id: NodeId;
  readonly neighbors: readonly NodeId[];
  /** P in the paper. */
  readonly counts: CountOfEach;
}
export type Merge = { readonly type: 'merge'; readonly counts: CountOfEach };
type In = { context: GCounterContext };

const counts = ({ context: { neighbors, counts } }: In) => ({ to: neighbors, message: { type: 'merge' as const, counts } });

/** The least upper bound: the greater count of each node. */
export const join = (a: CountOfEach, b: CountOfEach): CountOfEach =>
  Object.fromEntries(Object.entries(a).map(([node, count]) => [node, Math.max(count, b[node]!)]));

export const gCounterMachine = setup({
  types: {} as { context: GCounterContext; input: GCounterContext; events: { type: 'increment' } | (Merge & { from: NodeId }) },
  actions: {
    ...effects<Merge>(),
    countOne: assign(({ context: { id, counts } }) => ({ counts: { ...counts, [id]: counts[id]! + 1 } })),
    join: assign(({ context }, { counts }: Merge) => ({ counts: join(context.counts, counts) })),
  },
  guards: {
    isNews: ({ context }, { counts }: Merge) => Object.keys(counts).some((node) => counts[node]! > context.counts[node]!),
  },
}).createMachine({
  id: 'g-counter',
  context: ({ input }) => input,
  initial: 'counting',
  states: {
    counting: {
      on: {
        increment: { actions: ['countOne', send(counts)] },
        merge: { guard: withEvent('isNews'), actions: [withEvent('join'), send(counts)] },
      },
    },
  },
});

/** The description of the G-counter. */
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
