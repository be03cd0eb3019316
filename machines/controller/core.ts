/** The part of the resource controller that an application loads: charts, messages, commands and the roles of a node. */
import { coreOf } from '../core.js';
import type { Message, NodeId } from '../effects.js';
import type { Command, Instance } from '../protocol.js';
import { isBoolean, isCount, isInteger, isOneOf, isWithin, nullOr, recordOf, type FieldCheck, type ShapesOf } from '../shapes.js';
import { depositsMachine } from './applications/deposits.js';
import { LOCAL_LEVEL } from './bins.js';
import { deliveryMachine } from './delivery.js';
import { NO_PAST, type MainNotification } from './growth/member.js';
import { mainMachine } from './growth/membership.js';
import { newcomerMachine, type NewcomerInput } from './growth/newcomer.js';
import { memberRoles, type MemberRole } from './growth/roles.js';
import { deliveryRole, DEPOSITS, MAIN, NEWCOMER, requestRole, type Controller, type ControllerMessage } from './messages.js';
import { controllerOptions, growingKinds, type ControllerOptions } from './options.js';
import { pipelinedMachine } from './pipelined.js';
import { requestMachine } from './request.js';
import { rootMachine } from './root.js';

type Joining = Extract<MainNotification, { type: 'joined' }>;

const isJoining = (notification: Message): notification is Joining => notification.type === 'joined';

interface Amount {
  readonly amount?: number;
}

const amount = { name: 'amount', type: 'integer', min: 1, optional: true } as const;

/** The largest deposit. A larger one would fill the memory within one step, which sends a message for each full bin. */
export const DEPOSIT_MAX = 100_000;

const onlyFor = (kinds: readonly string[], what: string) => (options: ControllerOptions) =>
  kinds.includes(options.kind) ? null : `kind "${options.kind}" ${what}. Choose ${kinds.join(', ')}.`;

const commands = {
  take: {
    fields: [amount],
    event: ({ amount = 1 }: Amount) => ({ type: 'take', amount }),
    waits: true,
    completedBy: ['granted', 'rejected'],
  },
  withdraw: {
    fields: [amount],
    event: ({ amount = 1 }: Amount) => ({ type: 'take', amount }),
    waits: true,
    completedBy: ['granted'],
    refusal: onlyFor(['bank'], 'has no withdrawals'),
  },
  deposit: {
    fields: [amount],
    event: ({ amount = 1 }: Amount) => ({ type: 'deposit', amount }),
    // Acknowledged at once: it must not wait behind a withdrawal that waits for it.
    waits: false,
    completedBy: ['deposited'],
    refusal: (options: ControllerOptions, { amount = 1 }: Amount) =>
      onlyFor(['bank'], 'has no deposits')(options) ??
      (amount > DEPOSIT_MAX
        ? `amount is ${amount}. One step sends a message for each full bin, so deposit at most ${DEPOSIT_MAX} at once.`
        : null),
  },
  name: { event: () => ({ type: 'name' }), waits: true, completedBy: ['named'], refusal: onlyFor(['names'], 'assigns no names') },
  child: {
    event: () => ({ type: 'child' }),
    waits: true,
    completedBy: ['joined'],
    refusal: onlyFor(growingKinds, 'has a tree of fixed size'),
  },
  leave: {
    event: () => ({ type: 'depart' }),
    waits: true,
    completedBy: ['left', 'stayed'],
    refusal: onlyFor(['naive', 'bins', 'basic', 'main', 'modified', 'bank'], 'does not reassign names'),
  },
} satisfies Record<string, Command>;

const isController = isOneOf('R', 'N');
const isLevel = isWithin(LOCAL_LEVEL, Infinity);
const isHierarchy = recordOf({ exponent: nullOr(isInteger) });
const isFlat = recordOf({ flat: isWithin(1, Infinity) });
const isScale: FieldCheck = (value, instance) => isHierarchy(value, instance) || isFlat(value, instance);
const isTerms = recordOf({ R: isScale, N: isScale, alive: isBoolean });

/**
 * The resource controller without its checks and view, for `createNode`. Quotas, names and banks use it.
 *
 * @public
 */
export const controllerCore = /* @__PURE__ */ coreOf({
  name: 'controller',
  charts: {
    request: requestMachine,
    delivery: deliveryMachine,
    pipelined: pipelinedMachine,
    root: rootMachine,
    [MAIN]: mainMachine,
    deposits: depositsMachine,
    [NEWCOMER]: newcomerMachine,
  },
  network: { reach: 'links', order: 'fifo' },
  options: controllerOptions,
  roles: rolesOf,
  // A deposit never waits: it is rejected if its role is not open.
  route: (event, node) => (node.has(NEWCOMER) && event.type !== 'deposit' ? NEWCOMER : roleFor(event)),
  newcomer: (notification) => (isJoining(notification) ? notification.child : undefined),
  notices: ['granted', 'rejected', 'exhausted', 'named', 'deposited', 'joined', 'left', 'stayed', 'severed'],
  messages: {
    request: { of: isController, level: isLevel },
    permit: { of: isController, level: isLevel, first: nullOr(isCount) },
    reject: { of: isController, level: isLevel },
    defer: { of: isController, level: isLevel },
    return: { of: isController, permits: isCount },
    deposits: { level: isLevel, permits: isCount },
    welcome: { depth: isCount, name: nullOr(isCount), terms: isTerms },
    collect: {},
    echo: { count: isCount, departed: isCount, permits: isCount },
    leave: { departed: isCount },
    epoch: { terms: isTerms },
    severed: {},
  } satisfies ShapesOf<ControllerMessage>,
  commands,
});

type ControllerRole = MemberRole | { readonly role: string; readonly chart: typeof NEWCOMER; readonly input: NewcomerInput };

/** Initial roles of a node that participates, or of a newcomer that is not part of the tree yet. */
export function rolesOf(id: NodeId, { options, rank }: Instance<ControllerOptions>): readonly ControllerRole[] {
  const { root, parents, depths, children, vacant, settings, terms, phase, budget } = options;
  const common = { id, settings, vacant: vacant[id] ?? [], past: NO_PAST };
  if (parents[id] === undefined) return [{ role: NEWCOMER, chart: NEWCOMER, input: common }];
  const isRoot = id === root;
  return memberRoles({
    ...common,
    parent: isRoot ? null : parents[id],
    depth: depths[id]!,
    name: phase?.base === undefined || phase.base === null ? null : rank(id),
    children: children[id] ?? [],
    terms,
    phase: isRoot ? phase : null,
    ...(budget && isRoot ? { budget } : {}),
  });
}

function roleFor(event: { readonly type: string; readonly of?: Controller }): string {
  switch (event.type) {
    case 'request':
    case 'permit':
    case 'reject':
    case 'defer':
    case 'return':
      return deliveryRole(event.of!);
    case 'deposit':
    case 'deposits':
      return DEPOSITS;
    case 'child':
    case 'name':
      return requestRole('N');
    case 'take':
      return requestRole('R');
    default:
      return MAIN;
  }
}
