/**
 * The resource controller: a budget of M permits for a whole tree of nodes, most of which are given out without a message.
 *
 * Fault model: links are FIFO, lose and double nothing; nodes do not fail. Nodes join as leaves, with the controller's permission, and
 * a leaf may leave in order. Under it at most M permits are given, every request is answered, and if one is rejected at least M - W
 * are given in the end. A crashed leaf takes with it what its bins hold; any crash stops the next change, and with it the joins.
 */
import { defineCore, defineProtocol } from '../define.js';
import type { Command, Instance } from '../protocol.js';
import { ControllerAccount } from './account.js';
import { deliveryMachine } from './delivery.js';
import { depositsMachine } from './applications/deposits.js';
import { mainMachine } from './growth/membership.js';
import type { MainNotice } from './growth/member.js';
import { deliveryRole, DEPOSITS, MAIN, NEWCOMER, requestRole, type Controller } from './messages.js';
import { newcomerMachine } from './growth/newcomer.js';
import { controllerOptions, growing, type ControllerOptions } from './options.js';
import { pipelinedMachine } from './pipelined.js';
import { controllerProperties } from './properties.js';
import { requestMachine } from './request.js';
import { memberRoles } from './growth/roles.js';
import { rootMachine } from './root.js';
import { reasons } from './reasons.js';
import { samples } from './samples.js';
import { systems } from './systems.js';
import { isMessage } from './shapes.js';
import { overlayOf } from './overlay.js';

export { choose, foretell, type Choice, type Situation } from './adaptive.js';
export { kinds, type ControllerOptions, type Kind } from './options.js';
export type { RequestContext } from './request.js';
export { deliveryMachine, depositsMachine, mainMachine, newcomerMachine, pipelinedMachine, requestMachine, rootMachine };

type Joining = Extract<MainNotice, { type: 'joined' }>;

const amountOf = ({ amount = 1 }: Readonly<Record<string, any>>): number => amount;

const amount = { name: 'amount', type: 'integer', min: 1, optional: true } as const;

const onlyFor = (kinds: readonly string[], what: string) => (options: ControllerOptions) =>
  kinds.includes(options.kind) ? null : `kind "${options.kind}" ${what}; choose ${kinds.join(', ')}`;

const commands: Record<string, Command> = {
  take: {
    fields: [amount],
    event: (fields) => ({ type: 'take', amount: amountOf(fields) }),
    waits: true,
    completedBy: ['granted', 'rejected'],
  },
  withdraw: {
    fields: [amount],
    event: (fields) => ({ type: 'take', amount: amountOf(fields) }),
    waits: true,
    completedBy: ['granted'],
    refusal: onlyFor(['bank'], 'has nothing to withdraw from'),
  },
  deposit: {
    fields: [amount],
    event: (fields) => ({ type: 'deposit', amount: amountOf(fields) }),
    // Acknowledged at once: it must not stand behind a withdrawal that waits for it.
    waits: false,
    completedBy: ['deposited'],
    refusal: onlyFor(['bank'], 'takes no deposits'),
  },
  name: {
    event: () => ({ type: 'name' }),
    waits: true,
    completedBy: ['named'],
    refusal: onlyFor(['names'], 'gives no names'),
  },
  child: {
    event: () => ({ type: 'child' }),
    waits: true,
    completedBy: ['joined'],
    refusal: onlyFor(growing, 'runs on a tree that does not grow'),
  },
  leave: {
    event: () => ({ type: 'depart' }),
    waits: true,
    completedBy: ['left', 'stayed'],
    refusal: onlyFor(['naive', 'bins', 'basic', 'main', 'modified', 'bank'], 'names its nodes for life'),
  },
};

export const controllerCore = /* @__PURE__ */ defineCore<ControllerOptions>({
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
  route: (event, node) => (node.has(NEWCOMER) ? NEWCOMER : roleFor(event)),
  newcomer: (notice) => (notice.type === 'joined' ? (notice as Joining).child : undefined),
  accepts: isMessage,
  commands,
});

export const controller = /* @__PURE__ */ defineProtocol(
  controllerCore,
  { properties: controllerProperties, samples, systems, reasons },
  {
    paper: 'Afek, Awerbuch, Plotkin, Saks: Local Management of a Global Resource in a Communication Network (J. ACM 43, 1996)',
    observe: (instance) => new ControllerAccount(instance),
    overlay: overlayOf,
  },
);

function rolesOf(id: string, { options, rank }: Instance<ControllerOptions>) {
  const { root, parents, depths, children, vacant, settings, terms, phase, budget } = options;
  const common = { id, settings, vacant: vacant[id] ?? [], issuedBefore: 0 };
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
