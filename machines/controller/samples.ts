/** Sample events and inputs for each of the controller's charts, for path generation and coverage. */
import type { LinkEvent, NodeId, Received } from '../effects.js';
import type { ChartSamples } from '../protocol.js';
import type { DeliveryContext, DeliveryInput } from './delivery.js';
import type { DepositsContext, DepositsEvent, DepositsInput } from './applications/deposits.js';
import { NO_PAST, type MainContext, type MainEvent, type MainInput } from './growth/member.js';
import type {
  Controller,
  NewTerms,
  Reply,
  Request,
  Return,
  Settings,
  Settle,
  Settled,
  Severed,
  Terms,
  Welcome,
} from './messages.js';
import type { NewcomerInput } from './growth/newcomer.js';
import { firstPhase } from './growth/phases.js';
import type { RequestContext, RequestEvent, RequestInput } from './request.js';
import type { PipelinedContext } from './pipelined.js';
import type { RootBudget, RootContext, RootInput, Unserved } from './root.js';

const scale = { exponent: 1 };
const terms: Terms = { R: scale, N: { exponent: null }, alive: true };
const settings: Settings = { parts: ['R', 'N'], pipelined: false, echo: 'quiet' };

/** Events that let a context grow without limit are fired only while it is small. */
const CROWDED = 2;

const replies = (of: Controller, level: number): Reply[] => [
  { type: 'permit', of, level, first: null },
  { type: 'permit', of, level, first: 5 },
  { type: 'reject', of, level },
  { type: 'defer', of, level },
];

const changes = (budget?: RootBudget): NewTerms[] =>
  [true, false].map((alive) => ({ type: 'epoch', scale: { exponent: 2 }, alive, ...budget }));

const settle: Settle = { type: 'settle', permits: 1, issued: 0, keptBack: null, names: [] };
const sever: Settle = { ...settle, type: 'sever' };
const give: Return = { type: 'return', of: 'R', permits: 3 };
const requests = [-1, 0, 1].flatMap((level) =>
  ['a', 'c'].map((from): Received<Request> => ({ type: 'request', of: 'R', level, from })),
);
const settled = (['R', 'N'] as const).map((part): Settled => ({
  type: 'settled',
  part,
  permits: 1,
  issued: 0,
  keptBack: null,
  names: [],
  signaled: false,
}));
const down = (peer: NodeId): LinkEvent<NodeId> => ({ type: 'link.down', peer });
const up = (peer: NodeId): LinkEvent<NodeId> => ({ type: 'link.up', peer });

const asked = (of: Controller): RequestEvent[] =>
  of === 'R'
    ? [
        { type: 'take', amount: 1 },
        { type: 'take', amount: 3 },
      ]
    : [{ type: 'child' }, { type: 'name' }];

const request = (over: Partial<RequestInput>): ChartSamples => ({
  input: { id: 'a', of: 'R', scale, alive: true, echo: 'quiet', ...over } satisfies RequestInput,
  events: ({ of, issued }: RequestContext) => [
    ...(issued > 2 * CROWDED ? [] : asked(of)),
    { type: 'freeze' },
    { type: 'settle' },
    { type: 'depart' },
    { type: 'sever' },
    ...replies(of, -1),
    ...changes(),
  ],
});

const delivery = (over: Partial<DeliveryInput>): ChartSamples => ({
  input: { id: 'a', of: 'R', parent: 'p', level: 0, scale, alive: true, ...over } satisfies DeliveryInput,
  events: ({ queue, pending }: Partial<DeliveryContext & PipelinedContext>) => [
    ...((queue ?? pending ?? []).length < CROWDED ? requests : []),
    ...[-1, 0, 1].flatMap((level) => replies('R', level)),
    settle,
    sever,
    give,
    ...changes(),
  ],
});

const root = (unserved: Unserved, permits = 3): ChartSamples => ({
  input: { id: 'a', of: 'R', scale, permits, first: 5, unserved } satisfies RootInput,
  events: ({ parked, permits: left }: RootContext) => [
    ...(parked.length < CROWDED ? requests : []),
    ...(left < 2 * CROWDED ? [give] : []),
    settle,
    { type: 'freeze' },
    ...changes({ permits: 2, first: null, unserved }),
  ],
});

/** From a neighbor that is neither parent nor child; `v` may be about to join. */
const severedFrom = (from: NodeId): Received<Severed> => ({ type: 'severed', from });
const strange = [down('x'), down('v'), up('x'), severedFrom('x')];

const fromParent = (from: NodeId): MainEvent[] => [
  { type: 'collect', from },
  { type: 'epoch', terms, from },
  severedFrom(from),
  down(from),
];

const fromChild = (from: NodeId): MainEvent[] => [
  { type: 'echo', count: 1, departed: 0, permits: 0, from },
  { type: 'leave', departed: 1, from },
];

const main = (over: Partial<MainInput>): ChartSamples => ({
  input: {
    id: 'a',
    parent: 'p',
    depth: 1,
    name: null,
    children: [],
    vacant: ['v'],
    settings,
    terms,
    past: NO_PAST,
    phase: null,
    ...over,
  } satisfies MainInput,
  events: ({ children, parent, lost }: MainContext): MainEvent[] => [
    ...(children.length < CROWDED ? [{ type: 'joined' as const, name: null }] : []),
    { type: 'depart' },
    ...strange,
    { type: 'busy' },
    { type: 'rested' },
    ...settled,
    ...(parent === null ? (['N', 'R'] as const).map((of) => ({ type: 'depleted' as const, of })) : fromParent(parent)),
    ...children.slice(lost.length, 1).map(down),
    ...lost.map(up),
    ...children.slice(0, 1).flatMap(fromChild),
  ],
});

/** A node loses a child, then its parent, and then the child comes back. */
const losing: ChartSamples = {
  input: main({ children: ['c'] }).input,
  events: () => [down('c'), down('p'), ...settled, up('c')],
};

const deposits = (over: Partial<DepositsInput>): ChartSamples => ({
  input: { id: 'a', parent: 'p', level: 0, scale, ...over } satisfies DepositsInput,
  events: ({ local, deposited }: DepositsContext): DepositsEvent[] => [
    ...(local < CROWDED && deposited < 4 * CROWDED ? [1, 5].map((amount) => ({ type: 'deposit' as const, amount })) : []),
    ...[-1, 0].map((level) => ({ type: 'deposits' as const, level, permits: 1, from: 'c' })),
    { type: 'freeze' },
    { type: 'depart' },
    settle,
    sever,
    ...changes(),
  ],
});

const newcomer = (parts: Settings['parts']): ChartSamples => ({
  input: { id: 'a', settings: { ...settings, parts }, vacant: ['v'], past: NO_PAST } satisfies NewcomerInput,
  events: (): (Received<Welcome> | LinkEvent)[] => [{ type: 'welcome', depth: 1, name: null, terms, from: 'p' }, down('v')],
});

export const controllerSamples: Readonly<Record<string, readonly ChartSamples[]>> = {
  request: [request({}), request({ alive: false }), request({ of: 'N' }), request({ echo: 'premature' })],
  delivery: [delivery({}), delivery({ level: 1 }), delivery({ alive: false })],
  pipelined: [delivery({}), delivery({ level: null, scale: { flat: 2 } }), delivery({ alive: false })],
  root: [root('reject'), root('defer'), root('park'), root('end')],
  main: [
    main({}),
    main({ children: ['c'] }),
    main({ parent: null, children: ['c'], phase: firstPhase('main', 9, 3, 2, false) }),
    losing,
  ],
  deposits: [deposits({}), deposits({ level: 1 }), deposits({ parent: null, level: null })],
  newcomer: [newcomer(['R', 'N']), newcomer(['R', 'N', 'D'])],
};
