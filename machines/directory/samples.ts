/** Events and starts worth trying on one directory chart: what path generation and coverage feed it. */
import type { ChartSamples } from '../protocol.js';
import type { DirectoryContext, DirectoryInput } from './machine.js';
import { policies } from './policies.js';

const peers = ['b', 'c'];

/** A node may receive a find from any producer that is neither itself nor the one that it is to hand the token to. */
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

export const samples: readonly ChartSamples[] = policies.flatMap((policy) => [
  { input: start('a', policy), events },
  { input: start('b', policy), events },
]);
