/** Every interleaving of small links, with losses, copies, reordering, restarts and cuts; and mutants that the same searches refute. */
import { assign } from 'xstate';
import { describe, expect, test } from 'vitest';
import { explore, type ExploreOptions } from '../../test/explore/explore.js';
import type { Configuration } from '../protocol.js';
import type { Frame, LinkContext } from './frames.js';
import { link } from './index.js';
import { linkMachine } from './machine.js';
import { areConnected, linksOf } from './view.js';

const topology = { nodes: ['a', 'b'], links: [['a', 'b', 1]] as [string, string, number][] };

/** One message in flight at a time, one heartbeat of patience, and this many suspicions of each end, right or wrong. */
const small = (suspicions: number | undefined) => ({
  beat: 1,
  patience: 1,
  window: 1,
  room: 1,
  ...(suspicions === undefined ? {} : { suspicions }),
});

const command = (name: string, node: string, fields: Record<string, string | number>) =>
  ({ do: 'command', name, node, fields }) as const;
const toB = (body: number) => command('post', 'a', { peer: 'b', body });
const toA = (body: number) => command('post', 'b', { peer: 'a', body });
const cut = { do: 'cut', link: ['a', 'b'] } as const;
const cutOneWay = { do: 'down', channel: ['a', 'b'] } as const;
const restart = (node: string) => command('restart', node, { peer: node === 'a' ? 'b' : 'a' });
const leave = (node: string) => command('leave', node, { peer: node === 'a' ? 'b' : 'a' });

const gone = (node: string) => command('gone', node, { peer: node === 'a' ? 'b' : 'a' });

const connected: ExploreOptions['goal'] = (c) => linksOf(c).every(([a, b]) => areConnected(a, b));
const hasLeft = (c: Configuration) => linksOf(c).some((ends) => ends.some(({ value }) => value === 'left'));

type Case = [title: string, states: number, options: Omit<ExploreOptions, 'topology'>];

describe('a link keeps its promises, and can always come up again', () => {
  test.each<Case>([
    ['nobody speaks', 33, { options: small(0) }],
    ['one message, one frame lost', 546, { options: small(0), commands: [toB(1)], faults: { loss: 1 } }],
    [
      'two messages, one frame lost, one doubled',
      16709,
      { options: { ...small(0), window: 2 }, commands: [toB(1), toB(2)], faults: { loss: 1, duplicate: 1 } },
    ],
    [
      'one message, a suspicion of each end, one frame lost',
      4115,
      { options: small(1), commands: [toB(1)], faults: { loss: 1 } },
    ],
    [
      'a false report that each end is gone, and no suspicion',
      4103,
      { options: small(0), commands: [toB(1), gone('a'), gone('b')] },
    ],
    ['a false report, a suspicion of each end', 4775, { options: small(1), commands: [toB(1), gone('a')] }],
    ['messages both ways, a suspicion of each end', 13084, { options: small(1), commands: [toB(1), toA(2)] }],
    ['more messages than there is room for', 1641, { options: { ...small(0), room: 0 }, commands: [toB(1), toB(2)] }],
    [
      'the receiver starts again, one frame doubled',
      18882,
      { options: small(0), commands: [toB(1), restart('b')], faults: { duplicate: 1 } },
    ],
    [
      'the sender starts again, one frame lost',
      4840,
      { options: small(0), commands: [toB(1), restart('a')], faults: { loss: 1 } },
    ],
    [
      'both ends leave and start again',
      125269,
      {
        options: small(0),
        commands: ['a', 'b'].flatMap((end) => [leave(end), restart(end)]),
        goal: (c) => connected(c) || hasLeft(c),
      },
    ],
  ])('%s: %i states', (_, states, options) => {
    const found = explore(link, { topology, goal: connected, ...options });
    expect(found).toMatchObject({ verdict: 'valid', doomed: 0 });
    expect(found.states).toBe(states);
  });
});

describe('a peer that is gone is noticed', () => {
  test.each<Case>([
    ['both ways cut', 488, { commands: [toB(1), cut] }],
    ['one way cut', 297, { commands: [toB(1), cutOneWay] }],
    ['the peer says good-bye', 772, { commands: [toB(1), leave('b')] }],
  ])('%s: %i states', (_, states, options) => {
    const found = explore(link, { topology, options: small(undefined), ...options });
    expect(found).toMatchObject({ verdict: 'valid' });
    expect(found.states).toBe(states);
  });
});

type Changes = Parameters<typeof linkMachine.provide>[0];
const mutant = (changes: Changes) => ({ ...link, charts: { link: linkMachine.provide(changes) } });
const change = (update: (c: LinkContext) => Partial<LinkContext>) =>
  assign(({ context }: { context: LinkContext }) => update(context)) as never;

const takingLate: Changes = {
  guards: { isLate: () => false, isOfAnotherConnection: ({ context, event }) => (event as Frame).to !== context.session },
};

describe('without one of its rules the link breaks a promise, shown by a counterexample', () => {
  test.each<[string, string, Changes, Omit<ExploreOptions, 'topology'>]>([
    [
      'frames of other connections are taken',
      'acknowledged, delivered, sent',
      { guards: { isOfAnotherConnection: () => false } },
      { options: small(1), commands: [toB(1), toB(2)], faults: { duplicate: 1 } },
    ],
    [
      'late frames are taken',
      'acknowledged, delivered, sent',
      takingLate,
      { options: { ...small(0), room: 0 }, commands: [toB(1), toB(2)] },
    ],
    [
      'late frames of an earlier run are taken',
      'acknowledged, delivered, sent',
      takingLate,
      { options: small(0), commands: [toB(1), restart('a')], faults: { duplicate: 1 } },
    ],
    [
      'an end that was down keeps its session',
      'acknowledged, delivered, sent',
      { actions: { beginSession: change(() => ({ theirs: null, silence: 0 })) } },
      { options: small(1), commands: [toB(1), toB(2)], faults: { loss: 1 } },
    ],
    [
      'nothing is missed',
      'delivery',
      { guards: { isRejection: () => false } },
      { options: small(0), commands: [toB(1)], faults: { loss: 1 } },
    ],
    [
      'silence is no sign',
      'delivery',
      { guards: { isSilent: () => false } },
      { options: small(undefined), commands: [toB(1), cut] },
    ],
    [
      'the outbox has no end',
      'bounded outbox',
      { guards: { hasRoom: () => true } },
      { options: { ...small(0), room: 0 }, commands: [toB(1), toB(2)] },
    ],
  ])('%s: %s', (_, property, changes, options) => {
    const found = explore(mutant(changes), { topology, ...options });
    expect(found.verdict).toBe('invalid');
    expect(found.counterexample?.property).toBe(property);
  });
});
