/**
 * Leader election on a ring: an external protocol, as an example of a custom one.
 *
 * Paper: Chang, Roberts, "An improved algorithm for decentralized extrema-finding in circular configurations of processes" (1979). Assumes
 * a ring of reliable one-way channels, each node with its own number, and nodes that do not fail.
 *
 * States. idle: no election known. candidate: its own probe is in flight. relayed: has forwarded a greater probe and cannot win any more.
 * leader: its probe came back. follower: knows the winner. Invariants: only the greatest node leads; leaders and followers know the same
 * leader.
 */
import { assign, emit, setup } from 'xstate';
import { effects, send, withEvent, type NodeId } from '../../index.js';

export interface RingInput {
  /** Greater is stronger. */
  readonly number: number;
  /** The next node of the ring. */
  readonly next: NodeId;
}

export interface RingContext extends RingInput {
  readonly leader: number | null;
}

export interface Probe {
  readonly type: 'probe' | 'victory';
  readonly number: number;
}

export type RingEvent = { readonly type: 'call' } | (Probe & { readonly from: NodeId });

type In<E = unknown> = { context: RingContext; event: E };

const ownProbe = ({ context: { next, number } }: In) => ({ to: next, message: { type: 'probe' as const, number } });
const ownVictory = ({ context: { next, number } }: In) => ({ to: next, message: { type: 'victory' as const, number } });
const same = ({ context: { next }, event: { type, number } }: In<Probe>) => ({ to: next, message: { type, number } });

export const ringMachine = setup({
  types: {} as {
    context: RingContext;
    events: RingEvent;
    input: RingInput;
    emitted: { type: 'elected'; leader: number | null };
  },
  actions: {
    ...effects<Probe>(),
    remember: assign((_, { number }: Probe) => ({ leader: number })),
    announce: emit(({ context }) => ({ type: 'elected' as const, leader: context.leader })),
  },
  guards: {
    isGreater: ({ context }, { number }: Probe) => number > context.number,
    isOwn: ({ context }, { number }: Probe) => number === context.number,
  },
}).createMachine({
  id: 'ring',
  context: ({ input: { number, next } }) => ({ number, next, leader: null }),
  initial: 'idle',
  states: {
    idle: {
      on: {
        call: { target: 'candidate', actions: send(ownProbe) },
        probe: [
          { guard: withEvent('isGreater'), target: 'relayed', actions: send(same) },
          { target: 'candidate', actions: send(ownProbe) },
        ],
      },
    },
    candidate: {
      on: {
        probe: [
          { guard: withEvent('isGreater'), target: 'relayed', actions: send(same) },
          { guard: withEvent('isOwn'), target: 'leader', actions: [withEvent('remember'), 'announce', send(ownVictory)] },
        ],
      },
    },
    relayed: {
      on: {
        probe: { guard: withEvent('isGreater'), actions: send(same) },
        victory: { target: 'follower', actions: [withEvent('remember'), 'announce', send(same)] },
      },
    },
    leader: {},
    follower: {},
  },
});
