/** a and c, and relays between them: every interleaving of their two ends, while their links with the relays do not change. */
import { assign, createMachine } from 'xstate';
import { explore, type ExploreOptions } from '../../test/explore/explore.js';
import { arm } from '../effects.js';
import type { RoleStart } from '../protocol.js';
import type { LinkContext, LinkInput } from './frames.js';
import { link } from './index.js';
import { linkMachine } from './machine.js';
import { areConnected, endAt } from './view.js';

type Changes = Parameters<typeof linkMachine.provide>[0];
type Links = readonly [string, string, number][];

export const line: Links = [
  ['a', 'b', 1],
  ['b', 'c', 1],
  ['a', 'c', 1],
];
export const square: Links = [...line, ['a', 'd', 1], ['d', 'c', 1]];

export const post = (node: string, peer: string, body: number) =>
  ({ do: 'command', name: 'post', node, fields: { peer, body } }) as const;
export const cut = { do: 'cut', link: ['a', 'c'] } as const;
export const cutOneWay = { do: 'down', channel: ['a', 'c'] } as const;
export const join = { do: 'join', link: ['a', 'c'], weight: 1 } as const;
export const crash = (node: string) => ({ do: 'crash', node }) as const;

export const change = (update: (c: LinkContext) => Partial<LinkContext>) =>
  assign(({ context }: { context: LinkContext }) => update(context)) as never;

/** The chart of an end that has met its peer already, on the initial sessions, and receives it directly. */
function metFrom(machine: typeof linkMachine, beats: boolean) {
  const { context, states } = machine.config as any;
  const met = ({ input }: { input: LinkInput }): LinkContext => {
    const { session, nonce } = input;
    return { ...context({ input }), theirs: session, latest: session, theirNonce: nonce, via: null, deaf: 0 };
  };
  const up = { ...states.up, entry: beats ? arm(() => ({ timer: 'beat', delay: 1 })) : [] };
  const config = { ...machine.config, initial: 'up', context: met, states: { ...states, up } };
  return createMachine(config as never, machine.implementations as never) as never;
}

const isOfRelay = (node: string, { peer }: LinkInput): boolean => [node, peer].some((id) => id !== 'a' && id !== 'c');

function system(haveMet: boolean, changes: Changes): typeof link {
  const machine = linkMachine.provide(changes) as typeof linkMachine;
  const chartOf = (node: string, { input }: RoleStart) => (isOfRelay(node, input as LinkInput) ? 'still' : 'link');
  return {
    ...link,
    charts: { link: haveMet ? metFrom(machine, true) : (machine as never), still: metFrom(machine, false) },
    roles: (id, instance) => link.roles(id, instance).map((start) => ({ ...start, chart: chartOf(id, start) })),
    mayFire: (c, node, role, timer) => c.nodes.get(node)![role]!.chart === 'link' && link.mayFire!(c, node, role, timer),
  };
}

export interface RelayedSearch {
  /** True if a and c are up from the start. */
  readonly haveMet?: boolean;
  readonly patience?: number;
  /** The suspicions of each end. @defaultValue correct ones only */
  readonly suspicions?: number;
  readonly changes?: Changes;
  /** True if a and c must be able to meet in every state. @defaultValue true */
  readonly canMeet?: boolean;
}

/** A channel keeps its order; two ways to one peer do not. */
export function searchBetween(
  links: Links,
  commands: ExploreOptions['commands'] & readonly unknown[],
  { haveMet = true, patience = 1, suspicions, changes = {}, canMeet = true }: RelayedSearch,
) {
  return explore(system(haveMet, changes), {
    topology: { nodes: links === line ? ['a', 'b', 'c'] : ['a', 'b', 'c', 'd'], links },
    options: { beat: 1, patience, window: 1, room: 1, ...(suspicions === undefined ? {} : { suspicions }) },
    commands,
    order: 'fifo',
    bounds: { states: 300_000 },
    ...(canMeet && { goal: (c) => areConnected(endAt(c.nodes.get('a')!, 'c')!, endAt(c.nodes.get('c')!, 'a')!) }),
  });
}
