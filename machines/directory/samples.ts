/** Sample events and inputs for one directory chart, for path generation and coverage. */
import type { ChartSamples } from '../protocol.js';
import type { DirectoryContext, DirectoryInput } from './machine.js';
import { policies } from './policies.js';

const peers = ['b', 'c'];

/** A node may receive a find from any producer except itself and its next holder. */
function events(context: DirectoryContext) {
  const producers = peers.filter((peer) => peer !== context.next);
  return [
    { type: 'request' },
    { type: 'release' },
    { type: 'token', from: 'c', fence: null },
    ...producers.flatMap((producer) => [
      { type: 'find', from: producer, producer, visited: [producer], edge: 'tree' as const },
      { type: 'find', from: 'd', producer, visited: [producer, 'd'], edge: 'bridge' as const },
    ]),
    ...(context.held ? context.held.visited.map((_, value) => ({ type: 'drawn', value })) : []),
  ];
}

const start = (parent: string, policy: DirectoryInput['policy']): DirectoryInput => ({
  id: 'a',
  parent,
  edge: 'tree',
  policy,
  fence: null,
});

/** Limit of the numbers of grants, so that the search ends. */
const FENCE_MAX = 2;

function fencedEvents(context: DirectoryContext) {
  const { fence } = context;
  if (fence === null || fence > FENCE_MAX) return [];
  return events(context).map((event) => (event.type === 'token' ? { ...event, fence: fence + 1 } : event));
}

/** A token with current readers, and a release that leaves another reader. */
const readEvents = (context: DirectoryContext) => [
  ...events(context),
  { type: 'token', from: 'c', fence: null, copyset: ['b'] },
  { type: 'release', copyset: ['c'] },
];

export const directorySamples: readonly ChartSamples[] = [
  ...policies.flatMap((policy) => [
    { input: start('a', policy), events },
    { input: start('b', policy), events },
  ]),
  { input: { ...start('a', 'ivy'), fence: 0 }, events: fencedEvents },
  { input: { ...start('b', 'arrow'), fence: 0 }, events: fencedEvents },
  { input: start('b', 'arrow'), events: readEvents },
  { input: { ...start('b', 'ivy'), together: 3 }, events },
];
