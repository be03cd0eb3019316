/** Events and starts worth trying on each of the controller's charts: what path generation and coverage feed them. */
import type { Message } from '../effects.js';
import type { ChartSamples } from '../protocol.js';
import type { DeliveryContext, DeliveryInput } from './delivery.js';
import type { DepositsContext, DepositsInput } from './applications/deposits.js';
import type { MainContext, MainInput } from './growth/member.js';
import type { Controller, Settings, Terms } from './messages.js';
import type { NewcomerInput } from './growth/newcomer.js';
import { firstPhase } from './growth/phases.js';
import type { RequestContext, RequestInput } from './request.js';
import type { PipelinedContext } from './pipelined.js';
import type { RootContext, RootInput, Unserved } from './root.js';

const scale = { exponent: 1 };
const terms: Terms = { R: scale, N: { exponent: null }, alive: true };
const settings: Settings = { parts: ['R', 'N'], pipelined: false, echo: 'quiet' };

/** Events that would make a context grow without end are fired while it is small. */
const CROWDED = 2;

const replies = (of: Controller, level: number): Message[] => [
  { type: 'permit', of, level, first: null } as Message,
  { type: 'permit', of, level, first: 5 } as Message,
  { type: 'reject', of, level } as Message,
  { type: 'defer', of, level } as Message,
];

const changes = (extra: object = {}): Message[] =>
  [true, false].map((alive) => ({ type: 'epoch', scale: { exponent: 2 }, alive, ...extra }) as Message);

const settle = { type: 'settle', permits: 1, members: 0, issued: 0 } as Message;
const sever = { ...settle, type: 'sever' };
const give = { type: 'return', of: 'R', permits: 3 } as Message;
const requests = [-1, 0, 1].flatMap((level) => ['a', 'c'].map((from) => ({ type: 'request', of: 'R', level, from }) as Message));

const asked = (of: Controller): Message[] =>
  of === 'R'
    ? [{ type: 'take', amount: 1 } as Message, { type: 'take', amount: 3 } as Message]
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

/** From a neighbour that is neither parent nor child; `v` may be about to join. */
const strange = [
  { type: 'link.down', peer: 'x' } as Message,
  { type: 'link.down', peer: 'v' } as Message,
  { type: 'link.up', peer: 'x' } as Message,
  { type: 'severed', from: 'x' } as Message,
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
    issuedBefore: 0,
    phase: null,
    ...over,
  } satisfies MainInput,
  events: ({ children, parent, lost }: MainContext) => [
    ...(children.length < CROWDED ? [{ type: 'joined', name: null } as Message] : []),
    { type: 'depart' },
    ...strange,
    { type: 'busy' },
    { type: 'rested' },
    ...(['R', 'N'] as const).map(
      (part) => ({ type: 'settled', part, permits: 1, members: 0, issued: 0, signalled: false }) as Message,
    ),
    ...(parent === null
      ? [{ type: 'depleted', of: 'N' } as Message]
      : [
          { type: 'collect', from: parent } as Message,
          { type: 'epoch', terms, from: parent } as Message,
          { type: 'severed', from: parent } as Message,
          { type: 'link.down', peer: parent } as Message,
        ]),
    ...children.slice(lost.length, 1).map((peer) => ({ type: 'link.down', peer }) as Message),
    ...lost.map((peer) => ({ type: 'link.up', peer }) as Message),
    ...children
      .slice(0, 1)
      .flatMap((from) => [
        { type: 'echo', count: 1, departed: 0, permits: 0, from } as Message,
        { type: 'leave', departed: 1, from } as Message,
      ]),
  ],
});

/** It loses a child, then its parent, and then the child comes back. */
const losing: ChartSamples = {
  input: main({ children: ['c'] }).input,
  events: () => [
    { type: 'link.down', peer: 'c' } as Message,
    { type: 'link.down', peer: 'p' } as Message,
    ...(['R', 'N'] as const).map(
      (part) => ({ type: 'settled', part, permits: 1, members: 0, issued: 0, signalled: false }) as Message,
    ),
    { type: 'link.up', peer: 'c' } as Message,
  ],
};

const deposits = (over: Partial<DepositsInput>): ChartSamples => ({
  input: { id: 'a', parent: 'p', level: 0, scale, ...over } satisfies DepositsInput,
  events: ({ local, deposited }: DepositsContext) => [
    ...(local < CROWDED && deposited < 4 * CROWDED
      ? [{ type: 'deposit', amount: 1 } as Message, { type: 'deposit', amount: 5 } as Message]
      : []),
    ...[-1, 0].map((level) => ({ type: 'deposits', level, permits: 1, from: 'c' }) as Message),
    { type: 'freeze' },
    { type: 'depart' },
    settle,
    sever,
    ...changes(),
  ],
});

const newcomer = (parts: Settings['parts']): ChartSamples => ({
  input: { id: 'a', settings: { ...settings, parts }, vacant: ['v'], issuedBefore: 0 } satisfies NewcomerInput,
  events: () => [
    { type: 'welcome', depth: 1, name: null, terms, from: 'p' } as Message,
    { type: 'link.down', peer: 'v' } as Message,
  ],
});

export const samples: Readonly<Record<string, readonly ChartSamples[]>> = {
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
