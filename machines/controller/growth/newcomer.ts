/**
 * A node that does not participate: one that may join later, or a leaf that left.
 *
 * Paper: Afek, Awerbuch, Plotkin, Saks, section 2 (nodes join dynamically) and 5 (no node joins before it is permitted to).
 *
 * State: `outside`, until its parent's welcome opens the roles of a participant. A neighbor whose link goes down before may no longer
 * become its parent. A former parent may not have received the returned permits. All other messages are dropped, and commands wait.
 */
import { assign, setup } from 'xstate';
import { chartTypes, close, effects, type LinkEvent, type NodeId, open, type Received, withEvent } from '../../effects.js';
import { DEPOSITS, deliveryRole, MAIN, NEWCOMER, requestRole, type Settings, type Welcome } from '../messages.js';
import type { Past } from './member.js';
import { memberRoles } from './roles.js';

export interface NewcomerInput {
  readonly id: NodeId;
  readonly settings: Settings;
  readonly vacant: readonly NodeId[];
  readonly past: Past;
}

type In = { context: NewcomerInput; event: Received<Welcome> };

const openRole = (role: string) =>
  open(({ context: { id, settings, vacant, past }, event: { from, depth, name, terms } }: In) => {
    const member = { id, settings, vacant, past, parent: from, depth, name, terms, children: [], phase: null };
    return memberRoles(member).find((start) => start.role === role)!;
  });

const join = [
  ...[requestRole('R'), deliveryRole('R'), requestRole('N'), deliveryRole('N'), MAIN].map(openRole),
  close(() => ({ role: NEWCOMER })),
];

/**
 * Chart of a node that does not participate: one that may join later, or a leaf that left.
 *
 * @public
 */
export const newcomerMachine = setup({
  types: chartTypes<{ context: NewcomerInput; events: Received<Welcome> | LinkEvent; input: NewcomerInput }>(),
  actions: {
    ...effects(),
    giveUp: assign(({ context: { vacant, past } }, { peer }: LinkEvent) => ({
      vacant: vacant.filter((node) => node !== peer),
      past: past.returnedTo === peer ? { ...past, returnedTo: null, isCut: true } : past,
    })),
  },
  guards: { isBank: ({ context }) => context.settings.parts.includes(DEPOSITS) },
}).createMachine({
  id: 'newcomer',
  context: ({ input }) => input,
  initial: 'outside',
  states: {
    outside: {
      on: {
        welcome: [
          { guard: 'isBank', target: 'joined', actions: [openRole(DEPOSITS), ...join] },
          { target: 'joined', actions: join },
        ],
        'link.down': { actions: withEvent('giveUp') },
      },
    },
    joined: { type: 'final' },
  },
});
