/** Three peers that all reach each other, and what may befall them, for the searches. */
import { explore, type ExploreOptions } from '../../test/index.js';
import { locks } from './index.js';
import { stewardMachine } from './steward.js';

export const nodes = ['a', 'b', 'c'];
export const topology = {
  nodes,
  links: [
    ['a', 'b', 1],
    ['a', 'c', 1],
    ['b', 'c', 1],
  ] as [string, string, number][],
};

export const ask = (node: string) => ({ do: 'command', name: 'request', node, fields: {} }) as const;
export const cut = (u: string, v: string) => ({ do: 'cut', link: [u, v] }) as const;
export const join = (u: string, v: string) => ({ do: 'join', link: [u, v], weight: 1 }) as const;
/** A node stops; the others hear of it sooner or later, or suspect it before it has stopped. */
export const crash = (node: string) => [
  { do: 'crash', node } as const,
  ...nodes.filter((peer) => peer !== node).map((peer) => ({ do: 'down', channel: [peer, node] }) as const),
];
/** It goes on from where it stopped, as a process does that was suspended. */
export const restart = (node: string) => ({ do: 'restart', node }) as const;

export type Commands = NonNullable<ExploreOptions['commands']>;

export const search = (protocol: typeof locks, commands: Commands, hold: 0 | 1) =>
  explore(protocol, { topology, options: { hold }, commands, bounds: { states: 400_000 } });

export type Changes = Parameters<typeof stewardMachine.provide>[0];
export const mutant = (changes: Changes) => ({
  ...locks,
  charts: { ...locks.charts, steward: stewardMachine.provide(changes) },
});
