/**
 * Small systems of the queue for the checker, in which any state may be the first.
 *
 * For one edge, an end that points to itself and one that points elsewhere are alike, and so are an own request and a find from
 * elsewhere: two nodes with unlimited requests are one edge in an arbitrary environment. Requests lose their names here, which no rule
 * reads, and `sent` stops at a number that no timely observation reaches: before the first timeout a corrupt edge may count for ever.
 */
import { assign, raise } from 'xstate';
import type { NodeId } from '../effects.js';
import type { Configuration, Property, Protocol } from '../protocol.js';
import type { GuardianContext } from './guardian.js';
import { queue } from './index.js';
import { GUARDIAN, POINTER } from './messages.js';
import type { PointerContext } from './pointer.js';
import type { QueueOptions } from './options.js';
import { edgesOf, isFullyLegalAsPrinted, look } from './view.js';

const SENT_MAX = 12;

const countSent = assign<GuardianContext, any, any, any, any>({ sent: ({ context }) => Math.min(context.sent + 1, SENT_MAX) });
const findOfItsOwn = raise(({ context }: { context: PointerContext }) => ({ type: 'find', origin: null, from: context.id }));

type Implementations = Readonly<Record<string, unknown>>;

interface Variant {
  /** Actions and guards of the guardian and the pointer in place of their own: a mutant. */
  readonly guardian?: { readonly actions?: Implementations; readonly guards?: Implementations };
  readonly pointer?: { readonly actions?: Implementations; readonly guards?: Implementations };
  /** How many messages each direction of an edge holds at first; 2 finds and 2 observers unless told. */
  readonly messages?: number;
}

export function variant({ guardian = {}, pointer = {}, messages = 4 }: Variant = {}): Protocol<QueueOptions> {
  const corruption = queue.corruption!;
  return {
    ...queue,
    charts: {
      ...queue.charts,
      [GUARDIAN]: queue.charts[GUARDIAN]!.provide({ ...guardian, actions: { countSent, ...guardian.actions } } as any),
      [POINTER]: queue.charts[POINTER]!.provide({ ...pointer, actions: { findOfItsOwn, ...pointer.actions } } as any),
    },
    corruption: { ...corruption, channel: (...args) => corruption.channel(...args).slice(0, messages) },
    properties: (setup) => [...queue.properties(setup), sentStopsNothing],
  };
}

/** What the cap must not touch: a count that an observation relies on. */
const sentStopsNothing: Property<QueueOptions> = {
  name: 'no timely count reaches the cap',
  kind: 'always',
  says: 'Finds sent behind a timely observer are fewer than the number at which the count stops.',
  holds: (c) =>
    edgesOf(c).every((edge) => {
      const { value, context } = look(c, edge).guardian;
      return value !== 'observe' || !context.timely || context.sent < SENT_MAX;
    }),
};

/** Lemma 6.6 as printed. */
export const printedIsClosed: Property<any> = {
  name: 'fully legal as printed is closed',
  kind: 'closed',
  says: 'Definition 6.1 without the timer (erratum S5).',
  holds: (c: Configuration) => edgesOf(c).every((edge) => isFullyLegalAsPrinted(look(c, edge))),
};

/** A fixed tree, given by its parents, with every node and channel corrupt at first, and requests at any time. */
export function anywhere(parents: Readonly<Record<NodeId, NodeId>>) {
  const nodes = Object.keys(parents);
  const root = nodes.find((node) => parents[node] === node)!;
  const links = nodes.filter((node) => node !== root).map((node) => [parents[node]!, node, 1] as const);
  return { topology: { nodes, links }, options: { root, parents }, corrupt: nodes, commands: 'unlimited' as const };
}
