/**
 * Small systems of the queue for the checker, from any initial state.
 *
 * For one edge, an end that points to itself and one that points elsewhere are alike, and so are an own request and a find from elsewhere.
 * So two nodes with unlimited requests are one edge in an arbitrary environment. Requests lose their names here, which no rule reads.
 */
import { raise } from 'xstate';
import type { NodeId } from '../effects.js';
import type { Property, Protocol } from '../protocol.js';
import { ENOUGH } from './counts.js';
import { queue } from './index.js';
import { GUARDIAN, POINTER } from './messages.js';
import type { PointerContext } from './pointer.js';
import type { QueueOptions } from './options.js';
import { edgesOf, look } from './view.js';

const findOfItsOwn = raise(({ context }: { context: PointerContext }) => ({ type: 'find', origin: null, from: context.id }));

type Implementations = Readonly<Record<string, unknown>>;

interface Variant {
  /** Replacement actions and guards of guardian and pointer: a mutant. */
  readonly guardian?: { readonly actions?: Implementations; readonly guards?: Implementations };
  readonly pointer?: { readonly actions?: Implementations; readonly guards?: Implementations };
  /** Initial number of messages in each direction of an edge. @defaultValue 2 finds and 2 observers */
  readonly messages?: number;
}

export function variant({ guardian = {}, pointer = {}, messages = 4 }: Variant = {}): Protocol<QueueOptions> {
  const corruption = queue.corruption!;
  return {
    ...queue,
    charts: {
      ...queue.charts,
      [GUARDIAN]: queue.charts[GUARDIAN]!.provide(guardian as any),
      [POINTER]: queue.charts[POINTER]!.provide({ ...pointer, actions: { findOfItsOwn, ...pointer.actions } } as any),
    },
    corruption: { ...corruption, channel: (...args) => corruption.channel(...args).slice(0, messages) },
    properties: (instance) => [...queue.properties(instance), neverSoMany],
  };
}

/** Assumption of the bounded counts (`counts.ts`). */
const neverSoMany: Property<QueueOptions> = {
  name: 'counting ends where it does not matter any more',
  kind: 'always',
  description:
    'φ of an edge, and what is counted behind a timely observer, stay below the number at which the checker stops to count.',
  holds: (c) =>
    edgesOf(c).every((edge) => {
      const { phi, guardian } = look(c, edge);
      const { timely, sent } = guardian.context;
      return phi < ENOUGH && !(timely && sent >= ENOUGH);
    }),
};

/** A fixed tree, given by its parents, with every node and channel initially corrupt, and requests at any time. */
export function anywhere(parents: Readonly<Record<NodeId, NodeId>>) {
  const nodes = Object.keys(parents);
  const root = nodes.find((node) => parents[node] === node)!;
  const links = nodes.filter((node) => node !== root).map((node) => [parents[node]!, node, 1] as const);
  return { topology: { nodes, links }, options: { root, parents }, corrupt: nodes, commands: 'unlimited' as const };
}
