/** Messages of the main role during a change: waves that go down the tree and return as echoes, and messages to other roles of the node. */
import { close, open, tell, type LinkEvent } from '../../effects.js';
import { newChild, type Joined, type MainContext } from './member.js';
import {
  DEPOSITS,
  deliveryRole,
  MAIN,
  NEWCOMER,
  requestRole,
  type Controller,
  type NodePart,
  type Settled,
} from '../messages.js';
import { phaseBudget } from './phases.js';

type In<E = unknown> = { context: MainContext; event: E };

const isController = (part: NodePart): part is Controller => part !== DEPOSITS;

export const welcome = ({ context, event }: In<Joined>) => ({
  to: newChild(context),
  message: { type: 'welcome' as const, depth: context.depth + 1, name: event.name, terms: context.terms },
});

export const collectFromAll = ({ context }: In) => ({ to: context.children, message: { type: 'collect' as const } });
export const collectFromChild = ({ context }: In) => ({ to: newChild(context), message: { type: 'collect' as const } });

export const echoToParent = ({ context: { parent, count, members, departed, permits } }: In) => ({
  to: parent!,
  message: { type: 'echo' as const, count: count + members + 1, departed, permits },
});

export const newTerms = ({ context }: In) => ({
  to: context.children,
  message: { type: 'epoch' as const, terms: context.terms },
});

/** Sends the permits of a leaf to the root. The nodes in between forward them. */
export const returned = ({ context, event: { part, permits } }: In<Settled>) => {
  const of = isController(part) ? part : ('R' as const);
  return { to: permits > 0 ? context.parent! : [], message: { type: 'return' as const, of, permits } };
};

export const goodbye = ({ context: { parent, departed } }: In) => ({
  to: parent!,
  message: { type: 'leave' as const, departed: departed + 1 },
});

export const severedBelow = ({ context }: In) => ({ to: context.children, message: { type: 'severed' as const } });

/** Notifies the peer on a new link that the peer was severed, because it may not know. */
export const severedAgain = ({ event }: In<LinkEvent>) => ({ to: event.peer, message: { type: 'severed' as const } });

/** The roles that receive local messages to the parts. */
const clientRoles = ({ settings }: MainContext): string[] =>
  settings.parts.map((part) => (isController(part) ? requestRole(part) : DEPOSITS));

/** Notifies the bins of a node that a change begins, including a bank's bins at the root. */
export const freeze = tell(({ context }: In) => {
  const bins = context.parent === null ? context.settings.parts.filter(isController).map(deliveryRole) : [];
  return { role: [...clientRoles(context), ...bins], message: { type: 'freeze' } };
});

export const settleClients = tell(({ context }: In) => ({ role: clientRoles(context), message: { type: 'settle' } }));
export const depart = tell(({ context }: In) => ({ role: clientRoles(context), message: { type: 'depart' } }));
export const sever = tell(({ context }: In) => ({ role: clientRoles(context), message: { type: 'sever' } }));

const only = ({ settings }: MainContext, part: NodePart, role: string): string | readonly string[] =>
  settings.parts.includes(part) ? role : [];

/** The bins first, then the processes that request refills. */
const renew = (of: Controller) => [
  tell(({ context }: In) => {
    const { phase, terms } = context;
    const message = {
      type: 'epoch',
      scale: terms[of],
      alive: terms.alive || of === 'N',
      ...(phase ? phaseBudget(phase, of) : {}),
    };
    return { role: only(context, of, deliveryRole(of)), message };
  }),
  tell(({ context }: In) => ({
    role: only(context, of, requestRole(of)),
    message: { type: 'epoch', scale: context.terms[of], alive: context.terms.alive || of === 'N' },
  })),
];

const renewDeposits = tell(({ context }: In) => ({
  role: only(context, DEPOSITS, DEPOSITS),
  message: { type: 'epoch', scale: context.terms.R, alive: true },
}));

export const renewAll = [...renew('R'), ...renew('N'), renewDeposits] as const;

const partRoles = [requestRole('R'), deliveryRole('R'), requestRole('N'), deliveryRole('N'), DEPOSITS];

export const closeParts = partRoles.map((role) => close(() => ({ role })));

/** Closes all roles of a participant; the node may be welcomed again. */
export const goOutside = [
  ...closeParts,
  close(() => ({ role: MAIN })),
  open(({ context: { id, settings, vacant, past, parent } }: In) => ({
    role: NEWCOMER,
    chart: NEWCOMER,
    input: { id, settings, vacant, past: { ...past, returnedTo: parent } },
  })),
] as const;
