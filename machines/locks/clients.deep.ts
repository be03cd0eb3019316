/** Rule 11: clients use locks through voters, in every interleaving of small systems and in runs. */
import { assign, initialTransition, transition } from 'xstate';
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import type { ClientContext } from './client.js';
import { recordsAfter, type UseToRecord } from './clients.js';
import { clientMachine } from './client.js';
import { locks } from './index.js';
import type { In } from './knowledge.js';
import { isForeign } from './lists.js';
import { lockMachine } from './lock.js';
import { firstMembership } from './membership.js';
import { EPOCHS, type OfMember } from './messages.js';
import type { Property } from '../protocol.js';
import { oneUser, undisturbedUser } from './users.fixtures.js';
import {
  again,
  among,
  ask,
  cancel,
  change,
  cut,
  neverDisowned,
  ended,
  join,
  mutant,
  searchOn,
  starting,
  stop,
  withProposals,
  type Commands,
  type Search,
} from './systems.fixtures.js';
import { explore, type ExploreOptions } from '../../test/explore/explore.js';

type Topology = ExploreOptions['topology'];
const keeps: Search = { hold: null, properties: [undisturbedUser('x')] };
const clients = { clients: ['x'] };
/** x is linked with two of three voters. */
const half = among(['a', 'b', 'c'], ['a', 'b']);
/** x acquires the lock through a, and keeps it. */
const holding = (protocol: typeof locks, commands: readonly Commands[number][]) =>
  explore(protocol, {
    topology: among(['a', 'b', 'c']),
    options: { hold: null, ...clients },
    commands: [ask('x') as Commands[number]].concat(commands) as never,
    oneByOne: true,
    properties: [...protocol.properties({} as never), undisturbedUser('x')],
  });

describe('every interleaving', () => {
  test.each<[string, number, Topology, Commands, Search]>([
    ['a client asks one voter', 20, among(['a']), [ask('x')], { hold: 1 }],
    ['both ask', 62, among(['a']), [ask('x'), ask('a')], { hold: 1, properties: [oneUser] }],
    [
      'a client of three voters asks, and one of them',
      255,
      among(['a', 'b', 'c']),
      [ask('x'), ask('b')],
      { hold: 1, properties: [oneUser] },
    ],
    ['a client that holds stops', 190, among(['a']), [ask('x'), ask('a'), ...stop('x', ['a'])], { hold: null }],
    ['its link is cut and comes back', 5272, among(['a']), [ask('x'), ask('a'), cut('a', 'x'), join('a', 'x')], { hold: 1 }],
    [
      'its voter reports falsely that it has ended',
      104,
      among(['a']),
      [ask('x'), ask('a'), ended('a', 'x')],
      { hold: 1, properties: [oneUser] },
    ],
    ['the same, and the epoch changes, x holds', 720, among(['a', 'b']), [ask('x'), again('a'), ended('b', 'x')], keeps],
    [
      'its link is cut and its end is reported falsely',
      6743,
      among(['a', 'b']),
      [ask('x'), ask('a'), cut('b', 'x'), ended('b', 'x')],
      { hold: 1 },
    ],
    ['its link with its voter is cut', 3201, among(['a', 'b']), [ask('x'), ask('a'), cut('b', 'x')], { hold: 1 }],
    ['the same, and its voter wants the lock next', 3120, among(['a', 'b']), [ask('b'), ask('x'), cut('b', 'x')], { hold: 1 }],
    ['the epoch changes', 2754, among(['a', 'b']), [ask('x'), ask('b'), again('a')], { hold: 1, properties: [oneUser] }],
    ['the epoch changes, x holds', 360, among(['a', 'b']), [ask('x'), again('a')], keeps],
    [
      'it cancels its request, its link is cut and joined',
      9611,
      among(['a']),
      [ask('x'), cancel('x'), ask('a'), cut('a', 'x'), join('a', 'x')],
      { hold: 1 },
    ],
    ['there is no room for what it asks', 56, among(['a']), [ask('x'), ask('a')], { hold: 1, options: { bytes: 500 } }],
    [
      'there is room for one lock of two',
      31,
      among(['a']),
      [ask('x', 'l'), ask('x', 'm')],
      { hold: null, options: { bytes: 1_500 } },
    ],
    ['it goes from a voter that serves the next epoch to one that does not yet', 1348, half, [again('a'), cut('a', 'x')], {}],
  ])('%s: %i states', (_, states, topology, commands, search) => {
    const found = searchOn(topology, locks, commands, { ...search, options: { ...clients, ...search.options } });
    expect([found.verdict, found.states]).toEqual(['valid', states]);
  });
});

test('trust in a false report about a connected client would take its lock', () => {
  const trusting = mutant({ guards: { isReportedEnd: () => true } });
  const found = searchOn(among(['a', 'b']), trusting, [ask('x'), again('a'), ended('b', 'x')], { ...keeps, options: clients });
  expect([found.verdict, found.counterexample?.property]).toEqual(['invalid', 'undisturbed']);
});

test('its link goes down and up, notified at each end separately, and x keeps its lock', () => {
  const found = searchOn(among(['a', 'b']), locks, [ask('x'), cut('b', 'x'), join('b', 'x')], {
    ...keeps,
    only: 'undisturbed',
    options: clients,
  });
  expect([found.verdict, found.states]).toEqual(['valid', 39_386]);
});

describe('a client was given one voter that serves and one that waits to be added', () => {
  const search = (links: readonly [string, string, number][], commands: Commands, protocol = locks, only?: string) =>
    searchOn(
      { nodes: ['a', 'd', 'x'], links: [...links, ['d', 'x', 1]] },
      starting({ x: { membership: firstMembership(['d']) } }, protocol),
      commands,
      { hold: 1, properties: [oneUser], options: { voters: ['a'], ...clients }, ...(only !== undefined && { only }) },
    );

  test.each<[string, number, [string, string, number][], Commands]>([
    ['it is parted from the voter, and begins nothing', 18, [], [ask('a'), ask('x')]],
    ['it is added, and serves the client from then on', 2072, [['a', 'd', 1]], [ask('a'), ask('x'), change('a', { add: 'd' })]],
  ])('%s: %i states', (_, states, links, commands) => {
    const found = search(links, commands);
    expect([found.verdict, found.states]).toEqual(['valid', states]);
  });

  test.each(['two majorities never', 'one user'])(
    'it considers itself the cluster if the list of a client counts as membership: %s',
    (property) => {
      const isLater = (args: In, event: OfMember) =>
        !isForeign(args, event) && event.membership.version > args.context.membership.version;
      const found = search([], [ask('a'), ask('x')], mutant({ guards: { isLater: isLater as never } }), property);
      expect(found.counterexample?.property).toBe(property);
    },
  );
});

test('a client gives back a lock that is granted late, when it no longer wants it', () => {
  const membership = firstMembership(['a']);
  const [asking] = initialTransition(clientMachine, { id: 'x', membership, links: ['a'], patience: 1, number: 0 });
  const attached = { type: 'attached', from: 'a', number: 1, kept: [], epoch: 1, members: ['a'], membership } as const;
  const [ready] = transition(clientMachine, asking, attached);
  const [, effects] = transition(clientMachine, ready, { type: 'acquired', from: 'a', number: 1, lock: 'l', fence: 5 });
  expect(effects.map(({ params }) => params)).toEqual([{ to: 'a', message: { type: 'giveBack', lock: 'l', fence: 5 } }]);
});

describe('its voter is gone, and x keeps its lock: each event in a quiescent state', () => {
  test.each<[string, number, Commands]>([
    ['it stops', 54, stop('a', ['b', 'c', 'x'])],
    ['another stops', 78, stop('b', ['a', 'c', 'x'])],
    ['the link with it is cut', 131, [cut('a', 'x')]],
    ['the link with another is cut', 21, [cut('b', 'x')]],
  ])('%s: %i states', (_, states, commands) => {
    const found = holding(locks, commands);
    expect([found.verdict, found.states]).toEqual(['valid', states]);
  });
});

describe('without one of its rules a promise breaks', () => {
  const never = () => false;
  const always = () => true;
  const client = (changes: Parameters<typeof clientMachine.provide>[0]): typeof locks => ({
    ...locks,
    charts: { ...locks.charts, client: clientMachine.provide(changes) },
  });
  const isFromHostAndNew = ({ context: { host, served }, event }: { context: ClientContext; event: object }) => {
    const { from, epoch = Infinity } = event as { from: string; epoch?: number };
    return from === host && epoch > served.epoch;
  };
  const isolation = [ask('x'), cut('a', 'b'), cut('a', 'c')];
  const nothingRecorded = mutant({ actions: { noteRecord: assign(() => ({})) as never } });
  const asEarlier = mutant({
    actions: {
      noteRecord: assign((args: In, event: UseToRecord) => ({
        records: recordsAfter(args, event).records.map((of) => ({ ...of, number: 0 })),
      })) as never,
    },
  });
  const comesAndGoes = [ask('x'), cut('b', 'x'), join('b', 'x')];
  const notLetIn = mutant({ guards: { isStranded: never, isStrandedAtLeader: never } });
  test.each<[string, string, typeof locks, Topology, Commands, Search]>([
    ['nothing is recorded', 'undisturbed', nothingRecorded, half, [ask('x'), ...stop('a', ['b', 'c', 'x'])], keeps],
    ['granted before it is recorded', 'undisturbed', mutant({}, { guards: { isConfirmed: always } }), half, isolation, keeps],
    [
      'a client that comes from another voter is not accepted',
      'undisturbed',
      notLetIn,
      among(['a', 'b']),
      [ask('x'), cut('b', 'x')],
      keeps,
    ],
    [
      'locks are not disowned: the link of the client is cut as it is granted the lock',
      'service',
      neverDisowned,
      among(['a', 'b']),
      [ask('x'), ask('a'), cut('b', 'x')],
      { hold: 1 },
    ],
    [
      'locks are not disowned: its voter stops, and not the next one uses the lock for it',
      'service',
      neverDisowned,
      among(['a', 'b', 'c']),
      [ask('x'), ...stop('a', ['b', 'c', 'x'])],
      { hold: 1 },
    ],
    [
      'a lock of a later attachment is disowned as well',
      'undisturbed',
      asEarlier,
      among(['a', 'b']),
      comesAndGoes,
      { ...keeps, only: 'undisturbed' },
    ],
    [
      'a client that has gone keeps its lock forever',
      'service',
      mutant({}, { guards: { isOfUser: never } }),
      among(['a']),
      [ask('x'), ask('a'), ...stop('x', ['a'])],
      { hold: null },
    ],
    [
      'a voter that was asked before it began an epoch is not asked again, although another had begun it already',
      'return',
      client({ guards: { isFromHost: isFromHostAndNew } }),
      half,
      [again('a'), cut('a', 'x')],
      {},
    ],
    [
      'messages of an earlier attachment count',
      'one user',
      client({ guards: { isOfThis: always } }),
      among(['a']),
      [ask('x'), ask('a'), cut('a', 'x'), join('a', 'x')],
      { hold: 1, properties: [oneUser] },
    ],
  ])('%s: %s', (_, property, protocol, topology, commands, search) => {
    const found = searchOn(topology, protocol, commands, { ...search, options: clients });
    expect([found.verdict, found.counterexample?.property]).toEqual(['invalid', property]);
  });
});

test.each([
  ['the voter itself', 'a', true],
  ['a client', 'x', true],
  ['nobody, since who asked has gone', null, false],
])('a place in a queue that was requested for %s is a wait', (_, user, isWait) => {
  const context = { id: 'a', claims: [{ lock: 'l', fence: null, user }], wants: [] };
  const c = { nodes: new Map([['a', { [EPOCHS]: { value: 'serving', context } }]]) };
  const service = locks.properties({} as never).find(({ name }) => name === 'service') as Property & { kind: 'eventually' };
  expect(service.when(c as never, 'a')).toBe(isWait);
});

test('a voter that loses its own lock in an epoch requests it for the next client', () => {
  const events = [
    { type: 'request' },
    { type: 'acquire', lock: 'l', from: 'x' },
    { type: 'granted', fence: 5 },
    { type: 'over' },
    { type: 'begun', epoch: 2, members: ['a'], kept: [], membership: firstMembership(['a']), others: 0, recorders: 0 },
  ] as const;
  const input = { id: 'a', lock: 'l', epoch: 0, grants: 8, others: 0, recorders: 0, patience: 1 };
  let [lock] = initialTransition(lockMachine, input);
  for (const event of events) [lock] = transition(lockMachine, lock, event);
  expect([lock.value, lock.context]).toMatchObject([{ waiting: 'queued' }, { user: 'x', line: [], epoch: 2, fence: null }]);
});

test('patience that ends between two epochs returns the lock that the next one keeps', () => {
  const kept = [{ lock: 'l', fence: 5, node: 'a', client: 'x' }];
  const epoch = (number: number) =>
    ({
      type: 'begun',
      epoch: number,
      members: ['a', 'b'],
      kept,
      membership: firstMembership(['a', 'b']),
      others: 0,
      recorders: 1,
    }) as const;
  const input = { id: 'a', lock: 'l', epoch: null, grants: 8, others: 0, recorders: 1, patience: 1 };
  const after = (events: readonly Parameters<typeof transition<typeof lockMachine>>[2][]) =>
    events.reduce((lock, event) => transition(lockMachine, lock, event)[0], initialTransition(lockMachine, input)[0]);
  const over = { type: 'over' } as const;
  const timer = { type: 'timer', timer: 'unattested' } as const;
  const between = [epoch(2), over];
  expect(after(between)).toMatchObject({
    value: { using: { unattested: { suspended: 'patient' } } },
    context: { user: 'x', fence: 5 },
  });
  expect(after([...between, epoch(3)])).toMatchObject({ value: { using: { unattested: 'served' } }, context: { user: 'x' } });
  expect(after([...between, timer, epoch(3)])).toMatchObject({ value: 'returning', context: { user: null, fence: 5, epoch: 3 } });
});

test('a script that makes a client a voter is refused at launch', () => {
  const scenario = {
    protocol: 'locks',
    options: { clients: ['x'] },
    topology: { nodes: ['a', 'x'], links: [['a', 'x', 1]] },
    events: [{ at: 0, node: 'a', do: 'change', add: 'x' }],
    until: { idle: true },
  };
  expect(() => parseScenario(scenario, { locks })).toThrow(
    'events[0].do: change is not possible here: "x" is a client and does not vote. Add another node.',
  );
});

describe('messages of the epochs fit into the message size, whatever a client requests', () => {
  const bytes = 5_000;
  const name = (i: number) => String(i).repeat(200);
  const fits: Property = {
    name: 'fits',
    description: 'Each message fits.',
    kind: 'always',
    holds: ({ flights }) => flights.every(({ message }) => JSON.stringify(message).length <= bytes),
  };
  const searched = (protocol: typeof locks) =>
    explore(withProposals(protocol), {
      topology: among(['a', 'b']),
      options: { hold: null, ...clients, bytes },
      commands: [...[...Array(9).keys()].map((i) => ask('x', name(i))), again('a'), again('a')] as never,
      oneByOne: true,
      properties: [fits],
    });

  test('they do', () => expect(searched(locks).verdict).toBe('valid'));

  test('they do not if no request is refused', () =>
    expect(searched(mutant({ guards: { isFull: () => false } })).counterexample?.property).toBe('fits'));
});
