/** Samples: events and inputs for the chart; small systems of every policy, with grants that are used for a while or released at once. */
import type { ChartSamples, SystemSample } from '../protocol.js';
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

const ask = (node: string) => ({ at: 0, node, do: 'request' });

export const directorySystems: readonly SystemSample[] = [
  { topology: { kind: 'ring', n: 3 }, options: { policy: 'random', hold: 1 }, events: ['n0', 'n1', 'n2', 'n1'].map(ask) },
  {
    topology: { kind: 'path', n: 3 },
    // Long uses, so that requests arrive while others wait.
    options: { policy: 'ivy', together: 2, hold: 30 },
    events: ['n1', 'n2', 'n0', 'n2'].map(ask),
  },
  {
    topology: { kind: 'path', n: 3 },
    options: { policy: 'arrow', together: 2, hold: 30 },
    events: ['n1', 'n2', 'n2', 'n2', 'n1'].map(ask),
  },
  { topology: { kind: 'ring', n: 4 }, options: { policy: 'bridge' }, events: ['n0', 'n1', 'n2', 'n3'].map(ask) },
  ...['arrow', 'second', 'middle'].map((policy) => ({
    topology: { kind: 'path', n: 3 },
    options: { policy },
    events: ['n2', 'n1', 'n0'].map(ask),
  })),
];
