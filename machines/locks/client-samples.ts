/** Sample events for each state of the two charts of a client of locks, for generated paths. */
import type { Message } from '../effects.js';
import type { ChartSamples } from '../protocol.js';
import type { ClientContext, ClientInput } from './client.js';
import type { ClientLockContext } from './client-lock.js';
import { BOUNDS } from './epoch.js';
import { firstMembership, membershipAfter } from './membership.js';
import { PATIENCE } from './orders.js';

type Named = Message & Readonly<Record<string, unknown>>;

const membership = firstMembership(['a', 'b']);
const grown = membershipAfter(membership, { add: 'c', remove: null }, BOUNDS.bytes)!;
const input: ClientInput = { id: 'x', membership, links: [], patience: 1, number: 0 };

const sampleEvents = ({ number, claims }: ClientContext): Named[] => {
  if (number > 3) return [];
  const superseding = { type: 'superseded', members: ['a', 'b'], membership };
  const answer = { type: 'attached', kept: [], members: ['a', 'b'], membership };
  return [
    ...['a', 'b'].flatMap((peer) => ['link.up', 'link.down'].map((type) => ({ type, peer }))),
    { type: 'request', lock: 'l' },
    ...claims.flatMap(({ lock, fence }) => [
      { type: 'freed', lock },
      ...(fence === null ? [{ type: 'used', lock, fence: 5 }] : []),
    ]),
    ...['a', 'b'].flatMap((from) => [
      { ...answer, from, number, epoch: 1 },
      { ...superseding, from, epoch: 2 },
      { type: 'hello', from, membership },
      { type: 'detached', from, number, membership: grown },
    ]),
    { ...answer, from: 'a', number: number - 1, epoch: 1 },
    { ...superseding, from: 'a', epoch: 1 },
    { type: 'detached', from: 'a', number: number - 1, membership },
    ...['acquired', 'forfeited'].flatMap((type) =>
      [number, number - 1].map((number) => ({ type, from: 'a', number, lock: 'l', fence: 5 })),
    ),
    ...[number, number - 1].map((number) => ({ type: 'full', from: 'a', number, lock: 'l', others: 1 })),
    ...[
      ['a', 'x'],
      ['a', 'b'],
    ].map((members) => ({ type: 'prepare', from: 'a', epoch: 3, members, served: 1, next: grown, membership })),
    { type: 'timer', timer: PATIENCE },
  ];
};

/** Messages of a voter with a later membership. */
const lists = ({ number }: ClientContext): Named[] =>
  number > 2
    ? []
    : ['a', 'b'].flatMap((from) => [
        { type: 'attached', kept: [], from, number, epoch: 1, members: ['a', 'b'], membership },
        { type: 'attached', kept: [], from, number, epoch: 1, members: ['a', 'b'], membership: grown },
        { type: 'attached', kept: [{ lock: 'gone', fence: 1 }], from, number, epoch: 1, members: ['a', 'b'], membership: grown },
        { type: 'hello', from, membership: grown },
        { type: 'superseded', from, epoch: 2, members: ['a', 'b'], membership: grown },
      ]);

const life = ({ fence }: ClientLockContext): Named[] => [
  { type: 'request' },
  { type: 'release' },
  { type: 'cancel' },
  { type: 'acquired', lock: 'l', fence: 5 },
  ...[5, 6].map((fence) => ({ type: 'forfeited', lock: 'l', fence })),
  { type: 'full', others: 1 },
  { type: 'attached', host: 'a', kept: [] },
  { type: 'attached', host: 'b', kept: [{ lock: 'l', fence: 4 }] },
  ...(fence === null ? [] : [{ type: 'attached', host: 'b', kept: [{ lock: 'l', fence }] }]),
  { type: 'detached' },
  { type: 'apart' },
];

export const clientSamples: readonly ChartSamples[] = [
  { input, events: sampleEvents },
  ...[sampleEvents, lists].map((events) => ({ input: { ...input, links: ['a', 'b'] }, events })),
];
export const clientLockSamples: readonly ChartSamples[] = [{ input: { lock: 'l' }, events: life }];
