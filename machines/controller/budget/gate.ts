/**
 * The gate of a node: keeps another protocol from it until the resource controller has given a permit for one more participant.
 *
 * Paper: Afek, Awerbuch, Plotkin, Saks, section 1 (a protocol that must not spread over more than M nodes) and section 3.
 *
 * States:
 *
 *   closed   nothing of the protocol has come to this node
 *   asking   something has, and a permit was asked for; what comes is held
 *   opening  granted: what was held is handed on in its order, within the step, and the gate is gone after it
 *   open     the gate is gone
 *   refused  a request was rejected: this node takes no part, and whatever comes is ignored
 */
import { assign, emit, setup } from 'xstate';
import { chartTypes, close, effects, type Message, tell, withEvent } from '../../effects.js';
import type { OutsideEvent } from '../../protocol.js';
import { onePermit } from './purse.js';

export const GATE = 'gate';

export interface GateInput {
  /** The roles of the protocol behind the gate. */
  readonly behind: readonly string[];
}

export interface GateContext extends GateInput {
  /** Held messages, oldest first. */
  readonly held: readonly Message[];
}

type In = { context: GateContext };
type Route = (event: OutsideEvent, node: { has(role: string): boolean }) => string;

const gone = close(() => ({ role: GATE }));

/**
 * The chart of a gate.
 * @param types the types of events that a node of the controlled protocol receives from outside.
 * @param route returns the role that receives such an event.
 */
export function gateMachine(types: readonly string[], route: Route) {
  const onEach = <T>(transition: T) => Object.fromEntries(types.map((type) => [type, transition]));
  const oldest = ({ context: { behind, held } }: In) => ({
    role: route(held[0]!, { has: (role) => behind.includes(role) }),
    message: held[0]!,
  });
  return setup({
    types: chartTypes<{ context: GateContext; events: Message; input: GateInput; emitted: { readonly type: 'stopped' } }>(),
    actions: {
      ...effects(),
      hold: assign(({ context }, event: Message) => ({ held: [...context.held, event] })),
      handOn: assign(({ context }) => ({ held: context.held.slice(1) })),
      dropAll: assign({ held: [] }),
      announceStop: emit({ type: 'stopped' }),
    },
    guards: { holdsNothing: ({ context }) => context.held.length === 0 },
  }).createMachine({
    id: 'gate',
    context: ({ input }) => ({ ...input, held: [] }),
    initial: 'closed',
    states: {
      closed: { on: onEach({ target: 'asking', actions: [withEvent('hold'), tell(onePermit)] } as const) },
      asking: {
        on: {
          ...onEach({ actions: withEvent('hold') } as const),
          granted: 'opening',
          rejected: { target: 'refused', actions: ['dropAll', 'announceStop'] },
        },
      },
      opening: { always: [{ guard: 'holdsNothing', target: 'open' }, { actions: [tell(oldest), 'handOn'] }] },
      open: { entry: gone },
      refused: { on: onEach({}) },
    },
  });
}
