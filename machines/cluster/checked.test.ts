/** Every interleaving of small systems of one actor; and which promise breaks without one of the rules. */
import { assign } from 'xstate';
import { describe, expect, test } from 'vitest';
import type { ExploreOptions } from '../../test/explore/explore.js';
import type { HostContext } from './hosting.js';
import type { EventsMessage } from './messages.js';
import { clusterProperties } from './properties.fixtures.js';
import {
  activate,
  clique,
  crash,
  create,
  cut,
  down,
  granted,
  handOver,
  join,
  reload,
  searched,
  send,
  subscribe,
  without,
  type Commands,
} from './systems.fixtures.js';

type Topology = ExploreOptions['topology'];
const two = clique('a', 'b');
const three = clique('a', 'b', 'c');
const twice = [create('a'), send('a'), granted('a', 1), ...activate('b', 2)];
/** The lock passes on while its former holder has not noticed it. */
const contended = [create('a'), send('a'), granted('a', 1), ...activate('b', 2), send('b'), ...activate('a', 3)];

/** The copies are at one replica, which represents a shared storage; it may restart with its stored state. */
const shared = { options: { clients: ['s'], replicas: ['s'], storage: 1 } };
const SHARED: [string, number, Topology, Commands, Partial<ExploreOptions>?][] = [
  ['a shared storage, and two activations', 1981, clique('a', 'b', 's'), twice, { oneByOne: true, ...shared }],
  [
    'a shared storage that starts again while the host writes',
    580,
    clique('a', 's'),
    [create('a'), send('a'), granted('a', 1), ...reload('s')],
    shared,
  ],
];

describe('all properties hold', () => {
  test.each<[string, number, Topology, Commands, Partial<ExploreOptions>?]>([
    ['one activation of three members', 21092, three, [create('a'), send('a'), granted('a', 1)]],
    ['two activations at once', 14387, two, twice],
    ['three activations, each command at rest', 47874, three, contended, { oneByOne: true }],
    ['two activations, each command at rest, one message lost', 6953, two, twice, { oneByOne: true, faults: { loss: 1 } }],
    [
      'two activations, each command at rest, one message repeated',
      2672,
      two,
      twice,
      { oneByOne: true, faults: { duplicate: 1 } },
    ],
    [
      'a client sends to one of two members',
      652,
      clique('a', 'b', 'x'),
      [create('x'), send('x'), granted('a', 1)],
      { options: { clients: ['x'] } },
    ],
    ['a subscriber, and two activations', 3392, two, [subscribe('b'), ...twice], { oneByOne: true }],
    [
      'the actor is handed over',
      456,
      two,
      [create('a'), send('a'), granted('a', 1), handOver('a', 'b'), ...activate('b', 2), send('a')],
      { oneByOne: true },
    ],
    [
      'the host crashes',
      10602,
      three,
      [create('b'), send('b'), granted('a', 1), crash('a'), down('b', 'a'), ...activate('b', 2)],
      { oneByOne: true },
    ],
    [
      'the host is cut off from the others, one of them replaces it, and a link returns',
      13092,
      three,
      [create('a'), send('a'), granted('a', 1), cut('a', 'b'), cut('a', 'c'), ...activate('b', 2), join('a', 'b')],
      { oneByOne: true },
    ],
    [
      'a single member with storage starts again',
      699,
      clique('a'),
      [create('a'), send('a'), granted('a', 1), ...reload('a'), create('a'), granted('a', 2), send('a')],
      { options: { storage: 1 } },
    ],
    ...SHARED,
    [
      'a member without storage starts again',
      117189,
      three,
      [create('a'), send('a'), granted('a', 1), ...reload('b'), ...activate('c', 3)],
      { oneByOne: true, options: { since: 2 } },
    ],
  ])('%s: %i states', (_, states, topology, commands, more) => {
    const found = searched(topology, commands, more);
    expect([found.verdict, found.states]).toEqual(['valid', states]);
  });
});

const never = () => false;
const always = () => true;

describe('without one of its rules a promise breaks, shown by a counterexample', () => {
  const enqueueAll = assign(
    ({ context }: { context: HostContext }, { from, sender, base, events }: EventsMessage & { from: string }) => ({
      queue: [...context.queue, ...events.map((one) => ({ ...one, from, sender, base }))],
    }),
  ) as never;
  test.each<[string, string, ReturnType<typeof without>, Topology, Commands, Partial<ExploreOptions>?]>([
    [
      '1: a replica refuses no fence',
      'durable',
      without({ replica: { guards: { isLateRead: never, isLateWrite: never } } }),
      two,
      contended,
    ],
    [
      '2: any majority of answers is certain',
      'durable',
      without({
        host: {
          guards: {
            isCertain: (({ context }: { context: HostContext }) => context.copies.length * 2 > context.replicas.length) as never,
          },
        },
      }),
      three,
      [cut('a', 'c'), create('a'), send('a'), granted('a', 1), ...reload('b'), ...activate('c', 3)],
      { oneByOne: true, options: { since: 2 } },
    ],
    [
      '4: every event is new',
      'once',
      without({ host: { actions: { enqueue: enqueueAll } } }),
      two,
      twice,
      { oneByOne: true, faults: { duplicate: 1 } },
    ],
    [
      '1: a shared storage refuses no fence',
      'durable',
      without({ replica: { guards: { isLateRead: never, isLateWrite: never } } }),
      clique('a', 'b', 's'),
      contended,
      shared,
    ],
    [
      '3: an acknowledgment settles without its version',
      'seen',
      without({ sender: { guards: { isAhead: never } } }),
      two,
      twice,
      { oneByOne: true, faults: { loss: 1 } },
    ],
    ['5: what is written is committed', 'durable', without({ host: { guards: { isCommitted: always } } }), two, twice],
    [
      '7: a larger fence ends nothing',
      'fenced',
      without({
        host: { guards: { isLate: never, isSuperseded: never } },
        replica: { guards: { isLateRead: never, isLateWrite: never } },
      }),
      two,
      twice,
    ],
  ])('%s: %s', (_, property, protocol, topology, commands, more) => {
    const properties = clusterProperties().filter(({ name }) => name === property);
    const found = searched(topology, commands, { properties, ...more }, protocol);
    expect([found.verdict, found.counterexample?.property]).toEqual(['invalid', property]);
  });
});
