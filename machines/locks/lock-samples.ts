/** Sample events for each state of a lock and of the storage of a node, for generated paths. */
import type { Message } from '../effects.js';
import type { ChartSamples } from '../protocol.js';
import type { StorageContext } from '../storage.js';
import { UNATTESTED, type LockChartInput, type LockContext } from './lock.js';
import { firstMembership } from './membership.js';

type Named = Message & Readonly<Record<string, unknown>>;

const membership = firstMembership(['a', 'b', 'c']);
const lock: LockChartInput = { id: 'a', lock: 'x', epoch: 1, grants: 4, others: 0, recorders: 0, patience: 1 };
const begun = { type: 'begun', others: 1, recorders: 1, epoch: 2, members: ['a', 'b'], membership };

/** Rule 11: two clients and the voter itself want the lock. */
const clientTurns = ({ fence, line, epoch, user }: LockContext): Named[] => [
  { type: 'request' },
  ...(line.length > 1 ? [] : ['x', 'y'].map((from) => ({ type: 'acquire', from }))),
  ...['x', 'y'].map((node) => ({ type: 'gone', node })),
  { type: 'ended', node: 'x' },
  ...['x', 'l'].map((lock) => ({ type: 'attested', node: 'x', holds: [{ lock, fence }] })),
  { type: 'attested', node: 'y', holds: [] },
  ...[fence, 4].map((fence) => ({ type: 'giveBack', from: 'x', fence })),
  { type: 'release' },
  { type: 'cancel' },
  ...[5, 8].map((fence) => ({ type: 'granted', fence })),
  { type: 'confirmed', from: 'b', epoch, fence, user },
  { type: 'confirmed', from: 'b', epoch, fence: 9, user },
  { type: 'timer', timer: UNATTESTED },
  { type: 'over' },
  { type: 'apart' },
  { ...begun, kept: [] },
  { ...begun, kept: [{ lock: 'x', node: 'a', fence: 3, client: 'y' }] },
  ...(fence === null ? [] : [{ ...begun, kept: [{ lock: 'x', node: 'a', fence }] }]),
];

const turns = ({ fence, epoch }: LockContext): Named[] => [
  ...['b', 'c'].map((from) => ({ type: 'confirmed', from, epoch, fence, user: 'a' })),
  { type: 'confirmed', from: 'b', epoch, fence: 4, user: 'a' },
  { type: 'confirmed', from: 'b', epoch: 0, fence, user: 'a' },
  { type: 'request' },
  { type: 'release' },
  { type: 'cancel' },
  ...[5, 6, 8].map((fence) => ({ type: 'granted', fence })),
  { type: 'over' },
  { type: 'apart' },
  { ...begun, kept: [] },
  { ...begun, kept: [{ lock: 'x', node: 'b', fence: 9 }] },
  ...(fence === null ? [] : [{ ...begun, kept: [{ lock: 'x', node: 'a', fence }] }]),
];

/** Rule 12: the voter reads, and another one reads or wants to write; a client of it wants the lock, too. */
const readTurns = ({ fence, epoch, line, user }: LockContext): Named[] => [
  { type: 'request', mode: 'shared' },
  { type: 'request' },
  ...(line.length > 0 ? [] : [{ type: 'acquire', from: 'x' }]),
  { type: 'gone', node: 'x' },
  { type: 'release' },
  { type: 'giveBack', from: 'x', fence },
  { type: 'granted', fence: 5 },
  { type: 'granted', fence: 6, copyset: ['a', 'b', 'c'] },
  ...['b', 'c'].map((from) => ({ type: 'returned', from, epoch, lock: 'x', fence })),
  { type: 'returned', from: 'b', epoch, lock: 'x', fence: 4 },
  { type: 'returned', from: 'b', epoch: 0, lock: 'x', fence },
  ...[7, 8].map((fence) => ({ type: 'recall', from: 'b', epoch, lock: 'x', fence })),
  { type: 'over' },
  { ...begun, kept: [] },
  ...(fence === null ? [] : [{ ...begun, kept: [{ lock: 'x', node: 'a', fence, ...(user === 'a' && { mode: 'shared' }) }] }]),
];

export const lockSamples: readonly ChartSamples[] = [
  { input: lock, events: turns },
  { input: { ...lock, epoch: null }, events: turns },
  { input: { ...lock, others: 2 }, events: turns },
  { input: lock, events: clientTurns },
  { input: { ...lock, recorders: 1 }, events: clientTurns },
  { input: lock, events: readTurns },
];

const writes = ({ writes: [, ...waiting] }: StorageContext): Named[] => [
  ...['x', 'y'].flatMap((key) => [1, 2].map((value) => ({ type: 'store', by: 'epochs', key, value }))).slice(waiting.length),
  { type: 'timer', timer: 'written' },
  { type: 'reload' },
];

export const storageSamples: readonly ChartSamples[] = [{ input: { stored: {}, delay: 1 }, events: writes }];
