/**
 * The purse of a node: messages of another protocol wait here until the resource controller has given a permit.
 *
 * Paper: Afek, Awerbuch, Plotkin, Saks, section 1 (a protocol that must not send more than M messages) and section 3 (before a unit is
 * consumed, RESOURCE-REQUEST is called and waited for). A message to several nodes is a unit for each of them. All messages of a node keep
 * their order, because one request is outstanding at a time.
 *
 * States:
 *
 *   idle     nothing waits
 *   asking   a permit was requested for the message that waits longest
 *   stopped  a request was rejected: all waiting and later messages are dropped
 * Invariant: the node has sent as many messages as it was granted permits, or one less.
 */
import { assign, emit, setup } from 'xstate';
import { type Address, chartTypes, effects, type Message, send, tell, withEvent } from '../../effects.js';
import { requestRole } from '../messages.js';

/** A message to one node, from the protocol above. */
export interface Parcel {
  readonly to: Address;
  readonly message: Message;
}

export interface PurseContext {
  /** Waiting messages, oldest first. */
  readonly waiting: readonly Parcel[];
  /** Number of sent messages, one permit each. */
  readonly spent: number;
  /** Number of messages that were not sent. */
  readonly dropped: number;
}

interface Outgoing {
  readonly type: 'outgoing';
  readonly to: Address | readonly Address[];
  readonly message: Message;
}

export type PurseEvent = Outgoing | { readonly type: 'granted' | 'rejected' };

type In<E = unknown> = { context: PurseContext; event: E };

const parcels = ({ to, message }: Outgoing): Parcel[] => [to].flat().map((one) => ({ to: one, message }));

const oldest = ({ context }: In) => context.waiting[0]!;
/** Requests one permit from the node's controller. */
export const onePermit = () => ({ role: requestRole('R'), message: { type: 'take' as const, amount: 1 } });

/**
 * Chart of a purse: holds the messages of another protocol until the resource controller has given a permit for each.
 *
 * @experimental
 */
export function purseMachine() {
  const spend = [send(oldest), 'spend'] as const;
  return setup({
    types: chartTypes<{ context: PurseContext; events: PurseEvent; emitted: { readonly type: 'stopped' } }>(),
    actions: {
      ...effects(),
      enqueue: assign(({ context }, sent: Outgoing) => ({ waiting: [...context.waiting, ...parcels(sent)] })),
      spend: assign(({ context }) => ({ waiting: context.waiting.slice(1), spent: context.spent + 1 })),
      dropAll: assign(({ context }) => ({ waiting: [], dropped: context.dropped + context.waiting.length })),
      drop: assign(({ context }, sent: Outgoing) => ({ dropped: context.dropped + parcels(sent).length })),
      announceStop: emit({ type: 'stopped' }),
    },
    guards: {
      hasReceivers: (_, sent: Outgoing) => parcels(sent).length > 0,
      isLast: ({ context }) => context.waiting.length === 1,
    },
  }).createMachine({
    id: 'purse',
    context: { waiting: [], spent: 0, dropped: 0 },
    initial: 'idle',
    states: {
      idle: {
        on: {
          outgoing: { guard: withEvent('hasReceivers'), target: 'asking', actions: [withEvent('enqueue'), tell(onePermit)] },
        },
      },
      asking: {
        on: {
          outgoing: { actions: withEvent('enqueue') },
          granted: [{ guard: 'isLast', target: 'idle', actions: spend }, { actions: [...spend, tell(onePermit)] }],
          rejected: { target: 'stopped', actions: ['dropAll', 'announceStop'] },
        },
      },
      stopped: { on: { outgoing: { actions: withEvent('drop') } } },
    },
  });
}
